import { Plural, useLingui } from '@lingui/react/macro'
import { type ReactNode, useMemo, useState } from 'react'
import type { Item } from '#contract/resources.ts'
import { archiveFormats } from '#web/api/archive-formats.ts'
import { downloadAddress, type Link } from '#web/api/origin.ts'
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

interface CountProps {
  items: readonly Item[]
}

/** How many folders and files there are: the size of a folder. */
function Count({ items }: CountProps) {
  const folders = useMemo(() => items.filter((item) => item.isDir).length, [items])
  const files = items.length - folders
  return (
    <>
      {folders > 0 && <Plural value={folders} one="# folder" other="# folders" />}
      {folders > 0 && files > 0 && ', '}
      {files > 0 && <Plural value={files} one="# file" other="# files" />}
    </>
  )
}
