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
import { directionOf } from '#web/features/editor/view/direction.ts'
import { editorTheme } from '#web/features/editor/view/editor-theme.ts'
import { hiddenStart } from '#web/features/editor/view/hidden-start.ts'
import { detectIndentation } from '#web/features/editor/view/indentation.ts'
import { detectLanguage } from '#web/features/editor/view/languages.ts'

/** Maximum text size for syntax highlighting, in characters. Above it, highlighting is too slow. */
const maxHighlighted = 2 * 1024 * 1024

interface ViewOptions {
  name: string
  lines: readonly string[]
  isReadOnly: boolean
  isWrapped: boolean
  /** Maps the English phrases of CodeMirror to the user's language. */
  phrases: Record<string, string>
  /** How to leave text that can be changed. Screen readers announce it after the name. */
  description: string
  onUpdate(update: ViewUpdate): void
}

/** Creates a CodeMirror editor in `host`. */
export function createView(host: HTMLElement, options: ViewOptions) {
  const { name, lines, isReadOnly, isWrapped, onUpdate } = options
  const [wrap, language] = [new Compartment(), new Compartment()]
  const doc = Text.of([...lines])
  // Inside a shadow root, CodeMirror adds its styles as a constructed style sheet, which the page's policy allows.
  // Elsewhere it adds a `<style>` element, which the policy blocks.
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc,
      extensions: [
        wrap.of(isWrapped ? EditorView.lineWrapping : []),
        language.of([]),
        indentUnit.of(detectIndentation(doc.sliceString(0, 100_000)) ?? '  '),
        EditorState.readOnly.of(isReadOnly),
        EditorState.phrases.of(options.phrases),
        EditorView.contentAttributes.of({
          'aria-label': name,
          // Checkers do not know that editable text takes the focus by itself.
          tabindex: '0',
          // Phones do not open the on-screen keyboard for read-only text, and Tab leaves it.
          ...(isReadOnly ? { inputmode: 'none' } : { 'aria-description': options.description }),
        }),
        EditorView.updateListener.of(onUpdate),
        behaviour,
        hiddenStart,
        editorTheme,
        inDirection(directionOf(doc.sliceString(0, 10_000))),
      ],
    }),
  })
  // For the page, the host has the focus. Who gives it back to the host, such as a dialog, means the text.
  host.focus = () => view.focus()
  const known = doc.length <= maxHighlighted ? detectLanguage(name, doc.line(1).text) : undefined
  // If the language fails to load, the text stays usable without highlighting.
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

/** Only the text: the search bar keeps the direction of the page. */
const inDirection = (direction: 'ltr' | 'rtl' | undefined) =>
  direction ? EditorView.theme({ '.cm-scroller': { direction } }) : []

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
  // On every page, Ctrl+I shows Info. CodeMirror would select the syntax around the cursor.
  keymap.of([
    ...[...searchKeymap, ...historyKeymap, indentWithTab],
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-i'),
  ]),
]
