import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { navigate } from 'wouter/use-browser-location'
import { origin } from '#web/api/origin.ts'
import { backEntry } from '#web/ui/layers/back-entry.ts'
import { afterUnsavedCheck } from './navigation-guard.ts'
import { page } from './page.ts'

/** Percent-encodes every segment of a decoded path: `/a b#.txt` becomes `/a%20b%23.txt`. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** Decodes a path; undefined if its encoding is broken. */
export function decodePath(path: string): string | undefined {
  try {
    return path.split('/').map(decodeURIComponent).join('/')
  } catch {
    // A typed address such as /files/100% denotes no file.
    return undefined
  }
}

/** The addresses of the pages, without the base path. */
export const paths = {
  login: (redirect?: string) => (redirect ? `/login?redirect=${encodeURIComponent(redirect)}` : '/login'),
  /** The sign-in page with the sign-up form. */
  signUp: (redirect: string) => `/login?redirect=${encodeURIComponent(redirect)}&sign-up`,
  /** `path` is decoded and starts with a slash; folders end with one. */
  files: (path: string) => `/files${encodePath(path)}`,
  trash: '/trash',
  recent: '/recent',
  starred: '/starred',
  settings: '/settings',
  profile: '/settings/profile',
  links: '/settings/shares',
  global: '/settings/global',
  users: '/settings/users',
  doctor: '/settings/doctor',
  audit: '/settings/audit',
  held: '/settings/held',
  manual: '/manual',
  /** A chapter of the manual. */
  chapter: (id: string) => `/manual/${id}`,
  newUser: '/settings/users/new',
  user: (id: number) => `/settings/users/${id}`,
  /** The page of the share `hash`. `path` is decoded and relative to the share; empty for the share itself. */
  share: (hash: string, path = '') => `/share/${encodeURIComponent(hash)}${encodePath(path)}`,
}

/** The page of `path` in the current origin: the user's own files or a share. `path` as in `paths.files`. */
export function pageOf(path: string): string {
  return origin.link ? paths.share(origin.link.hash, path) : paths.files(path)
}

/** Adds the base path to an address. */
export function href(path: string): string {
  return page.BaseURL + path
}

/** Navigates to a page of the app, after asking about unsaved changes. */
export function navigateTo(path: string, options?: { replace?: boolean }): void {
  void afterUnsavedCheck(() => {
    navigate(href(path), { replace: options?.replace || backEntry.isCurrent })
  })
}

/** The current address without the base path, still encoded, with query and fragment. */
export function currentAddress(): string {
  const { pathname, search, hash } = location
  return withoutBase(pathname) + search + hash
}

/** `pathname` without the base path. */
export function withoutBase(pathname: string): string {
  const base = page.BaseURL
  return base && `${pathname}/`.startsWith(`${base}/`) ? pathname.slice(base.length) || '/' : pathname
}

/** The page to show after sign-in. Only addresses of this app are accepted, to prevent open redirects. */
export function targetOf(search: string): string {
  const target = new URLSearchParams(search).get('redirect') ?? ''
  return /^\/(?![/\\])/.test(target) && !/^\/login(?![^/?#])/.test(target) ? target : '/files/'
}

/** The decoded path of the resource in an address under `/files`; undefined for other pages or a broken encoding. */
export function resourceIn(pathname: string): string | undefined {
  const path = withoutBase(pathname)
  if (path === '/files') return '/'
  return path.startsWith('/files/') ? decodePath(path.slice('/files'.length)) : undefined
}

/** The id and decoded path of the share in an address under `/share`; undefined if it is broken. */
export function shareIn(pathname: string): { hash: string; path: string } | undefined {
  const [, hash = '', rest = ''] = /^\/share\/([^/]+)(.*)$/.exec(withoutBase(pathname)) ?? []
  const path = decodePath(rest)
  return hash && path !== undefined ? { hash, path: path || '/' } : undefined
}

/** The parent folder of `path`; the root is its own parent. Always ends with a slash. */
export function parentOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  return trimmed.slice(0, trimmed.lastIndexOf('/') + 1) || '/'
}

/** The folder that contains the entry at `path`, as lists and panels write it: the root is My files. */
export function folderText(path: string): string {
  const folder = parentOf(path)
  return folder === '/' ? i18n._(msg`My files`) : folder
}

/** The last segment of a path; empty for the root. */
export function nameOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '')
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}
