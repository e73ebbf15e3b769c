import type { Text } from '@codemirror/state'
import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problem-text.ts'
import { recall, remember } from '#web/shared/preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { editor } from './document/editor-state.ts'
import { openText } from './document/open-text.ts'
import { EditorFoot, type Panes } from './editor-foot.tsx'
import styles from './editor-page.module.css'

interface EditorPageProps {
  file: FileView
  /** The state of the file in which its text was read. */
  etag: string
  /** What the text means to a reader, for kinds of text that have such a look. */
  render: ((text: string) => ReactNode) | undefined
}

/** Above this width there is room for a text and its look beside each other, in pixels. */
const roomyPx = 1024

/** A text file: to read, and where one may, to change. */
export function EditorPage({ file, etag, render }: EditorPageProps) {
  const { t, i18n } = useLingui()
  const host = useRef<HTMLDivElement>(null)
  const { isRestored } = useSnapshot(editor)
  const [isWrapped, setWrapped] = useState(recall('wrap') !== 'off')
  const [panes, setPanes] = useState<Panes>(() => (render ? rememberedPanes(file.type === 'text') : 'text'))
  const [doc, setDoc] = useState<Text>()
  const shown = useDeferredValue(doc)
  const rendered = useMemo(
    () => (panes === 'text' || !shown ? undefined : render?.(shown.toString())),
    [panes, shown, render],
  )
  // What may not be read must not be saved over: it only looks empty.
  const mayRead = file.content !== undefined || file.size === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: a text is opened once; what follows is its own affair.
  useEffect(() => {
    if (!host.current || !mayRead) return
    return openText(host.current, { file, etag, isWrapped, i18n, onText: setDoc })
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
      <div className={styles.panes}>
        <div ref={host} className={styles.text} hidden={panes === 'look'} data-keys="own" />
        {rendered !== undefined && (
          <section
            className={styles.rendered}
            aria-label={t`Preview of ${file.name}`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
            tabIndex={0}
          >
            {rendered}
          </section>
        )}
      </div>
      <EditorFoot
        file={file}
        isWrapped={isWrapped}
        onWrap={(isOn) => {
          setWrapped(isOn)
          remember('wrap', isOn ? undefined : 'off')
          editor.open?.setWrap(isOn)
        }}
        panes={render && panes}
        onPanes={(next) => {
          setPanes(next)
          remember('markdown', next)
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
  const last = recall('markdown')
  const isNarrow = innerWidth < roomyPx
  if (last === 'text' || last === 'look') return last
  if (!isEdited) return 'look'
  return isNarrow ? 'text' : 'both'
}
