import { useLingui } from '@lingui/react/macro'
import { CalendarClock, FilePen, Globe, type LucideIcon, MonitorPlay, Settings2 } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { ask } from '#web/overlays/ask.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { navigateTo, parentOf, paths, resourceIn } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { proposedFolder } from './file-name.ts'
import { openPreview, publishSite } from './publish.ts'
import styles from './site.module.css'
import { refreshSite, siteState, useSite } from './site-state.ts'

const dialogs = () => import('#web/app/chunks/later-dialogs.ts')
const NewPageDialog = lazy(async () => (await dialogs()).NewPageDialog)
const PublicationsDialog = lazy(async () => (await dialogs()).PublicationsDialog)

interface SiteBlockProps {
  /** Called before an action. Closes the drawer on narrow screens. */
  onAct(): void
}

/** The part of the sidebar about the website. Empty for users who do not publish it. */
export function SiteBlock({ onAct }: SiteBlockProps) {
  const { t } = useLingui()
  const site = useSite()
  const { user } = useSnapshot(session)
  const { failure, isPublishing } = useSnapshot(siteState)
  const needsSettings = failure === 'site.setting' && user?.perm.admin === true
  if (!site && !needsSettings) return null
  const buttons: [id: string, LucideIcon, label: string, act: () => Promise<unknown>][] = site
    ? [
        ['new', FilePen, t`New post or page`, newPage],
        ['preview', MonitorPlay, t`Preview`, openPreview],
        ['publish', Globe, isPublishing ? t`Publishing…` : t`Publish site`, () => publishSite(site.root)],
        ['history', CalendarClock, t`Scheduled and history`, () => ask(PublicationsDialog, {})],
      ]
    : []
  return (
    <div className={styles.block} data-part="site">
      <h2>{t`Website`}</h2>
      {buttons.map(([id, Icon, label, act]) => (
        <button
          key={id}
          type="button"
          onClick={() => {
            onAct()
            void act()
          }}
        >
          <Icon size={18} strokeWidth={1.8} aria-hidden />
          {label}
        </button>
      ))}
      {needsSettings && <p>{t`The website can't be found. Check its folders in the settings.`}</p>}
      {(needsSettings || site?.config) && (
        <PageLink to={site?.config ? paths.files(site.config) : paths.global} onClick={onAct}>
          <Settings2 size={18} strokeWidth={1.8} aria-hidden />
          {needsSettings ? t`Global settings` : t`Site settings`}
        </PageLink>
      )}
    </div>
  )
}

async function newPage(): Promise<void> {
  // The user may have added an archetype.
  await refreshSite()
  const { site } = siteState
  const shown = resourceIn(location.pathname) ?? ''
  const folder = site && proposedFolder(site, shown.endsWith('/') ? shown : parentOf(shown))
  const path = site && (await ask(NewPageDialog, { site, folder }))
  if (path) navigateTo(paths.files(path))
}
