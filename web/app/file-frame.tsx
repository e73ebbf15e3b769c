import { useLingui } from '@lingui/react/macro'
import { Download, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { FileView } from '#contract/resources.ts'
import { codeOf, problemText } from '#web/api/problem-text.ts'
import { TextPage } from '#web/features/editor/text-page.tsx'
import { download } from '#web/features/files/download.ts'
import { OtherPage } from '#web/features/preview/other-page.tsx'
import { PicturePage } from '#web/features/preview/picture-page.tsx'
import { Button } from '#web/ui/button.tsx'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { Name } from '#web/ui/name.tsx'
import { tell } from '#web/ui/toasts.ts'
import styles from './file-frame.module.css'
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
  useEffect(() => {
    frame.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      go(paths.files(parentOf(file.path)))
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [file.path])
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
        {mayDownload && <Button icon={Download} label={t`Download`} onClick={save} />}
      </header>
      {view(file, mayDownload ? save : undefined)}
    </main>
  )
}

function view(file: FileView, onDownload: (() => void) | undefined): ReactNode {
  if (file.kind === 'editor') return <TextPage file={file} />
  if (file.type === 'image') return <PicturePage file={file} />
  return <OtherPage file={file} onDownload={onDownload} />
}
