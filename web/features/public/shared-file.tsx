import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { FileView } from '#contract/resources.ts'
import { downloadAddress } from '#web/api/link-address.ts'
import type { Link } from '#web/api/origin.ts'
import { formatSize } from '#web/ui/format/format.ts'
import { DownloadBox } from './download-box.tsx'
import styles from './public-page.module.css'

interface SharedFileProps {
  file: FileView
  link: Link
  /** What is in it, where a browser can show that. */
  children: ReactNode
}

/** The page of a link to one file: a way to have it, and what it looks like. */
export function SharedFile({ file, link, children }: SharedFileProps) {
  const { i18n } = useLingui()
  const { name, type, size } = file
  return (
    <div className={styles.folder}>
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
