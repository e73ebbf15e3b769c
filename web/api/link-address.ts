import { i18n } from '@lingui/core'
import type { FileView, Listing } from '#contract/resources.ts'
import { ApiProblem, addressOf, api } from './client.ts'
import { origin, type Reading, readerOf, type Share } from './origin.ts'

/** How long a password unlocks a share (contract/README.md#shares), in ms, less a margin for the response time. */
const unlockedMs = 59 * 60_000

/** Makes the share `hash` the origin of files. `visit` is the ticket of an earlier visit, if there was one. */
export function openShare(hash: string, visit: string): Share {
  const link: Share = {
    hash,
    name: '',
    token: '',
    openedAt: 0,
    offer: undefined,
    visit,
    sorting: { by: 'name', asc: false },
    read: (path, options) => readShared(link, path, options),
  }
  origin.link = link
  return link
}

async function readShared(
  link: Share,
  path: string,
  { password, ...options }: Reading,
): Promise<Listing | FileView> {
  const { by, asc } = link.sorting
  const view = await api(
    'GET /api/public/share/*',
    { params: publicPath(link, path), query: { ...shareToken(link), by, asc: asc ? 'true' : 'false' } },
    {
      signal: options.signal,
      read: (response) => {
        takeTicket(link, response.headers.get('X-Visit'))
        return readerOf(options)?.(response) ?? response.json()
      },
      headers: {
        // A share has no user with a language, so sorting and subtitles follow the page's language.
        'Accept-Language': i18n.locale,
        // Percent-encoded, because headers are limited to ASCII.
        ...(link.visit && { 'X-Visit': link.visit }),
        ...(password && { 'X-Share-Password': encodeURIComponent(password) }),
      },
    },
  )
  if ('items' in view && path === '/') link.name = view.name
  link.offer = view.share
  // If the server returns the token that was sent, the password was not typed again, and its hour continues.
  if (view.token && view.token !== link.token)
    Object.assign(link, { token: view.token, openedAt: Date.now() })
  return view
}

/** Takes the ticket of this visit from an answer; null: it has none. */
export function takeTicket(link: Share, ticket: string | null): void {
  if (!ticket || ticket === link.visit) return
  link.visit = ticket
  origin.onVisit(link)
}

/** The path parameter of a public call: the id of the share, then the path inside the share. */
export function publicPath({ hash }: Share, path: string): { '*': string } {
  return { '*': `/${hash}${path}` }
}

/** The query that unlocks a share with a password. */
export function shareToken({ token }: Share): { token?: string } {
  return token ? { token } : {}
}

/** Reads the subtitle file at `path` as WebVTT. @throws ApiProblem. */
export function readSubtitle(path: string): Promise<string> {
  const { link } = origin
  if (!link) return api('GET /api/subtitle/*', { params: { '*': path }, query: {} })
  return api('GET /api/public/subtitle/*', { params: publicPath(link, path), query: shareToken(link) })
}

/**
 * The download address of `path` in the share `link`, with `query`.
 *
 * @throws ApiProblem `share.password` when the share is locked again.
 */
export function shareDownloadAddress(link: Share, path: string, query: Record<string, string> = {}): string {
  if (isLocked(link)) {
    origin.onLocked()
    throw new ApiProblem(401, 'share.password', 'the hour of the password is over')
  }
  return downloadAddress(link, path, query)
}

/** Like `shareDownloadAddress`, but does not check whether the share is locked: for links and QR codes that are used later. */
export function downloadAddress(link: Share, path: string, query: Record<string, string> = {}): string {
  return addressOf('/api/public/dl/*', publicPath(link, path), { ...shareToken(link), ...query })
}

/** Whether the time for which the password unlocked the share is over. */
export function isLocked({ token, openedAt }: Share): boolean {
  return token !== '' && Date.now() - openedAt > unlockedMs
}
