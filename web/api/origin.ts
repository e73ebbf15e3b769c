import { i18n } from '@lingui/core'
import type { FileView, Listing } from '#contract/resources.ts'
import type { Sorting } from '#contract/users.ts'
import { api } from './client.ts'

/** A shared link that the page shows. */
export interface Link {
  readonly hash: string
  /** The name of the shared folder, once it was read. */
  name: string
  /** Opens a link that has a password, for an hour (contract/README.md#shares); empty: it has none, or is not open. */
  token: string
  /** When the token was given, in milliseconds since 1970. */
  openedAt: number
  /** The order of the items in all its folders. */
  sorting: Sorting
}

/**
 * Where the page reads files from: a shared link, or, while there is none, the folder of the person who is signed in. The
 * calls that read take it from here, so that the same list and the same previews show both.
 */
export const origin = {
  link: undefined as Link | undefined,
  /** Called when the password of the link is needed again. */
  onLocked: (): void => {},
}

interface Reading {
  signal: AbortSignal
  /** Called with the state of a file, for `If-Match`. */
  onEtag?(etag: string): void
  /** The password of a link, as it was typed. */
  password?: string | undefined
}

/**
 * Reads the folder or file at `path`.
 *
 * @throws ApiProblem when it cannot be had; `share.password` when a link asks for its password.
 */
export async function readResource(path: string, options: Reading): Promise<Listing | FileView> {
  const { link } = origin
  if (!link) return api('GET /api/resources/*', { params: { '*': path }, query: {} }, options)
  const { password, signal } = options
  const { by, asc } = link.sorting
  const view = await api(
    'GET /api/public/share/*',
    { params: pathIn(link, path), query: { ...tokenOf(link), by, asc: asc ? 'true' : 'false' } },
    {
      signal,
      headers: {
        // A link has no user whose language counts: the order of names and the first subtitle follow the page's.
        'Accept-Language': i18n.locale,
        // Percent-encoded, because headers carry no other alphabet.
        ...(password && { 'X-Share-Password': encodeURIComponent(password) }),
      },
    },
  )
  if ('items' in view && path === '/') link.name = view.name
  // A token that was sent comes back: the password was not typed again, and its hour goes on.
  if (view.token && view.token !== link.token)
    Object.assign(link, { token: view.token, openedAt: Date.now() })
  return view
}

/** The path parameter of a public call: the link's id, then the path inside the link. */
export function pathIn({ hash }: Link, path: string): { '*': string } {
  return { '*': `/${hash}${path}` }
}

/** The query that opens a link with a password. */
export function tokenOf({ token }: Link): { token?: string } {
  return token ? { token } : {}
}
