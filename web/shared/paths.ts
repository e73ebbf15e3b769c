import { navigate } from 'wouter/use-browser-location'
import { origin } from '#web/api/origin.ts'
import { whenSettled } from './navigation-guard.ts'
import { page } from './page.ts'

/** Percent-encodes every segment of a decoded path: `/a b#.txt` becomes `/a%20b%23.txt`. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** The decoded path in an encoded one; undefined when its encoding is broken. */
export function decodePath(path: string): string | undefined {
  try {
    return path.split('/').map(decodeURIComponent).join('/')
  } catch {
    // A typed address like /files/100% : no file can be meant by it.
    return undefined
  }
}

/** The page's addresses, without the base path. */
export const paths = {
  login: (redirect?: string) => (redirect ? `/login?redirect=${encodeURIComponent(redirect)}` : '/login'),
  /** The sign-in page, ready to make an account. */
  signUp: (redirect: string) => `/login?redirect=${encodeURIComponent(redirect)}&sign-up`,
  /** `path` is decoded and starts with a slash; folders end with one. */
  files: (path: string) => `/files${encodePath(path)}`,
  profile: '/settings/profile',
  links: '/settings/shares',
  global: '/settings/global',
  users: '/settings/users',
  newUser: '/settings/users/new',
  user: (id: number) => `/settings/users/${id}`,
  /** What the link `hash` leads to; `path` is decoded, inside the share, empty for the share itself. */
  share: (hash: string, path = '') => `/share/${encodeURIComponent(hash)}${encodePath(path)}`,
}

/** The address of the page that shows `path` of what is shown now: one's own files, or a link. `path` as in `paths.files`. */
export function pageOf(path: string): string {
  return origin.link ? paths.share(origin.link.hash, path) : paths.files(path)
}

/** The address as an `href`: the base path in front. */
export function href(path: string): string {
  return page.BaseURL + path
}

/** Goes to a page of the product, as soon as nothing is lost by it. */
export function go(path: string, options?: { replace?: boolean }): void {
  void whenSettled(() => navigate(href(path), options))
}

/** Where the person is, without the base path, still encoded, with the query and the fragment. */
export function here(): string {
  const { pathname, search, hash } = location
  return withoutBase(pathname) + search + hash
}

/** `pathname` without the base path. */
export function withoutBase(pathname: string): string {
  const base = page.BaseURL
  return base && `${pathname}/`.startsWith(`${base}/`) ? pathname.slice(base.length) || '/' : pathname
}

/** Where a person goes after signing in: an address of this product only, so that no link can send them elsewhere. */
export function targetOf(search: string): string {
  const target = new URLSearchParams(search).get('redirect') ?? ''
  return /^\/(?![/\\])/.test(target) && !/^\/login(?![^/?#])/.test(target) ? target : '/files/'
}

/** The resource that an address under `/files` means; undefined when it is another page or broken. */
export function resourceIn(pathname: string): string | undefined {
  const path = withoutBase(pathname)
  if (path === '/files') return '/'
  return path.startsWith('/files/') ? decodePath(path.slice('/files'.length)) : undefined
}

/** The link and the decoded path inside it that an address under `/share` means; undefined when it is broken. */
export function shareIn(pathname: string): { hash: string; path: string } | undefined {
  const [, hash = '', rest = ''] = /^\/share\/([^/]+)(.*)$/.exec(withoutBase(pathname)) ?? []
  const path = decodePath(rest)
  return hash && path !== undefined ? { hash, path: path || '/' } : undefined
}

/** The folder that holds `path`; the root's is the root. Always ends with a slash. */
export function parentOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  return trimmed.slice(0, trimmed.lastIndexOf('/') + 1) || '/'
}

/** The last segment of a path; empty for the root. */
export function nameOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}
