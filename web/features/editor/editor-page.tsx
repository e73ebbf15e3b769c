import type { Text } from '@codemirror/state'
import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { FileView } from '#contract/resources.ts'
import { problemText } from '#web/api/problem-text.ts'
import { readStored, writeStored } from '#web/shared/preferences.ts'
import { Button } from '#web/ui/button.tsx'
import { editor } from './document/editor-state.ts'
import { openText } from './document/open-text.ts'
import { EditorStatusBar, type Panes } from './editor-foot.tsx'
import styles from './editor-page.module.css'

interface EditorPageProps {
  file: FileView
  /** The ETag of the version that `file.content` holds. */
  etag: string
  /** Renders the preview; undefined for kinds of text without a preview. */
  render: ((text: string) => ReactNode) | undefined
}

/** Minimum window width for text and preview side by side, in pixels. */
const roomyPx = 1024

/** The page of a text file, read-only if the user may not change it. */
export function EditorPage({ file, etag, render }: EditorPageProps) {
  const { t, i18n } = useLingui()
  const host = useRef<HTMLDivElement>(null)
  const { isRestored } = useSnapshot(editor)
  const [isWrapped, setWrapped] = useState(readStored('wrap') !== 'off')
  const [panes, setPanes] = useState<Panes>(() => (render ? rememberedPanes(file.type === 'text') : 'text'))
  const [doc, setDoc] = useState<Text>()
  const shown = useDeferredValue(doc)
  const rendered = useMemo(
    () => (panes === 'text' || !shown ? undefined : render?.(shown.toString())),
    [panes, shown, render],
  )
  // Text that the user may not read looks empty here. Saving would overwrite the real content.
  const mayRead = file.content !== undefined || file.size === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor opens once per file and keeps its own state.
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
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
            tabIndex={0}
          >
            {rendered}
          </section>
        )}
      </div>
      <EditorStatusBar
        file={file}
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
