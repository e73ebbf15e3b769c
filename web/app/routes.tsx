import { useEffect } from 'react'
import { useSnapshot } from 'valtio'
import { usePathname } from 'wouter/use-browser-location'
import type { FailureCode } from '#web/api/client.ts'
import { later } from '#web/ui/later.tsx'
import { go, here, paths, resourceIn, withoutBase } from './paths.ts'
import { session } from './session.ts'
import { Shell } from './shell.tsx'

/** The sign-in page: most visits never need its code. */
export const LoginPage = later(async () => (await import('./later-views.ts')).LoginPage)

const ErrorPage = later(async () => (await import('./later-views.ts')).ErrorPage)

const failures: Record<string, FailureCode> = {
  '/403': 'auth.forbidden',
  '/404': 'path.unknown',
  '/500': 'server.failed',
}

/**
 * Which page an address shows (specification, section 2). wouter watches the address, but not its patterns decide:
 * they decode `%25` too early, and a file's name may hold anything.
 */
export function Routes() {
  const pathname = usePathname()
  const { user } = useSnapshot(session)
  const path = withoutBase(pathname)
  const resource = resourceIn(pathname)
  if (path === '/login') return user ? <Redirect to={paths.files('/')} /> : <LoginPage />
  if (path in failures) return <ErrorPage code={failures[path] ?? 'server.failed'} />
  if (path.startsWith('/files/') && resource === undefined) return <ErrorPage code="path.unknown" />
  if (resource === undefined) return <Redirect to={`/files${path}`} />
  if (path === '/files') return <Redirect to="/files/" />
  return user ? <Shell path={resource} /> : <Redirect to={paths.login(here())} />
}

interface RedirectProps {
  /** Without the base path. */
  to: string
}

function Redirect({ to }: RedirectProps) {
  useEffect(() => go(to, { replace: true }), [to])
  return null
}
