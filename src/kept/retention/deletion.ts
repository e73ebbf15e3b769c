import type { KeepingSettings } from '#contract/history/kept.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import type { Announcer } from '#src/operations/followers.ts'
import { allPages, goneFolder, type KeptReader, type KeptRow } from '../records/kept-rows.ts'
import { chooseForAge, chooseForSpace } from './retention.ts'

/** What the automatic deletion needs. */
export interface DeletionOptions {
  reader: KeptReader
  stores: Pick<KeptStores, 'byKey'>
  settings(): KeepingSettings
  clock: Clock
  announceKept: Announcer['kept']
  /** Whether the server stops. */
  isStopping(): boolean
  log: Logger
}

const dayMs = 24 * 60 * 60_000
const page = 500
// Below this part of free space, the newest items are not spared.
const shortPart = 0.05

const reasons = {
  gone: 'their files were deleted permanently',
  share: 'they took more than their share of the disk',
  days: 'their days were over',
  thinned: 'newer versions of the same time exist',
}

/** Thinning follows a schedule that users know, and the permanent deletion of a file has a record of its own. */
const recordedReasons: ReadonlySet<string> = new Set([reasons.share, reasons.days])

/** Creates the functions that delete items whose space is needed or whose time is over. */
export function createDeletion(options: DeletionOptions) {
  const { reader, settings, clock } = options
  const destroyAll = createDestroyer(options)

  /** Deletes page by page, until a page has nothing more to delete. */
  async function destroyPages(next: () => Promise<KeptRow[]>, why: string): Promise<void> {
    for (;;) {
      const rows = await next()
      const count = await destroyAll(rows, why)
      // Items of a disk that is not there stay, and would be found again and again.
      if (count < rows.length || rows.length < page) return
    }
  }

  /** Deletes versions of files that were deleted permanently. */
  const deleteGone = () => destroyPages(() => reader.versionsWithin(goneFolder, page), reasons.gone)

  /** Deletes entries of the trash whose days are over. */
  async function deleteOld(): Promise<void> {
    const before = clock() - settings().days * dayMs
    await destroyPages(() => reader.olderThan('trash', before, page), reasons.days)
  }

  /** Thins the versions of all files. */
  async function thin(): Promise<void> {
    for await (const versions of versionsByFile(reader)) {
      if (options.isStopping()) return
      await destroyAll(chooseForAge(versions, clock()), reasons.thinned)
    }
  }

  return { deleteGone, deleteOld, thin, freeSpace: () => freeSpace(options, destroyAll) }
}

/** The versions of each file, the oldest first. */
async function* versionsByFile(reader: Pick<KeptReader, 'versionsByPath'>): AsyncGenerator<KeptRow[]> {
  let versions: KeptRow[] = []
  const first = { path: '', time: 0, id: '' }
  const all = allPages<KeptRow>(page, (last) => reader.versionsByPath(last ?? first, page))
  for await (const row of all) {
    if (versions.length > 0 && row.path !== versions[0]?.path) {
      yield versions
      versions = []
    }
    versions.push(row)
  }
  if (versions.length > 0) yield versions
}

/** Returns a function that deletes items, and returns how many it deleted: not those of disks that are not there. */
function createDestroyer({ stores, isStopping, log, announceKept }: DeletionOptions) {
  /** Hides the content of an item. Returns a function that deletes it. Undefined: its disk is not there. */
  async function condemn({ id, place: key }: KeptRow): Promise<(() => Promise<void>) | undefined> {
    const store = isStopping() ? undefined : await stores.byKey(key)
    const finish = await store?.condemn(id)
    return store && (finish ?? (async () => {}))
  }

  return async (rows: readonly KeptRow[], why: string): Promise<number> => {
    const deleted = new Map<KeptRow, () => Promise<void>>()
    try {
      for (const row of rows) {
        const finish = await condemn(row)
        if (finish) deleted.set(row, finish)
      }
    } finally {
      // These are hidden already, also when the next one could not be.
      await announceKept({ deleted: [...deleted.keys()], why: recordedReasons.has(why) ? why : undefined })
      for (const finish of deleted.values()) await finish()
    }
    if (deleted.size > 0) log.info({ count: deleted.size }, `kept items were deleted: ${why}`)
    return deleted.size
  }
}

/** Deletes items until those of each disk and of each user take their share at most. */
async function freeSpace(
  { reader, stores, settings, clock }: DeletionOptions,
  destroyAll: ReturnType<typeof createDestroyer>,
): Promise<void> {
  const { share, userShare } = settings()
  const keys = new Set((await reader.totals()).map(({ place }) => place))
  for (const key of keys) {
    const space = await (await stores.byKey(key))?.space()
    if (!space) continue
    const isDiskShort = space.free < space.total * shortPart
    const limit = async (bytes: number, percent: number, user?: number) => {
      const most = (space.total * percent) / 100
      if (bytes <= most) return
      const rows = await reader.oldestOf(key, { user, most, limit: page })
      const need = { now: clock(), excess: bytes - most, isDiskShort }
      await destroyAll(chooseForSpace(rows, need), reasons.share)
    }
    const totals = async () => (await reader.totals()).filter(({ place }) => place === key)
    for (const { user, bytes } of await totals()) if (user !== null) await limit(bytes, userShare, user)
    const all = (await totals()).reduce((sum, { bytes }) => sum + bytes, 0)
    await limit(all, share)
  }
}
