import { useLingui } from '@lingui/react/macro'
import { Clock, HardDrive, Link2, type LucideIcon, Star, Trash2 } from 'lucide-react'
import { Fragment, useEffect, useRef } from 'react'
import { usePathname } from 'wouter/use-browser-location'
import type { ActionContext } from '#web/actions/action.ts'
import { page } from '#web/shared/page.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths, withoutBase } from '#web/shared/paths.ts'
import { mayShare } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './side.module.css'

const SiteBlock = lazy(async () => (await import('#web/app/chunks/later-site.ts')).SiteBlock)
const FolderPlaces = lazy(async () => (await import('#web/app/chunks/later-views.ts')).FolderPlaces)
const StarredFolders = lazy(async () => (await import('#web/app/chunks/later-views.ts')).StarredFolders)

interface PlacesProps {
  context: ActionContext
  /** Called before the page changes. Closes the drawer on narrow screens. */
  onAct(): void
}

/**
 * The places of the user: the files, what is kept elsewhere, and the tree of folders. The tree comes last, because it may
 * be long, and the others must stay in sight.
 */
export function Places({ context, onAct }: PlacesProps) {
  const { t } = useLingui()
  const nav = useRef<HTMLElement>(null)
  const path = withoutBase(usePathname())
  const isTop = path === '/files/'
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is the current one after a change of page.
  useEffect(() => showCurrentPlace(nav.current), [path])
  const all: [to: string, label: string, icon: LucideIcon, isOffered: boolean][] = [
    [paths.recent, t`Recent`, Clock, true],
    [paths.starred, t`Starred`, Star, true],
    [paths.links, t`Shared links`, Link2, mayShare(context.may)],
    [paths.trash, t`Trash`, Trash2, true],
  ]
  return (
    <nav ref={nav} aria-label={t`Main`} className={styles.places}>
      <PageLink
        to={paths.files('/')}
        data-folder="/"
        className={styles.place}
        data-full={t`My files`}
        aria-current={isTop ? 'page' : undefined}
        data-within={(!isTop && path.startsWith('/files')) || undefined}
        onClick={onAct}
      >
        <HardDrive size={18} strokeWidth={1.8} aria-hidden />
        <span>{t`My files`}</span>
      </PageLink>
      {all.map(
        ([to, label, Icon, isOffered]) =>
          isOffered && (
            <Fragment key={to}>
              <PageLink
                to={to}
                className={styles.place}
                data-full={label}
                aria-current={path === to ? 'page' : undefined}
                onClick={onAct}
              >
                <Icon size={18} strokeWidth={1.8} aria-hidden />
                <span>{label}</span>
              </PageLink>
              {to === paths.starred && <StarredFolders onAct={onAct} />}
            </Fragment>
          ),
      )}
      {page.StaticGen && (context.may.admin || context.may.publish) && <SiteBlock onAct={onAct} />}
      <FolderPlaces onAct={onAct} />
    </nav>
  )
}

/** Scrolls the least distance that shows the current place, or the current folder in the tree. */
export function showCurrentPlace(places: HTMLElement | null): void {
  places?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
}
