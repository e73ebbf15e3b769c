import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ResourceType } from '#contract/resources.ts'
import { sentenceOf } from '#web/app/attempt.ts'
import { href, paths } from '#web/app/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { QrCode } from '#web/ui/qr-code.tsx'
import { saveAs } from '#web/ui/save-as.ts'
import { tell } from '#web/ui/toasts.ts'
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
  /** Makes the address anew when it is asked for: the one in sight may be longer than can be sent. */
  prepare?: (() => Promise<string>) | undefined
  children?: ReactNode
}

function tellFailure(error: unknown): void {
  tell('error', sentenceOf(error))
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
  prepare,
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
          // The server would answer with a page of its own: first the password is asked for anew.
          const isOver = isUnlockOver()
          if (isOver || prepare) event.preventDefault()
          if (isOver) void look(visit.hash, path)
          else void prepare?.().then(saveAs, tellFailure)
        }}
      >
        <Download size={18} strokeWidth={1.8} aria-hidden />
        {isDir ? t`Download folder` : t`Download file`}
      </a>
      <QrCode text={new URL(target, location.href).href} label={t`QR code of the download`} />
    </section>
  )
}
