import { join } from 'node:path'
import type { Principal } from '#src/access/principal.ts'
import { pathInJail } from '#src/files/paths/path-access.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { commonFolder, isWithin } from '#src/files/paths/user-path.ts'
import type { ShareRecord } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { itemsOf, type SharedItem } from '../share-record.ts'

/** Where a shared entry is now: a real path, or a path in an item of the trash. Undefined: it was deleted. */
export type NewPlace = { real: string } | NonNullable<ShareRecord['trashed']> | undefined

/** Finds the new place of a shared entry, by its real path until now. */
type FindPlace = (real: string, item: SharedItem) => NewPlace

const isPresent = (item: SharedItem) => !item.trashed

/** Returns a function that gives shares a new place. */
export function createRelocation(store: Store, ownerOf: (userId: number) => Principal | undefined) {
  /** Moves what is shared, and of which `isConcerned` is true, to the place that `newPlaceOf` returns. */
  return async function relocate(newPlaceOf: FindPlace, isConcerned = isPresent): Promise<void> {
    const changes = new Map<string, ShareRecord | undefined>()
    const rootOf = createRoots(ownerOf)
    const all = await store.links.list()
    for (const share of all.filter((one) => itemsOf(one).some(isConcerned))) {
      const root = await rootOf(share)
      const next = root && relocated(share, (item) => newPlace(item, { root, newPlaceOf, isConcerned }))
      if (root && next !== share) changes.set(share.hash, next)
    }
    if (changes.size > 0) await apply(store, changes)
  }
}

/** Stores new places of shares by their id. Undefined: nothing of the share is left. */
async function apply(store: Store, changes: ReadonlyMap<string, ShareRecord | undefined>): Promise<void> {
  await store.change(({ links }) => {
    for (const [hash, next] of changes) {
      const share = next && links.get(hash)
      if (share) links.set(hash, { ...withoutPlace(share), ...placeOf(next) })
      else links.remove(hash)
    }
  })
}

/** The real path of a user's scope needs disk access, so it is read once for all shares of the user. */
function createRoots(ownerOf: (userId: number) => Principal | undefined) {
  const roots = new Map<number, Promise<SafePath | undefined>>()
  const readRoot = async (userId: number) => {
    // If the owner's folder is missing, none of its entries can have moved.
    const jail = await ownerOf(userId)
      ?.jail()
      .catch(() => undefined)
    return jail?.root
  }
  return ({ userID }: ShareRecord): Promise<SafePath | undefined> => {
    const known = roots.get(userID) ?? readRoot(userID)
    roots.set(userID, known)
    return known
  }
}

/** What says where a share is. The identity of a single file may have changed meanwhile, so it is not part of it. */
function placeOf({ path, thing, trashed, items }: ShareRecord): Partial<ShareRecord> {
  return items ? { path, thing, items } : { path, ...(trashed && { trashed }) }
}

function withoutPlace({ trashed: _, items: __, ...share }: ShareRecord): ShareRecord {
  return share
}

/**
 * The share after its resource, or each of its several resources, got the place that `placeIn` returns. Those without a
 * place are not shared any more. Undefined: nothing is left. The same share: nothing has changed.
 */
function relocated(
  share: ShareRecord,
  placeIn: (item: SharedItem) => SharedItem | undefined,
): ShareRecord | undefined {
  const before = itemsOf(share)
  const after = before.flatMap((item) => placeIn(item) ?? [])
  const [first] = after
  if (!first) return undefined
  const isSame = ({ path, trashed }: SharedItem, at: number) =>
    path === before[at]?.path && trashed === before[at]?.trashed
  if (after.length === before.length && after.every(isSame)) return share
  if (!share.items) return { ...withoutPlace(share), ...first }
  const items = after.map(({ path, thing, trashed }) => ({ path, thing, ...(trashed && { trashed }) }))
  const present = items.filter(({ trashed }) => !trashed)
  const path = commonFolder((present.length > 0 ? present : items).map((item) => item.path))
  return { ...withoutPlace(share), path, thing: first.thing, items }
}

/** Where an item of a user with this scope is now; undefined when it is deleted or outside the scope. */
function newPlace(item: SharedItem, { root, newPlaceOf, isConcerned }: Placing): SharedItem | undefined {
  const { path, thing, trashed } = item
  if (!isConcerned(item)) return item
  const next = newPlaceOf(join(root, path === '/' ? '' : path), item)
  if (next && 'item' in next) return { path, thing, trashed: next }
  if (!next || !isWithin(next.real, root)) return undefined
  const moved = pathInJail({ root }, next.real)
  return moved === path && !trashed ? item : { path: moved, thing }
}

interface Placing {
  /** Real path of the scope of the owner. */
  root: SafePath
  newPlaceOf: FindPlace
  isConcerned(item: SharedItem): boolean
}
