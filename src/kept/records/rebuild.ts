import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { KeptRecord, KeptStore, KeptStores } from '#src/files/kept/kept-stores.ts'
import { lstat } from '#src/files/paths/disk.ts'
import type { Announcer, FormerItem, KeptChange } from '#src/operations/followers.ts'
import { allPages, createKeptReader, type KeptItem, type KeptReader } from './kept-rows.ts'

/** What a rebuild has found, as numbers of items. */
export interface Rebuilt {
  /** Items on the disks. */
  found: number
  /** Items that were not in the database. */
  added: number
  /** Added items whose record is missing or damaged. Their names are their ids. */
  withoutRecord: number
  /** Rows whose content is gone. They were removed. */
  removed: number
}

export interface RebuildOptions {
  database: Pick<Database, 'read'>
  announceKept: Announcer['kept']
  stores: Pick<KeptStores, 'all'>
  /** Real path of the served folder. */
  root: string
  clock: Clock
}

const batch = 200
/** Ids that are read at once. */
const mostIds = 5000
// A file that is being replaced has its old content under two names for milliseconds.
const settledAfterMs = 60 * 60_000

/**
 * Makes the database agree with the items on the disks, from the records beside them. For a database that was lost, or
 * disks that were changed from outside. Items of disks that are not there stay in the database.
 *
 * @param options.sparesEmpty leaves the rows of a store without any item: its disk may not be mounted
 */
export async function rebuildRows(options: RebuildOptions & { sparesEmpty?: boolean }): Promise<Rebuilt> {
  const sum: Rebuilt = { found: 0, added: 0, withoutRecord: 0, removed: 0 }
  for (const store of await options.stores.all()) await rebuildStore(options, store, sum)
  return sum
}

async function rebuildStore(
  options: RebuildOptions & { sparesEmpty?: boolean },
  store: KeptStore,
  sum: Rebuilt,
): Promise<void> {
  const reader = createKeptReader(options.database)
  const known = new Set<string>()
  const ids = allPages<string>(mostIds, (after = '') => reader.idsOf(store.key, after, mostIds))
  for await (const id of ids) known.add(id)
  const batches = createBatches(options)
  let found = 0
  const isKnown = (id: string) => known.delete(id) && ++found > 0
  for await (const { id, record } of store.list(isKnown)) {
    found++
    const added = await newItem(options, { store, id, record })
    if (!added) continue
    await batches.add({ added: [added] })
    sum.added++
    if (!record) sum.withoutRecord++
  }
  sum.found += found
  const isSpared = found === 0 && options.sparesEmpty
  if (!isSpared) sum.removed += await removeLost({ reader, store, batches }, known)
  await batches.flush()
}

/** Removes the rows of items that were not found, unless they are there by now. Returns their number. */
async function removeLost(
  {
    reader,
    store,
    batches,
  }: { reader: KeptReader; store: KeptStore; batches: ReturnType<typeof createBatches> },
  ids: Iterable<string>,
): Promise<number> {
  let removed = 0
  for (const id of ids) {
    const row = (await store.find(id)) ? undefined : await reader.find(id)
    if (!row) continue
    await batches.add({ deleted: [row] })
    removed++
  }
  return removed
}

/** An item without a row. Undefined: it is gone, or it is a second name of a file that was not replaced. */
async function newItem(
  options: RebuildOptions,
  { store, id, record }: { store: KeptStore; id: string; record: KeptRecord | undefined },
): Promise<KeptItem | undefined> {
  const stats = await store.find(id)
  if (!stats || (await isForgotten(options, { store, id, record, stats }))) return undefined
  const known = record ?? unknownRecord(id, stats, options.clock())
  return { ...known, id, place: store.key }
}

/** Collects items, so that many of them are one transaction. */
function createBatches({ announceKept }: Pick<RebuildOptions, 'announceKept'>) {
  let added: KeptItem[] = []
  let deleted: FormerItem[] = []
  async function flush(): Promise<void> {
    const change = { added, deleted }
    added = []
    deleted = []
    await announceKept(change)
  }
  return {
    flush,
    async add(change: Pick<KeptChange, 'added' | 'deleted'>): Promise<void> {
      added.push(...(change.added ?? []))
      deleted.push(...(change.deleted ?? []))
      if (added.length + deleted.length >= batch) await flush()
    },
  }
}

/** Removes the second name of a file that was not replaced. Returns whether this item was one. */
async function isForgotten(
  { root, clock }: RebuildOptions,
  {
    store,
    id,
    record,
    stats,
  }: { store: KeptStore; id: string; record: KeptRecord | undefined; stats: Stats },
): Promise<boolean> {
  const isOld = stats.ctimeMs < clock() - settledAfterMs
  if (record?.kind !== 'version' || stats.nlink < 2 || !isOld) return false
  const present = await lstat(join(root, record.path)).catch(() => undefined)
  if (present?.ino !== stats.ino || present.dev !== stats.dev) return false
  await store.forget(id)
  return true
}

function unknownRecord(id: string, stats: Stats, time: number): KeptRecord {
  const own = { user: null, userName: '', operation: '', isFolder: stats.isDirectory() }
  return { kind: 'trash', path: `/${id}`, time, ...own, modified: stats.mtimeMs }
}
