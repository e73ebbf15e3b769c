import type { FileView, Listing } from '#contract/resources.ts'
import type { Sorting } from '#contract/users.ts'
import { ApiProblem, addressOf, api } from './client.ts'

/** A shared link that the page shows. */
export interface Link {
  readonly hash: string
  /** The name of the shared folder, once it was read. */
  name: string
  /** Opens a link that has a password, for an hour (contract W8); empty: it has none, or is not open. */
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

/** How long a password opens a link (contract W8), in milliseconds; a little less, because the answer took time to come. */
const unlockedMs = 59 * 60_000

/** Reads from the link `hash` from now on. */
export function openLink(hash: string): Link {
  origin.link = { hash, name: '', token: '', openedAt: 0, sorting: { by: 'name', asc: false } }
  return origin.link
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
    // Percent-encoded, because headers carry no other alphabet.
    { signal, ...(password && { headers: { 'X-Share-Password': encodeURIComponent(password) } }) },
  )
  if ('items' in view && path === '/') link.name = view.name
  if (view.token) Object.assign(link, { token: view.token, openedAt: Date.now() })
  return view
}

/** Reads the subtitle file at `path` as WebVTT. @throws ApiProblem. */
export function readSubtitle(path: string): Promise<string> {
  const { link } = origin
  if (!link) return api('GET /api/subtitle/*', { params: { '*': path }, query: {} })
  return api('GET /api/public/subtitle/*', { params: pathIn(link, path), query: tokenOf(link) })
}

/** The address of the bytes at `path` behind `link`, with `query`. @throws ApiProblem `share.password` when its hour is over. */
export function linkAddress(link: Link, path: string, query: Record<string, string> = {}): string {
  if (isLocked(link)) {
    origin.onLocked()
    throw new ApiProblem(401, 'share.password', 'the hour of the password is over')
  }
  return downloadAddress(link, path, query)
}

/** Like `linkAddress`, but does not check the password's hour: for links and QR codes that are used later. */
export function downloadAddress(link: Link, path: string, query: Record<string, string> = {}): string {
  return addressOf('/api/public/dl/*', pathIn(link, path), { ...tokenOf(link), ...query })
}

/** Whether the time that the password opened `link` for is over. */
export function isLocked({ token, openedAt }: Link): boolean {
  return token !== '' && Date.now() - openedAt > unlockedMs
}

/** The path parameter of a public call: the link's id, then the path inside the link. */
export function pathIn({ hash }: Link, path: string): { '*': string } {
  return { '*': `/${hash}${path}` }
}

/** The query that opens a link with a password. */
export function tokenOf({ token }: Link): { token?: string } {
  return token ? { token } : {}
}
