import { proxy } from 'valtio'
import type {
  ExpiryUnit,
  GivenConditions,
  GivenReferences,
  ShareRights,
  ShareView,
} from '#contract/shares.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { href, parentOf, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'

/** The options of a new share; without `expires` it is permanent. */
export interface NewShare extends GivenConditions, GivenReferences {
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

/** What is shared: a file or folder, or several of them in the folder `path`. Decoded. */
export interface Target {
  path: string
  /** Undefined: `path` itself. */
  paths: readonly string[] | undefined
}

/** Counts the changes of shares. Components that show shares load them again. */
export const shareChanges = proxy({ count: 0 })

/** Sorts shares: permanent ones first, then those that end soonest. */
export function sortShares(links: readonly ShareView[]): ShareView[] {
  const end = ({ expire }: ShareView) => (expire === 0 ? Number.NEGATIVE_INFINITY : expire)
  return links.toSorted((a, b) => Math.sign(end(a) - end(b)) || a.created - b.created)
}

/** The sorted shares by which `path` is shared, alone or with others. @throws ApiProblem when the permission is missing. */
export async function sharesWith(path: string, signal?: AbortSignal): Promise<ShareView[]> {
  return sortShares(await api('GET /api/share/*', { params: { '*': path } }, signal ? { signal } : {}))
}

/** The sorted shares of exactly this target. @throws ApiProblem when the permission is missing. */
export async function sharesOf({ path, paths }: Target): Promise<ShareView[]> {
  // A link to several items has a dialog of its own.
  if (!paths) return (await sharesWith(path)).filter((link) => link.paths === undefined)
  const wanted = keyOf(paths)
  return sortShares((await api('GET /api/shares')).filter((link) => isSame(link, wanted)))
}

/** Whether a share is the user's own, of the items with this key. */
function isSame({ paths, userID }: ShareView, wanted: string): boolean {
  return paths !== undefined && userID === session.user?.id && keyOf(paths) === wanted
}

function keyOf(paths: readonly string[]): string {
  return paths
    .map((path) => path.replace(/\/$/, ''))
    .sort()
    .join('\n')
}

/** The folder in which something that belongs to a shared item is looked for, with a slash at its end. */
export function folderOf({ path, isDir }: { path: string; isDir: boolean }): string {
  return isDir ? `${path.replace(/\/$/, '')}/` : parentOf(path)
}

/** The deepest folder that contains all these files and folders, with a slash at its end. */
export function commonFolder(all: readonly string[]): string {
  const [first = '/', ...others] = all.map(parentOf)
  const isAbove = (folder: string) => others.every((one) => one.startsWith(folder))
  let folder = first
  while (!isAbove(folder)) folder = parentOf(folder)
  return folder
}

/** Creates a share. @throws ApiProblem when an option is invalid. */
export async function createShare({ path, paths }: Target, wish: LinkChange): Promise<string> {
  const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== null)) as NewShare
  const body = { ...given, ...(paths && { paths: [...paths] }) }
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
