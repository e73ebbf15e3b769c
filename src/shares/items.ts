import type { Principal } from '#src/access/principal.ts'
import { meaningOf } from '#src/access/share-rights.ts'
import { Problem } from '#src/core/problem.ts'
import { openPath } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { commonFolder, isWithin, type UserPath } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import { openShared } from './concerned.ts'
import { invalid } from './conditions.ts'
import { fileIdentityOf, isThing, type SharedItem } from './share-record.ts'

/** What a new share is of: a resource, or several in one folder. */
export type SharedPlace = Pick<ShareRecord, 'path' | 'thing' | 'items'> & {
  path: UserPath
  isFolder: boolean
}

/**
 * Opens what a user shares.
 *
 * @param shared.path the resource, or the folder that contains `paths`
 * @throws Problem `request.invalid` for one of `paths` that is outside of the folder; as `openShared` does.
 */
export async function openPlace(
  person: Principal,
  { path, paths }: { path: UserPath; paths: readonly UserPath[] | undefined },
): Promise<SharedPlace> {
  if (!paths) return openOne(person, path)
  if (paths.some((one) => one === path || !isWithin(one, path)))
    throw invalid('paths', 'must be in the folder of the address')
  // An item in another one is shared with it.
  const isInside = (one: UserPath) => paths.some((other) => other !== one && isWithin(one, other))
  const outer = [...new Set(paths)].filter((one) => !isInside(one))
  const [first, ...others] = outer
  if (!first) throw invalid('paths', 'is empty')
  if (others.length === 0) return openOne(person, first)
  const items = await Promise.all(outer.map((one) => openOne(person, one)))
  const { thing } = items[0] as SharedPlace
  const shared = items.map((item) => ({ path: item.path, thing: item.thing }))
  return { path: commonFolder(shared.map((item) => item.path)), thing, items: shared, isFolder: true }
}

async function openOne(person: Principal, path: UserPath): Promise<SharedPlace> {
  await using opened = await openShared(person, path)
  const { stats } = opened
  return { path: opened.path, thing: fileIdentityOf(stats), isFolder: stats.isDirectory() }
}

/** @throws Problem `request.invalid` for several items that visitors could change. */
export function refuseItems(share: ShareRecord): void {
  if (share.items && meaningOf(share).receives)
    throw invalid('rights', 'of several resources can only be view or download')
}

/**
 * The paths of those shared items that a request for `path` concerns and that are still there.
 *
 * @param path in the scope of the owner
 */
export async function presentItems(
  jail: Jail,
  items: readonly SharedItem[],
  path: string,
): Promise<UserPath[]> {
  const concerned = items.filter((one) => isWithin(one.path, path) || isWithin(path, one.path))
  const present: UserPath[] = []
  // One after the other, so that a visitor uses as few descriptors as one of a single folder.
  for (const item of concerned)
    if (!item.trashed && (await isPresent(jail, item))) present.push(item.path as UserPath)
  return present
}

async function isPresent(jail: Jail, item: SharedItem): Promise<boolean> {
  try {
    await using opened = await openPath(jail, item.path as UserPath)
    return opened.path === item.path && isThing(item, opened.stats)
  } catch (error) {
    // Deleted, replaced by a link, or forbidden by a rule: visitors do not see it. Other errors say nothing about it.
    if (error instanceof Problem && error.code.startsWith('path.')) return false
    throw error
  }
}
