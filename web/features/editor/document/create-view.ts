import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, Text } from '@codemirror/state'
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
} from '@codemirror/view'
import { editorTheme } from '#web/features/editor/view/editor-theme.ts'
import { indentationOf } from '#web/features/editor/view/indentation.ts'
import { languageOf } from '#web/features/editor/view/languages.ts'

/** Texts above this size stay plain: colours would cost more than they help. In characters. */
const mostColoured = 2 * 1024 * 1024

interface ViewOptions {
  name: string
  lines: readonly string[]
  isReadOnly: boolean
  isWrapped: boolean
  /** The editor's own English phrases and what they are called here. */
  phrases: Record<string, string>
  /** What a screen reader says of it beside its name. */
  description: string
  onUpdate(update: ViewUpdate): void
}

/** An editor in `host`, and what can be done to it. */
export function createView(host: HTMLElement, options: ViewOptions) {
  const { name, lines, isReadOnly, isWrapped, onUpdate } = options
  const [wrap, language] = [new Compartment(), new Compartment()]
  const doc = Text.of([...lines])
  // Only inside a shadow root does it bring its styles as the page's policy allows: as a sheet, not as an element.
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc,
      extensions: [
        wrap.of(isWrapped ? EditorView.lineWrapping : []),
        language.of([]),
        indentUnit.of(indentationOf(doc.sliceString(0, 100_000)) ?? '  '),
        EditorState.readOnly.of(isReadOnly),
        EditorState.phrases.of(options.phrases),
        EditorView.contentAttributes.of({
          'aria-label': name,
          'aria-description': options.description,
          // No keyboard comes up on a telephone where nothing can be typed.
          ...(isReadOnly && { inputmode: 'none' }),
        }),
        EditorView.updateListener.of(onUpdate),
        behaviour,
        editorTheme,
      ],
    }),
  })
  const known = doc.length <= mostColoured ? languageOf(name, doc.line(1).text) : undefined
  // Without its colours a text is still a text.
  known?.load().then(
    (support) => view.dispatch({ effects: language.reconfigure(support) }),
    () => undefined,
  )
  return {
    view,
    setWrap: (isOn: boolean) =>
      view.dispatch({ effects: wrap.reconfigure(isOn ? EditorView.lineWrapping : []) }),
    find: () => void openSearchPanel(view),
  }
}

const behaviour = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  highlightSpecialChars(),
  highlightSelectionMatches(),
  history(),
  indentOnInput(),
  bracketMatching(),
  search({ top: true }),
  EditorState.tabSize.of(4),
  EditorView.perLineTextDirection.of(true),
  keymap.of([...searchKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
]
