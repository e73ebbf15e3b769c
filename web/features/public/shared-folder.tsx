import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { archiveFormats } from '#web/api/archive-formats.ts'
import { downloadAddress } from '#web/api/link-address.ts'
import type { Share } from '#web/api/origin.ts'
import { ItemCount } from '#web/features/files/count.tsx'
import { Select } from '#web/ui/form.tsx'
import { DownloadBox } from './download-box.tsx'
import { Cover } from './offer-parts.tsx'
import styles from './public-page.module.css'

interface SharedFolderProps {
  folder: { path: string; name: string; items: readonly Item[] }
  link: Share
  /** The list of the folder's items. */
  children: ReactNode
}

/** The page of a shared folder: a download box for the whole folder as an archive, and the list. */
export function SharedFolder({ folder, link, children }: SharedFolderProps) {
  const { t } = useLingui()
  const [format, setFormat] = useState('zip')
  const { path, name, items } = folder
  return (
    <div className={styles.folder}>
      <Cover link={link} />
      <DownloadBox
        name={name}
        isDir
        type=""
        size={<ItemCount items={items} />}
        address={downloadAddress(link, path, { algo: format })}
        link={link}
        path={path === '/' ? '' : path}
      >
        <Select label={t`Format`} dir="ltr" value={format} onChange={setFormat} choices={archiveFormats} />
      </DownloadBox>
      <div className={styles.files}>{children}</div>
    </div>
  )
}
