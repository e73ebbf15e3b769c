import { ApiProblem, addressOf, api } from './client.ts'
import { origin, publicPath, type Share, shareToken } from './origin.ts'

/** How long a password unlocks a share (contract/README.md#shares), in ms, less a margin for the response time. */
const unlockedMs = 59 * 60_000

/** Makes the share `hash` the origin of files. */
export function openShare(hash: string): Share {
  origin.link = { hash, name: '', token: '', openedAt: 0, sorting: { by: 'name', asc: false } }
  return origin.link
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
