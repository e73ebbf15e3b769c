import { useLingui } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { archiveFormats } from '#web/api/archive-formats.ts'
import { downloadAddress } from '#web/api/link-address.ts'
import type { Link } from '#web/api/origin.ts'
import { Count } from '#web/features/files/count.tsx'
import { Select } from '#web/ui/form.tsx'
import { DownloadBox } from './download-box.tsx'
import styles from './public-page.module.css'

interface SharedFolderProps {
  folder: { path: string; name: string; items: readonly Item[] }
  link: Link
  /** The list of what is in it. */
  children: ReactNode
}

/** A shared folder: a way to have all of it as an archive, beside the list of what is in it. */
export function SharedFolder({ folder, link, children }: SharedFolderProps) {
  const { t } = useLingui()
  const [format, setFormat] = useState('zip')
  const { path, name, items } = folder
  return (
    <div className={styles.folder}>
      <DownloadBox
        name={name}
        isDir
        type=""
        size={<Count items={items} />}
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
