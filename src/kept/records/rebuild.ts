import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { KeptRecord, Place, Places } from '#src/files/kept/places.ts'
import { lstat } from '#src/files/paths/disk.ts'
import { createKeptReader, rowsRemoved, statementsFor } from './kept-rows.ts'

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
  database: Pick<Database, 'read' | 'write'>
  places: Pick<Places, 'all'>
  /** Real path of the served folder. */
  root: string
  clock: Clock
}

const batch = 200
// A file that is being replaced has its old content under two names for milliseconds.
const settledAfterMs = 60 * 60_000

/**
 * Makes the database agree with the items on the disks, from the records beside them. For a database that was lost, or
 * disks that were changed from outside. Items of disks that are not there stay in the database.
 *
 * @param options.sparesEmpty leaves the rows of a place without any item: its disk may not be mounted
 */
export async function rebuildRows(options: RebuildOptions & { sparesEmpty?: boolean }): Promise<Rebuilt> {
  const sum: Rebuilt = { found: 0, added: 0, withoutRecord: 0, removed: 0 }
  for (const place of await options.places.all()) await rebuildPlace(options, place, sum)
  return sum
}

async function rebuildPlace(
  options: RebuildOptions & { sparesEmpty?: boolean },
  place: Place,
  sum: Rebuilt,
): Promise<void> {
  const known = new Set<string>()
  for await (const id of idsOf(createKeptReader(options.database), place.key)) known.add(id)
  const write = createBatches(options.database)
  let found = 0
  const isKnown = (id: string) => known.delete(id) && ++found > 0
  for await (const { id, record } of place.list(isKnown)) {
    found++
    const statements = await newRow(options, { place, id, record })
    if (statements.length === 0) continue
    sum.added++
    if (!record) sum.withoutRecord++
    await write.add(statements)
  }
  sum.found += found
  // These were not found.
  for (const id of found === 0 && options.sparesEmpty ? [] : known) {
    if (await place.find(id)) continue
    sum.removed++
    await write.add(rowsRemoved(id))
  }
  await write.flush()
}

/** The statements that add an item. Empty: it is gone, or it is a second name of a file that was not replaced. */
async function newRow(
  options: RebuildOptions,
  { place, id, record }: { place: Place; id: string; record: KeptRecord | undefined },
): Promise<Statement[]> {
  const stats = await place.find(id)
  if (!stats || (await isForgotten(options, { place, id, record, stats }))) return []
  const known = record ?? unknownRecord(id, stats, options.clock())
  return statementsFor({ ...known, id, place: place.key })
}

/** The ids of all rows of a place. */
async function* idsOf(reader: ReturnType<typeof createKeptReader>, key: string): AsyncGenerator<string> {
  const most = 5000
  for (let after = ''; ; ) {
    const ids = await reader.idsOf(key, after, most)
    yield* ids
    after = ids.at(-1) ?? after
    if (ids.length < most) return
  }
}

function createBatches(database: Pick<Database, 'write'>) {
  let waiting: Statement[] = []
  async function flush(): Promise<void> {
    const statements = waiting
    waiting = []
    if (statements.length > 0) await database.write(statements)
  }
  return {
    flush,
    async add(statements: readonly Statement[]): Promise<void> {
      if (waiting.push(...statements) >= batch) await flush()
    },
  }
}

/** Removes the second name of a file that was not replaced. Returns whether this item was one. */
async function isForgotten(
  { root, clock }: RebuildOptions,
  { place, id, record, stats }: { place: Place; id: string; record: KeptRecord | undefined; stats: Stats },
): Promise<boolean> {
  const isOld = stats.ctimeMs < clock() - settledAfterMs
  if (record?.kind !== 'version' || stats.nlink < 2 || !isOld) return false
  const present = await lstat(join(root, record.path)).catch(() => undefined)
  if (present?.ino !== stats.ino || present.dev !== stats.dev) return false
  await place.forget(id)
  return true
}

function unknownRecord(id: string, stats: Stats, time: number): KeptRecord {
  const own = { user: null, userName: '', operation: '', isFolder: stats.isDirectory() }
  return { kind: 'trash', path: `/${id}`, time, ...own, modified: stats.mtimeMs }
}
