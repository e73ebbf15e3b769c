import { Plural, useLingui } from '@lingui/react/macro'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import type { Listing } from '#contract/resources.ts'
import { PageLink } from '#web/app/page-link.tsx'
import { parentOf, paths } from '#web/app/paths.ts'
import { FileIcon } from '#web/ui/file-icon.tsx'
import { Check, Select } from '#web/ui/form.tsx'
import { formatSize } from '#web/ui/format.ts'
import { Name } from '#web/ui/name.tsx'
import { DownloadBox } from './download-box.tsx'
import styles from './public-page.module.css'
import { choiceAddress, downloadAddress } from './public-state.ts'

/** The kinds of archives and the endings of their names (specification, section 3). */
const kinds = [
  ['zip', '.zip'],
  ['tar', '.tar'],
  ['targz', '.tar.gz'],
  ['tarbz2', '.tar.bz2'],
  ['tarxz', '.tar.xz'],
  ['tarlz4', '.tar.lz4'],
  ['tarsz', '.tar.sz'],
] as const

interface SharedFolderProps {
  folder: Listing
  hash: string
}

/** A shared folder: to have whole or in part as an archive, and to look into. */
export function SharedFolder({ folder, hash }: SharedFolderProps) {
  const { t, i18n } = useLingui()
  const [kind, setKind] = useState('zip')
  const [names, setNames] = useState<readonly string[]>([])
  const path = folder.path.endsWith('/') ? folder.path : `${folder.path}/`
  const [only] = folder.items.filter(({ name }) => names.includes(name))
  const all = folder.items.map(({ name }) => name)
  const isOneFile = names.length === 1 && only?.isDir === false
  const isAll = names.length === all.length
  const isSome = !isOneFile && !isAll && names.length > 0
  const wanted = { algo: kind, names: isSome ? names : [] }
  const address = isOneFile ? downloadAddress(path + only.name) : downloadAddress(path, wanted)
  return (
    <>
      {path !== '/' && (
        <PageLink className={styles.back} to={paths.share(hash, parentOf(path))}>
          <ArrowLeft size={18} aria-hidden />
          {t`Back to the folder`}
        </PageLink>
      )}
      <DownloadBox
        name={folder.name}
        isDir
        type=""
        size={<Count folder={folder} />}
        address={address}
        path={path === '/' ? '' : path}
        isChoice={names.length > 0}
        prepare={isSome ? () => choiceAddress(path, wanted) : undefined}
      >
        <Select label={t`Kind of archive`} dir="ltr" value={kind} onChange={setKind} choices={kinds} />
        {names.length > 0 && <p role="status">{t`Only what is selected`}</p>}
      </DownloadBox>
      {all.length > 1 && (
        <div className={styles.all}>
          <Check
            label={t`Select all`}
            checked={isAll}
            onChange={(isOn) => setNames(isOn ? all : [])}
            // Some of them are neither all nor none.
            ref={(box) => {
              if (box) box.indeterminate = names.length > 0 && names.length < all.length
            }}
          />
        </div>
      )}
      <ul className={styles.list} aria-label={t`Files`}>
        {folder.items.map(({ name, isDir, type, size }) => (
          <li key={name}>
            <Check
              label={t`Select ${name}`}
              checked={names.includes(name)}
              onChange={(isOn) => setNames(isOn ? [...names, name] : names.filter((one) => one !== name))}
            />
            <PageLink to={paths.share(hash, path + name + (isDir ? '/' : ''))} title={name}>
              <FileIcon name={name} isDir={isDir} type={type} />
              <Name name={name} />
            </PageLink>
            <span>{isDir ? '—' : formatSize(size, i18n.locale)}</span>
          </li>
        ))}
      </ul>
      {folder.items.length === 0 && <p className={styles.empty}>{t`This folder is empty.`}</p>}
    </>
  )
}

interface CountProps {
  folder: Listing
}

/** How much is in it: what a folder has for a size. */
function Count({ folder: { numDirs, numFiles } }: CountProps) {
  return (
    <>
      {numDirs > 0 && <Plural value={numDirs} one="# folder" other="# folders" />}
      {numDirs > 0 && numFiles > 0 && ', '}
      {numFiles > 0 && <Plural value={numFiles} one="# file" other="# files" />}
    </>
  )
}
