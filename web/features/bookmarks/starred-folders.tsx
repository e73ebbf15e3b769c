import { useLingui } from '@lingui/react/macro'
import { Folder } from 'lucide-react'
import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import { stars } from '#web/shared/marks/stars.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { nameOf, paths, resourceIn } from '#web/shared/paths.ts'
import { followStars } from './star-state.ts'
import styles from './starred-folders.module.css'

/** At most this many folders are shown, those that were starred last. The page Starred has all of them. */
const maxFolders = 8

interface StarredFoldersProps {
  /** Called before the page changes. Closes the drawer on narrow screens. */
  onAct(): void
}

/** The starred folders in the sidebar, by name. Items can be dropped on each of them. */
export function StarredFolders({ onAct }: StarredFoldersProps) {
  const { t, i18n } = useLingui()
  const { folders } = useSnapshot(stars)
  const path = resourceIn(usePathname())
  useEffect(followStars, [])
  if (folders.length === 0) return null
  const { compare } = new Intl.Collator(i18n.locale, { numeric: true })
  const shown = folders.slice(0, maxFolders).toSorted((a, b) => compare(nameOf(a), nameOf(b)))
  return (
    <ul className={styles.folders} aria-label={t`Starred folders`} data-part="starred-folders">
      {shown.map((folder) => (
        <li key={folder}>
          <PageLink
            to={paths.files(`${folder}/`)}
            data-folder={`${folder}/`}
            data-full={nameOf(folder)}
            aria-current={path === `${folder}/` ? 'page' : undefined}
            onClick={onAct}
          >
            <Folder size={16} strokeWidth={1.8} aria-hidden />
            <bdi>{nameOf(folder)}</bdi>
          </PageLink>
        </li>
      ))}
    </ul>
  )
}
