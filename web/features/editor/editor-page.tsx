import type { Text } from '@codemirror/state'
import { useLingui } from '@lingui/react/macro'
import {
  type KeyboardEvent,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { usePrinting } from '#web/shared/lists/use-printing.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { type EditorCommands, editor } from './document/editor-state.ts'
import { openText } from './document/open-text.ts'
import { EditorStatusBar, type Panes } from './editor-foot.tsx'
import styles from './editor-page.module.css'
import { OutsideNotice } from './outside-notice.tsx'
import { useKeyFocus } from './use-key-focus.ts'

interface EditorPageProps {
  file: FileView
  /** The ETag of the version that `file.content` holds. */
  etag: string
  /** Renders the preview; undefined for kinds of text without a preview. */
  render: ((text: string) => ReactNode) | undefined
  /** Renders a form for the start of the text, above it; undefined without one. Read-only text has none. */
  renderForm?: ((tools: TextFormTools) => ReactNode) | undefined
}

/** What a form above the text knows and does. */
export interface TextFormTools extends Pick<EditorCommands, 'replaceStart' | 'setPending'> {
  text: Text
  /** Called with the length of the part that the form shows, and whether the text hides it. */
  onStart(length: number, isHidden: boolean): void
}

interface EditedText {
  doc: Text
  /**
   * The length of the part that the form shows. The preview leaves it out. It follows each change at once, because the
   * form learns later from the server what the part contains.
   */
  start: number
}

/** Minimum window width for text and preview side by side, in pixels. */
const roomyPx = 1024

/** The save key works in the form, too. The page ignores keys in its fields. */
function onFormKey(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
    return
  event.preventDefault()
  // The page sees the event after this handler. It does nothing with a handled one.
  void editor.open?.save()
}

/** The editor opens before the form, and closes after it. */
const formTools: Pick<TextFormTools, 'replaceStart' | 'setPending'> = {
  replaceStart: (length, text) => editor.open?.replaceStart(length, text),
  setPending: (form) => editor.open?.setPending(form),
}

/** The page of a text file, read-only if the user may not change it. */
export function EditorPage({ file, etag, render, renderForm }: EditorPageProps) {
  const { t, i18n } = useLingui()
  const host = useRef<HTMLDivElement>(null)
  const isByKey = useKeyFocus(host)
  const { isRestored } = useSnapshot(editor)
  const [isWrapped, setWrapped] = useState(readStored('wrap') !== 'off')
  const [panes, setPanes] = useState<Panes>(() => (render ? rememberedPanes(file.type === 'text') : 'text'))
  const [text, setText] = useState<EditedText>()
  const isPrinting = usePrinting()
  const shown = useDeferredValue(text)
  const rendered = useMemo(() => {
    if (panes === 'text' || !shown) return undefined
    const { doc, start } = shown
    return render?.(doc.sliceString(Math.min(start, doc.length)))
  }, [panes, shown, render])
  // Text that the user may not read looks empty here. Saving would overwrite the real content.
  const mayRead = file.content !== undefined || file.size === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor opens once per file and keeps its own state.
  useEffect(() => {
    if (!host.current || !mayRead) return
    const onText: Parameters<typeof openText>[1]['onText'] = (doc, move) =>
      setText((before) => ({ doc, start: move(before?.start ?? 0) }))
    return openText(host.current, { file, etag, isWrapped, i18n, onText })
  }, [file.path, mayRead])
  if (!mayRead) {
    return (
      <p role="alert" className={styles.message}>
        {i18n._(problemText('auth.forbidden'))}
      </p>
    )
  }
  return (
    <div className={styles.page} data-part="editor">
      {isRestored && (
        <div className={styles.kept}>
          <p role="status">{t`Your unsaved changes were restored.`}</p>
          <Button label={t`Discard changes`} onClick={() => editor.open?.discard()} />
        </div>
      )}
      <OutsideNotice />
      {renderForm && text && file.type === 'text' && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys come from the fields inside.
        <div className={styles.form} hidden={panes === 'look'} onKeyDown={onFormKey}>
          {renderForm({
            ...formTools,
            text: text.doc,
            onStart: (length, isHidden) => {
              setText((now) => now && { ...now, start: length })
              editor.open?.hideStart(isHidden ? length : 0)
            },
          })}
        </div>
      )}
      <div className={styles.panes} data-part="panes">
        <div ref={host} className={styles.text} hidden={panes === 'look'} data-keys="own" />
        {/* The editor renders only the visible lines. */}
        {isPrinting && rendered === undefined && <pre className={styles.printed}>{text?.doc.toString()}</pre>}
        {rendered !== undefined && (
          <section
            className={styles.rendered}
            aria-label={t`Preview of ${file.name}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
            tabIndex={0}
          >
            {rendered}
          </section>
        )}
      </div>
      <EditorStatusBar
        file={file}
        explainsKeys={isByKey}
        isWrapped={isWrapped}
        onWrap={(isOn) => {
          setWrapped(isOn)
          writeStored('wrap', isOn ? undefined : 'off')
          editor.open?.setWrap(isOn)
        }}
        panes={render && panes}
        onPanes={(next) => {
          setPanes(next)
          writeStored('markdown', next)
        }}
      />
    </div>
  )
}

/**
 * The last used view. Default: both panes on wide screens, the text on narrow ones, and only the preview if the text is
 * read only.
 */
function rememberedPanes(isEdited: boolean): Panes {
  const last = readStored('markdown')
  const isNarrow = innerWidth < roomyPx
  if (last === 'text' || last === 'look') return last
  if (!isEdited) return 'look'
  return isNarrow ? 'text' : 'both'
}
