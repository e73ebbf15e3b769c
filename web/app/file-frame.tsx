import { useLingui } from '@lingui/react/macro'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { FileView } from '#contract/resources.ts'
import type { ActionContext } from '#web/actions/action.ts'
import { offered, run, runKey } from '#web/actions/registry.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { TextPage } from '#web/features/editor/text-page.tsx'
import { contextNow } from '#web/features/files/action-context.ts'
import { download } from '#web/features/files/download.ts'
import { MediaPage } from '#web/features/preview/media-page.tsx'
import { OtherPage } from '#web/features/preview/other-page.tsx'
import { PicturePage } from '#web/features/preview/picture-page.tsx'
import { overlays } from '#web/overlays/ask.ts'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { Name } from '#web/ui/name.tsx'
import { tell } from '#web/ui/toasts.ts'
import styles from './file-frame.module.css'
import { neighbour } from './neighbours.ts'
import { go, parentOf, paths } from './paths.ts'
import { session } from './session.ts'

interface FileFrameProps {
  file: FileView
}

/** An open file, over everything: its name, what can be done with it, and the way back to its folder. */
export function FileFrame({ file }: FileFrameProps) {
  const { t, i18n } = useLingui()
  const frame = useRef<HTMLElement>(null)
  const close = () => go(paths.files(parentOf(file.path)))
  const mayDownload = session.user?.perm.download ?? false
  const save = () =>
    download(file.path).catch((error: unknown) => tell('error', i18n._(problemText(codeOf(error)))))
  const turn = (by: 1 | -1) => {
    const next = neighbour(file, by)
    if (next) go(next.url, { replace: true })
  }
  const context = contextOf(file)
  useEffect(() => {
    frame.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => onFileKey(event, file)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [file])
  return (
    <main
      ref={frame}
      tabIndex={-1}
      className={styles.frame}
      aria-label={file.name}
      data-kind={file.type}
      data-part="file"
    >
      <header>
        <Button look="quiet" icon={X} iconOnly label={t`Close`} onClick={close} />
        <FileIcon name={file.name} isDir={false} type={file.type} />
        <h1 title={file.name}>
          <Name name={file.name} />
        </h1>
        {([-1, 1] as const).map(
          (by) =>
            (neighbour(file, 1) || neighbour(file, -1)) && (
              <Button
                key={by}
                look="quiet"
                icon={by < 0 ? ChevronLeft : ChevronRight}
                iconOnly
                label={by < 0 ? t`Previous` : t`Next`}
                disabled={!neighbour(file, by)}
                onClick={() => turn(by)}
              />
            ),
        )}
        {offered(['rename', 'delete', 'info', 'download'], context).map((action) => (
          <Button
            key={action.id}
            look="quiet"
            icon={action.icon}
            iconOnly
            label={i18n._(action.label)}
            onClick={() => run(action, context)}
          />
        ))}
      </header>
      {view(file, turn, mayDownload ? save : undefined)}
    </main>
  )
}

/** The keys of an open file: the way back, to its neighbours, and its actions. */
function onFileKey(event: KeyboardEvent, file: FileView): void {
  if (event.defaultPrevented || overlays.open.length > 0) return
  const by = turnOf(event)
  const next = by && neighbour(file, by)
  if (next) go(next.url, { replace: true })
  else if (event.key === 'Escape') go(paths.files(parentOf(file.path)))
  else if (runKey(event, contextOf(file))) event.preventDefault()
}

/** Where actions may act while `file` is shown. */
function contextOf(file: FileView): ActionContext {
  return { ...contextNow(), folder: undefined, chosen: [{ ...file, index: 0 }] }
}

/** Right and Enter go on, Left goes back; a player and a button have these keys for themselves. */
function turnOf({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): 1 | -1 | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  if (target instanceof Element && target.closest('audio, video, button, a')) return undefined
  if (key === 'ArrowLeft') return -1
  return key === 'ArrowRight' || key === 'Enter' ? 1 : undefined
}

function view(file: FileView, turn: (by: 1 | -1) => void, onDownload: (() => void) | undefined): ReactNode {
  if (file.kind === 'editor') return <TextPage file={file} />
  if (file.type === 'image') return <PicturePage key={file.path} file={file} onTurn={turn} />
  if (file.type === 'audio' || file.type === 'video') return <MediaPage key={file.path} file={file} />
  return <OtherPage file={file} onDownload={onDownload} />
}
