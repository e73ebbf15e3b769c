import type { ExpiryUnit, ShareView } from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { href, paths } from '#web/shared/paths.ts'

/** What a new link shall be; without `expires` it is permanent. */
export interface Wish {
  expires?: string
  unit?: ExpiryUnit
  password?: string
}

/** Permanent links first, then those that end soonest. */
export function sortLinks(links: readonly ShareView[]): ShareView[] {
  const end = ({ expire }: ShareView) => (expire === 0 ? Number.NEGATIVE_INFINITY : expire)
  return links.toSorted((a, b) => Math.sign(end(a) - end(b)) || a.created - b.created)
}

/** The links to the thing at `path`, sorted. @throws ApiProblem when the right is missing. */
export async function linksTo(path: string): Promise<ShareView[]> {
  return sortLinks(await api('GET /api/share/*', { params: { '*': path } }))
}

/** Makes a link to the thing at `path`. @throws ApiProblem when a value cannot be. */
export async function createLink(path: string, wish: Wish): Promise<void> {
  await api('POST /api/share/*', { params: { '*': path }, query: {}, body: { ...wish } })
}

/** Ends a link. @throws ApiProblem `share.unknown` when it has ended already. */
export async function endLink(hash: string): Promise<void> {
  await api('DELETE /api/share/*', { params: { '*': `/${hash}` } })
}

/** The whole address to give away. */
export function addressOfLink(hash: string): string {
  return location.origin + href(paths.share(hash))
}
