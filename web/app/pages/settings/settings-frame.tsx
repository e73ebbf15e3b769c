import { useLingui } from '@lingui/react/macro'
import { ChevronLeft } from 'lucide-react'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useSnapshot } from 'valtio'
import { useLocationProperty } from 'wouter/use-browser-location'
import type { FailureCode } from '#web/api/client.ts'
import { problemText } from '#web/api/problems/problem-text.ts'
import { PageTitle } from '#web/app/frame/page-title.tsx'
import shell from '#web/app/frame/shell.module.css'
import { Sidebar } from '#web/app/frame/sidebar.tsx'
import { GlobalPage } from '#web/features/settings/global-page.tsx'
import { ProfilePage } from '#web/features/settings/profile-page.tsx'
import { SharesPage } from '#web/features/shares/page/links-page.tsx'
import { RulesEditor } from '#web/features/users/rules-editor.tsx'
import { UserFields } from '#web/features/users/user-fields.tsx'
import { UserPage } from '#web/features/users/user-page.tsx'
import { UsersPage } from '#web/features/users/users-page.tsx'
import { dismissAll } from '#web/overlays/ask.ts'
import { page } from '#web/shared/page.ts'
import { contextWithoutFiles, usePageShortcuts } from '#web/shared/page-keys.ts'
import { PageLink } from '#web/shared/page-link.tsx'
import { navigateTo, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { type SettingsPage, settingsPages } from '#web/shared/settings/pages.ts'
import { lazy } from '#web/ui/lazy.tsx'
import { ErrorPage } from '../error-page.tsx'
import { revealSetting } from './reveal.ts'
import styles from './settings-frame.module.css'
import { SettingsList } from './settings-list.tsx'
import { SettingsSearch } from './settings-search.tsx'

const HeldPage = lazy(async () => (await import('#web/app/chunks/later-held.ts')).HeldPage)
const DoctorPage = lazy(async () => (await import('#web/app/chunks/later-doctor.ts')).DoctorPage)
const AuditLogPage = lazy(async () => (await import('#web/app/chunks/later-admin.ts')).AuditLogPage)
const KeepingCard = lazy(async () => (await import('#web/app/chunks/later-admin.ts')).KeepingCard)
const AuditCard = lazy(async () => (await import('#web/app/chunks/later-admin.ts')).AuditCard)
const NoticeCards = lazy(async () => (await import('#web/app/chunks/later-notice-settings.ts')).NoticeCards)
const MailServerCard = lazy(
  async () => (await import('#web/app/chunks/later-notice-settings.ts')).MailServerCard,
)
const SharingCard = lazy(async () => (await import('#web/app/chunks/later-admin.ts')).SharingCard)
const WebsiteCard = lazy(async () => (await import('#web/app/chunks/later-admin.ts')).WebsiteCard)

interface SettingsFrameProps {
  /** Without the base path. */
  path: string
  /** The error at this address, shown instead of a page. */
  failure?: FailureCode
}

/** Phones. The pages of the settings are then behind a list. */
const phone = '(width < 37.5rem)'

/** The settings in the common layout: a search field, and a rail, tabs or a list of the available pages. */
export function SettingsFrame({ path, failure }: SettingsFrameProps) {
  const { t, i18n } = useLingui()
  const { user } = useSnapshot(session)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes every question.
  useEffect(dismissAll, [path])
  usePageShortcuts()
  // A result of the search is in the fragment of the address.
  const fragment = useLocationProperty(() => location.hash)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other fields.
  useEffect(() => revealSetting(fragment.slice(1)), [path, fragment])
  const isPhone = useMedia(phone)
  const isList = path === paths.settings
  useEffect(() => {
    // Wide screens show the list of pages beside every page.
    if (isList && !isPhone) navigateTo(paths.profile, { replace: true })
  }, [isList, isPhone])
  if (!user) return null
  const pages = settingsPages(user.perm)
  const found = pages.find(({ to }) => path.startsWith(to))
  const title = failure ? i18n._(problemText(failure)) : found ? i18n._(found.label) : t`Settings`
  return (
    <div className={`${shell.shell} ${styles.frame}`}>
      <PageTitle title={`${title} – ${page.Name}`} />
      <Sidebar context={contextWithoutFiles()} username={user.username} />
      <main className={shell.main}>
        {failure ? <ErrorPage code={failure} /> : isPhone ? phonePage() : widePage()}
      </main>
    </div>
  )

  function widePage() {
    return (
      <div className={styles.page}>
        <h1 className="visually-hidden">{title}</h1>
        <div className={styles.side}>
          <SettingsSearch path={path} />
          {pages.length > 1 && <Tabs path={path} pages={pages} />}
        </div>
        <div className={styles.scroller}>{!isList && <Content path={path} />}</div>
      </div>
    )
  }

  function phonePage() {
    return (
      <div className={styles.page} key={path}>
        {!isList && (
          <PageLink to={paths.settings} className={styles.back}>
            <ChevronLeft size={20} aria-hidden />
            {t`Settings`}
          </PageLink>
        )}
        <div className={styles.scroller}>
          <h1 className={styles.title}>{title}</h1>
          {isList ? (
            <div className={styles.content}>
              <SettingsSearch path={path}>
                <SettingsList pages={pages} />
              </SettingsSearch>
            </div>
          ) : (
            <Content path={path} />
          )}
        </div>
      </div>
    )
  }
}

/** Whether a media query matches now. */
function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query)
      list.addEventListener('change', changed)
      return () => list.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
  )
}

interface TabsProps {
  path: string
  pages: readonly SettingsPage[]
}

/** The pages beside or above the content. */
function Tabs({ path, pages }: TabsProps) {
  const { t, i18n } = useLingui()
  const bar = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to the active tab if they do not fit.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return (
    <nav ref={bar} className={styles.tabs} aria-label={t`Settings`}>
      {pages.map(({ to, label }) => (
        <PageLink key={to} to={to} aria-current={path.startsWith(to) ? 'page' : undefined}>
          {i18n._(label)}
        </PageLink>
      ))}
    </nav>
  )
}

/** The page at an address. */
function Content({ path }: Pick<SettingsFrameProps, 'path'>) {
  return <div className={styles.content}>{content(path)}</div>
}

function content(path: string) {
  if (path === paths.profile)
    return (
      <ProfilePage>
        <NoticeCards />
      </ProfilePage>
    )
  if (path === paths.links) return <SharesPage />
  if (path === paths.held) return <HeldPage />
  if (path === paths.global)
    return (
      <>
        <GlobalPage {...{ UserFields, WebsiteCard, RulesEditor, KeepingCard, SharingCard, AuditCard }} />
        <MailServerCard />
      </>
    )
  if (path === paths.users) return <UsersPage />
  if (path === paths.doctor) return <DoctorPage />
  if (path === paths.audit) return <AuditLogPage />
  if (path === paths.newUser) return <UserPage key="new" />
  const id = Number(path.slice(paths.users.length + 1))
  return <UserPage key={id} id={id} />
}
