import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { GlobalPage } from '#web/features/settings/global-page.tsx'
import { ProfilePage } from '#web/features/settings/profile-page.tsx'
import { SharesPage } from '#web/features/shares/links-page.tsx'
import { RulesEditor } from '#web/features/users/rules-editor.tsx'
import { UserFields } from '#web/features/users/user-fields.tsx'
import { UserPage } from '#web/features/users/user-page.tsx'
import { UsersPage } from '#web/features/users/users-page.tsx'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { ErrorPage } from './error-page.tsx'
import styles from './settings-frame.module.css'
import { settingsPages } from './settings-pages.ts'

const DoctorPage = lazy(async () => (await import('#web/app/chunks/later-doctor.ts')).DoctorPage)
const AuditLogPage = lazy(async () => (await import('#web/app/chunks/later-history.ts')).AuditLogPage)
const KeepingCard = lazy(async () => (await import('#web/app/chunks/later-history.ts')).KeepingCard)
const AuditCard = lazy(async () => (await import('#web/app/chunks/later-history.ts')).AuditCard)
const WebsiteCard = lazy(async () => (await import('#web/app/chunks/later-site.ts')).WebsiteCard)

interface SettingsFrameProps {
  /** Without the base path. */
  path: string
  /** The error at this address, shown instead of a page. */
  failure?: FailureCode
}

/** The settings in the common layout, with a tab for each available page. */
export function SettingsFrame({ path, failure }: SettingsFrameProps) {
  const { t, i18n } = useLingui()
  const { user } = useSnapshot(session)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes every question.
  useEffect(dismissAll, [path])
  usePageShortcuts()
  const tabs = user ? settingsPages(user.perm).map(({ to, label }) => [to, i18n._(label)] as const) : []
  const bar = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the active tab if they do not fit.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  const [, found = ''] = tabs.find(([to]) => path.startsWith(to)) ?? []
  if (!user) return null
  const title = failure ? i18n._(problemText(failure)) : found
  return (
    <div className={`${shell.shell} ${styles.frame}`}>
      <PageTitle title={`${title} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>{failure ? <ErrorPage code={failure} /> : pages()}</main>
    </div>
  )

  function pages() {
    return (
      <div className={styles.page}>
        <h1 className="visually-hidden">{title}</h1>
        {tabs.length > 1 && (
          <nav ref={bar} className={styles.tabs} aria-label={t`Settings`}>
            {tabs.map(([to, label]) => (
              <PageLink key={to} to={to} aria-current={path.startsWith(to) ? 'page' : undefined}>
                {label}
              </PageLink>
            ))}
          </nav>
        )}
        <div className={styles.scroller}>
          <div className={styles.content}>{content(path)}</div>
        </div>
      </div>
    )
  }
}

function content(path: string) {
  if (path === paths.profile) return <ProfilePage />
  if (path === paths.links) return <SharesPage />
  if (path === paths.global)
    return <GlobalPage {...{ UserFields, WebsiteCard, RulesEditor, KeepingCard, AuditCard }} />
  if (path === paths.users) return <UsersPage />
  if (path === paths.doctor) return <DoctorPage />
  if (path === paths.audit) return <AuditLogPage />
  if (path === paths.newUser) return <UserPage key="new" />
  const id = Number(path.slice(paths.users.length + 1))
  return <UserPage key={id} id={id} />
}
