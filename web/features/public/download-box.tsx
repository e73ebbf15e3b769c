import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import { isLocked } from '#web/api/link-address.ts'
import { origin, type Share } from '#web/api/origin.ts'
import { page } from '#web/shared/page.ts'
import { href, paths } from '#web/shared/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { shownName } from '#web/ui/format/shown-name.ts'
import { QrCode } from '#web/ui/qr-code.tsx'
import { DownloadsLeft, Sender } from './offer-parts.tsx'
import styles from './public-page.module.css'

interface DownloadBoxProps {
  name: string
  isDir: boolean
  type: ResourceType
  /** Formatted for display. */
  size: ReactNode
  /** The download address. */
  address: string
  link: Share
  /** The shown item inside the share: a decoded path; empty for the whole share. */
  path: string
  /** Download options. */
  children?: ReactNode
}

/** Name, size, download button and QR code of a shared item, and what its sender says. */
export function DownloadBox(props: DownloadBoxProps) {
  const { name, isDir, type, size, address, link, path, children } = props
  const { t } = useLingui()
  const { title, message, rights, downloadsLeft } = link.offer ?? {}
  // A token expires within an hour. For a share with a password, the QR code opens the page that asks for the password.
  const target = link.token ? href(paths.share(link.hash, path)) : address
  return (
    <section className={styles.box} data-part="download">
      <FileIcon name={name} isDir={isDir} type={type} size={64} />
      <h1>
        <bdi>{title ?? shownName(name || page.Name)}</bdi>
      </h1>
      <p className={styles.facts}>
        <span>
          {title && name && (
            <>
              <bdi>{shownName(name)}</bdi>
              {' · '}
            </>
          )}
          {size}
        </span>
        <Sender link={link} />
        <DownloadsLeft link={link} />
      </p>
      {message && (
        <blockquote className={styles.note}>
          <bdi>{message}</bdi>
        </blockquote>
      )}
      {rights !== 'view' && downloadsLeft !== 0 && (
        <>
          {children}
          <DownloadLink address={address} link={link} isDir={isDir} />
          <QrCode text={new URL(target, location.href).href} label={t`QR code for the download`} />
        </>
      )}
    </section>
  )
}

function DownloadLink({ address, link, isDir }: Pick<DownloadBoxProps, 'address' | 'link' | 'isDir'>) {
  const { t } = useLingui()
  return (
    <a
      className={styles.download}
      href={address}
      download
      onClick={(event) => {
        if (!isLocked(link)) return
        // The server would respond with an error page. Asks for the password again first.
        event.preventDefault()
        origin.onLocked()
      }}
    >
      <Download size={18} strokeWidth={1.8} aria-hidden />
      {isDir ? t`Download folder` : t`Download file`}
    </a>
  )
}
