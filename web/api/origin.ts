import { i18n } from '@lingui/core'
import type { FileView, Listing } from '#contract/resources.ts'
import type { Sorting } from '#contract/users.ts'
import { api } from './client.ts'

/** A share that the page shows. */
export interface Share {
  readonly hash: string
  /** The name of the shared folder, once it was read. */
  name: string
  /**
   * Unlocks a share with a password for an hour (contract/README.md#shares); empty: it has no password or is locked.
   */
  token: string
  /** When the token was issued, in milliseconds since 1970. */
  openedAt: number
  /** The sort order in all its folders. */
  sorting: Sorting
}

/**
 * Where the page reads files from: a share, or, if undefined, the folder of the signed-in user. The reading calls use
 * it, so the same list and the same previews show both.
 */
export const origin = {
  link: undefined as Share | undefined,
  /** Called when the password of the share is needed again. */
  onLocked: (): void => {},
}

interface Reading {
  signal: AbortSignal
  /** Called with the etag of a file, for `If-Match`. */
  onEtag?(etag: string): void
  /** The password of a share, as it was typed. */
  password?: string | undefined
}

/**
 * Reads the folder or file at `path`.
 *
 * @throws ApiProblem when it cannot be read; `share.password` when a share needs its password.
 */
export async function readResource(path: string, options: Reading): Promise<Listing | FileView> {
  const { link } = origin
  if (!link) return api('GET /api/resources/*', { params: { '*': path }, query: {} }, options)
  const { password, signal } = options
  const { by, asc } = link.sorting
  const view = await api(
    'GET /api/public/share/*',
    { params: publicPath(link, path), query: { ...shareToken(link), by, asc: asc ? 'true' : 'false' } },
    {
      signal,
      headers: {
        // A share has no user with a language, so sorting and subtitles follow the page's language.
        'Accept-Language': i18n.locale,
        // Percent-encoded, because headers are limited to ASCII.
        ...(password && { 'X-Share-Password': encodeURIComponent(password) }),
      },
    },
  )
  if ('items' in view && path === '/') link.name = view.name
  // If the server returns the token that was sent, the password was not typed again, and its hour continues.
  if (view.token && view.token !== link.token)
    Object.assign(link, { token: view.token, openedAt: Date.now() })
  return view
}

/** The path parameter of a public call: the id of the share, then the path inside the share. */
export function publicPath({ hash }: Share, path: string): { '*': string } {
  return { '*': `/${hash}${path}` }
}

/** The query that unlocks a share with a password. */
export function shareToken({ token }: Share): { token?: string } {
  return token ? { token } : {}
}
