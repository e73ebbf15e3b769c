import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ResourceType } from '#contract/resources.ts'
import { href, paths } from '#web/app/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { QrCode } from '#web/ui/qr-code.tsx'
import styles from './public-page.module.css'
import { isUnlockOver, look, visit } from './public-state.ts'

interface DownloadBoxProps {
  name: string
  isDir: boolean
  type: ResourceType
  /** In words. */
  size: ReactNode
  /** Where the bytes are. */
  address: string
  /** What is shown, inside the link: a decoded path; empty for all that is shared. */
  path: string
  /** Only what a visitor has chosen here, which nobody else can open. */
  isChoice?: boolean
  children?: ReactNode
}

/** What is shared, a way to have it, and the same way for a telephone's camera. */
export function DownloadBox({
  name,
  isDir,
  type,
  size,
  address,
  path,
  isChoice,
  children,
}: DownloadBoxProps) {
  const { t } = useLingui()
  // What unlocks a download ends within the hour: with a password, the code leads to the page that asks for it. A choice
  // is this visitor's alone, and may be longer than any code.
  const target = visit.token || isChoice ? href(paths.share(visit.hash, path)) : address
  return (
    <section className={styles.box} data-part="download">
      <FileIcon name={name} isDir={isDir} type={type} size={64} />
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <p>{size}</p>
      {children}
      <a
        className={styles.download}
        href={address}
        download
        onClick={(event) => {
          if (!isUnlockOver()) return
          // The server would answer with a page of its own: first the password is asked for anew.
          event.preventDefault()
          void look(visit.hash, path)
        }}
      >
        <Download size={18} strokeWidth={1.8} aria-hidden />
        {isDir ? t`Download folder` : t`Download file`}
      </a>
      <QrCode text={new URL(target, location.href).href} label={t`QR code of the download`} />
    </section>
  )
}
