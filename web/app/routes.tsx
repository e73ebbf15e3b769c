import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import type { FailureCode } from '#web/api/client.ts'
import { currentAddress, navigateTo, paths, resourceIn, withoutBase } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { ownEntry } from '#web/ui/format/entry-of.ts'
import { lazy, lazyOfFirstLoad } from '#web/ui/lazy.tsx'
import { PageWaiting } from '#web/ui/loading/page-waiting.tsx'
import { Shell } from './frame/shell.tsx'

const Waiting = () => <PageWaiting />

/** The sign-in page and similar ones, in a lazy chunk because most visits do not need it. */
export const LoginPage = lazyOfFirstLoad(async () => (await import('./chunks/sign-in.ts')).LoginPage, Waiting)

const SettingsFrame = lazy(async () => (await import('./chunks/later-settings.ts')).SettingsFrame, Waiting)

const LinkPage = lazy(async () => (await import('./chunks/later-public.ts')).LinkPage, Waiting)

const TrashFrame = lazy(async () => (await import('./chunks/later-trash.ts')).TrashFrame, Waiting)

const BookmarksFrame = lazy(async () => (await import('./chunks/later-trash.ts')).BookmarksFrame, Waiting)

const ManualFrame = lazy(async () => (await import('./chunks/later-manual.ts')).ManualFrame, Waiting)

const PublicFailure = lazy(async () => (await import('./chunks/later-public.ts')).PublicFailure, Waiting)

const entryPages = /^\/(login|setup)$/
const ownPages =
  /^\/(trash|recent|starred|manual(\/[\w-]+)?|settings(\/(profile|shares|held|global|doctor|audit|users(\/(new|\d+))?))?)\/?$/

const failures: Record<string, FailureCode> = {
  '/403': 'auth.forbidden',
  '/404': 'path.unknown',
  '/500': 'server.failed',
}

/**
 * Selects the page of an address. wouter watches the address, but its patterns are not used: they decode `%25` too
 * early, and a file name may contain any character.
 */
export function Routes() {
  const pathname = usePathname()
  const { user } = useSnapshot(session)
  const path = withoutBase(pathname)
  const resource = resourceIn(pathname)
  if (entryPages.test(path) || user?.mustChangePassword) return <LoginPage />
  if (ownPages.test(path)) return <OwnRoute path={path.replace(/\/$/, '')} />
  if (path.startsWith('/share/')) return <LinkPage />
  const failure = ownEntry(failures, path)
  if (failure) return <Failure path={path} code={failure} />
  if (path.startsWith('/files/') && resource === undefined) return <Failure path={path} code="path.unknown" />
  if (resource === undefined) return <Redirect to={`/files${path}`} />
  if (path === '/files') return <Redirect to="/files/" />
  return user ? <Shell path={resource} /> : <Redirect to={paths.login(currentAddress())} />
}

interface OwnRouteProps {
  /** Without the base path and without a closing slash. */
  path: string
}

/** The trash, starred and recent files, the manual, and the settings. All settings except the user's own profile and shares are for administrators. */
function OwnRoute({ path }: OwnRouteProps) {
  const { user } = useSnapshot(session)
  if (!user) return <Redirect to={paths.login(currentAddress())} />
  if (path === paths.trash) return <TrashFrame />
  if (path === paths.recent) return <BookmarksFrame kind="recent" />
  if (path === paths.starred) return <BookmarksFrame kind="starred" />
  if (path === paths.manual || path.startsWith(paths.chapter(''))) return <ManualFrame path={path} />
  const isOwn =
    [paths.settings, paths.profile, paths.held].includes(path) || (path === paths.links && user.perm.share)
  if (!isOwn && !user.perm.admin) return <Redirect to="/403" />
  return <SettingsFrame path={path} />
}

interface FailureProps extends OwnRouteProps {
  code: FailureCode
}

/** An error page, in the layout of the user or visitor. */
function Failure({ path, code }: FailureProps) {
  const { user } = useSnapshot(session)
  return user ? <SettingsFrame path={path} failure={code} /> : <PublicFailure code={code} />
}

interface RedirectProps {
  /** Without the base path. */
  to: string
}

function Redirect({ to }: RedirectProps) {
  useEffect(() => navigateTo(to, { replace: true }), [to])
  return null
}
