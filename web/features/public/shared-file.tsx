import { useLingui } from '@lingui/react/macro'
import { ArrowLeft } from 'lucide-react'
import type { FileView } from '#contract/resources.ts'
import { PageLink } from '#web/app/page-link.tsx'
import { parentOf, paths } from '#web/app/paths.ts'
import { formatSize } from '#web/ui/format.ts'
import { DownloadBox } from './download-box.tsx'
import styles from './public-page.module.css'
import { downloadAddress } from './public-state.ts'
import { canShowPdf, SharedPdf } from './shared-pdf.tsx'

interface SharedFileProps {
  file: FileView
  hash: string
  /** In a shared folder, to which there is a way back. */
  isInside: boolean
}

/** A shared file: to have, and what browsers can show or play, to see and to hear. */
export function SharedFile({ file, hash, isInside }: SharedFileProps) {
  const { t, i18n } = useLingui()
  const Player = file.type === 'audio' || file.type === 'video' ? file.type : undefined
  const path = isInside ? file.path : `/${file.name}`
  return (
    <>
      {isInside && (
        <PageLink className={styles.back} to={paths.share(hash, parentOf(file.path))}>
          <ArrowLeft size={18} aria-hidden />
          {t`Back to the folder`}
        </PageLink>
      )}
      <DownloadBox
        name={file.name}
        isDir={false}
        type={file.type}
        size={formatSize(file.size, i18n.locale)}
        address={downloadAddress(path)}
        path={isInside ? file.path : ''}
      />
      {file.type === 'image' && (
        <img className={styles.picture} src={downloadAddress(path, { inline: true })} alt={file.name} />
      )}
      {canShowPdf(file) && <SharedPdf name={file.name} address={downloadAddress(path, { inline: true })} />}
      {Player && (
        <Player
          className={styles.player}
          src={downloadAddress(path, { inline: true })}
          controls
          preload="metadata"
          aria-label={file.name}
        />
      )}
      {file.content && (
        <pre
          className={styles.text}
          role="document"
          aria-label={file.name}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          dir="auto"
        >
          {file.content}
        </pre>
      )}
    </>
  )
}
