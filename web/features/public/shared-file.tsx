import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { FileView } from '#contract/resources.ts'
import { downloadAddress } from '#web/api/link-address.ts'
import type { Share } from '#web/api/origin.ts'
import { formatSize } from '#web/ui/format/format.ts'
import { DownloadBox } from './download-box.tsx'
import { Cover } from './offer-parts.tsx'
import styles from './public-page.module.css'

interface SharedFileProps {
  file: FileView
  link: Share
  /** The preview, if the browser can show one. */
  children: ReactNode
}

/** The page of a shared file: a download box and a preview. */
export function SharedFile({ file, link, children }: SharedFileProps) {
  const { i18n } = useLingui()
  const { name, type, size } = file
  return (
    <div className={styles.folder}>
      <Cover link={link} />
      <DownloadBox
        name={name}
        isDir={false}
        type={type}
        size={formatSize(size, i18n.locale)}
        address={downloadAddress(link, `/${name}`)}
        link={link}
        path=""
      />
      <div className={styles.files}>{children}</div>
    </div>
  )
}
