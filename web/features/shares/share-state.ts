import { proxy } from 'valtio'
import type { ExpiryUnit, GivenConditions, ShareRights, ShareView } from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { href, paths } from '#web/shared/paths.ts'

/** The options of a new share; without `expires` it is permanent. */
export interface NewShare extends GivenConditions {
  expires?: string
  unit?: ExpiryUnit
  password?: string
  rights?: ShareRights
}

/** Changes of a share, or the options of a new one. `null` clears what the share has. */
export type LinkChange = Omit<NewShare, 'expires' | 'password'> & {
  expires?: string | null
  password?: string | null
}

/** Counts the changes of shares. Components that show shares load them again. */
export const shareChanges = proxy({ count: 0 })

/** Sorts shares: permanent ones first, then those that end soonest. */
export function sortShares(links: readonly ShareView[]): ShareView[] {
  const end = ({ expire }: ShareView) => (expire === 0 ? Number.NEGATIVE_INFINITY : expire)
  return links.toSorted((a, b) => Math.sign(end(a) - end(b)) || a.created - b.created)
}

/** The sorted shares of the resource at `path`. @throws ApiProblem when the permission is missing. */
export async function sharesOf(path: string, signal?: AbortSignal): Promise<ShareView[]> {
  return sortShares(await api('GET /api/share/*', { params: { '*': path } }, signal ? { signal } : {}))
}

/** Creates a share of the resource at `path`. @throws ApiProblem when an option is invalid. */
export async function createShare(path: string, wish: LinkChange): Promise<string> {
  const body = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== null)) as NewShare
  const { hash } = await api('POST /api/share/*', { params: { '*': path }, query: {}, body })
  shareChanges.count++
  return hash
}

/** Changes a share, which keeps its address. @throws ApiProblem when a value is refused. */
export async function changeShare(hash: string, body: LinkChange): Promise<ShareView> {
  const link = await api('PATCH /api/share/*', { params: { '*': `/${hash}` }, body })
  shareChanges.count++
  return link
}

/** Deletes a share. One that has already ended is not an error. @throws ApiProblem */
export async function deleteShare(hash: string): Promise<void> {
  try {
    await api('DELETE /api/share/*', { params: { '*': `/${hash}` } })
  } catch (error) {
    if (codeOf(error) !== 'share.unknown') throw error
  }
  shareChanges.count++
}

/** The absolute address of a share. */
export function addressOfShare({ hash, slug }: Pick<ShareView, 'hash' | 'slug'>): string {
  return location.origin + href(paths.share(slug ?? hash))
}
