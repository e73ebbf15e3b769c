import { useLingui } from '@lingui/react/macro'
import { Clock, HardDrive, Link2, type LucideIcon, Star, Trash2 } from 'lucide-react'
import { usePathname } from 'wouter/use-browser-location'
import type { ActionContext } from '#web/actions/action.ts'
import { page } from '#web/shared/page.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths, withoutBase } from '#web/shared/paths.ts'
import { lazy } from '#web/ui/lazy.tsx'
import styles from './side.module.css'

const SiteBlock = lazy(async () => (await import('#web/app/chunks/later-site.ts')).SiteBlock)
const FolderPlaces = lazy(async () => (await import('#web/app/chunks/later-views.ts')).FolderPlaces)

interface PlacesProps {
  context: ActionContext
  /** Called before the page changes. Closes the drawer on narrow screens. */
  onAct(): void
}

/** The places of the user: the files with their folders, and what is kept elsewhere. */
export function Places({ context, onAct }: PlacesProps) {
  const { t } = useLingui()
  const path = withoutBase(usePathname())
  const isTop = path === '/files/'
  const all: [to: string, label: string, icon: LucideIcon, isOffered: boolean][] = [
    [paths.recent, t`Recent`, Clock, true],
    [paths.starred, t`Starred`, Star, true],
    [paths.links, t`Shared links`, Link2, context.may.share || context.may.admin],
    [paths.trash, t`Trash`, Trash2, true],
  ]
  return (
    <nav aria-label={t`Main`} className={styles.places}>
      <div className={styles.files}>
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
        <FolderPlaces onAct={onAct} />
      </div>
      {all.map(
        ([to, label, Icon, isOffered]) =>
          isOffered && (
            <PageLink
              key={to}
              to={to}
              className={styles.place}
              data-full={label}
              aria-current={path === to ? 'page' : undefined}
              onClick={onAct}
            >
              <Icon size={18} strokeWidth={1.8} aria-hidden />
              <span>{label}</span>
            </PageLink>
          ),
      )}
      {page.StaticGen && (context.may.admin || context.may.publish) && <SiteBlock onAct={onAct} />}
    </nav>
  )
}
