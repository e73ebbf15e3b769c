import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { createKeptReader, type KeptItem } from '../records/kept-rows.ts'
import { rebuildRows } from '../records/rebuild.ts'
import { createClockTrust } from './clock-trust.ts'
import { createDeletion, type DeletionOptions } from './deletion.ts'
import { createSizes } from './sizes.ts'

/** What the background work needs. */
export interface KeeperOptions extends Pick<DeletionOptions, 'settings' | 'clock' | 'log' | 'announceKept'> {
  database: Database
  stores: KeptStores
  /** Real path of the served folder. */
  root: string
  /** The time of a monotonic clock, in milliseconds. */
  elapsed: Clock
  /** How long no server ran before the start, in milliseconds; undefined: unknown. */
  offMs: number | undefined
  /** Adds up the sizes of the files below an address, in bytes. */
  measure(address: string): Promise<number>
}

const soonMs = 1000
const hourMs = 60 * 60_000

/**
 * Counts sizes of kept items, and deletes items whose time is over or whose space is needed. Works in the background,
 * a second after items were added, and every hour.
 */
export function createKeeper(options: KeeperOptions) {
  const { database, stores, log } = options
  const reader = createKeptReader(database)
  const sizes = createSizes({ ...options, reader })
  const trust = createClockTrust(options)
  const usedStores = new Set<string>()
  let isClosed = false
  const deletion = createDeletion({ ...options, reader, isStopping: () => isClosed })
  let soon: NodeJS.Timeout | undefined
  let hourly: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function begin(): Promise<void> {
    for (const { place } of await reader.totals()) usedStores.add(place)
    // A store is known to `stores` once it was opened.
    for (const key of usedStores) await stores.byKey(key)
    await stores.resume()
    const { added, removed } = await rebuildRows({ ...options, sparesEmpty: true })
    if (added + removed > 0)
      log.warn({ added, removed }, 'the records of the trash and of versions were repaired')
    await sizes.find()
    await runNow()
  }

  async function runNow(): Promise<void> {
    await sizes.count()
    await deletion.deleteGone()
    await deletion.freeSpace()
  }

  async function runHourly(): Promise<void> {
    await runNow()
    if (!trust.isTrusted()) return
    await deletion.deleteOld()
    await deletion.thin()
  }

  /** Runs one piece of work after the other. */
  function queue(work: () => Promise<void>): Promise<void> {
    running = running.then(async () => {
      if (!isClosed) await work()
    })
    running = running.catch((err: unknown) => {
      if (!isClosed) log.error({ err }, 'kept items could not be counted or deleted')
    })
    return running
  }

  function runSoon(): void {
    if (isClosed || soon) return
    soon = setTimeout(() => {
      soon = undefined
      void queue(runNow)
    }, soonMs).unref()
  }

  return {
    runSoon,

    /** Does all work that is due, as every hour. */
    run: (): Promise<void> => queue(runHourly),

    /** The keys of all stores that hold items. */
    usedStores: () => [...usedStores],

    /** Notes that an item is being added. */
    added({ id, place, size }: KeptItem): void {
      usedStores.add(place)
      if (size === undefined) sizes.add(id)
      runSoon()
    },

    /** Begins the work. Finishes what a killed server has left. */
    start(): void {
      hourly = setInterval(() => void queue(runHourly), hourMs).unref()
      void queue(begin)
    },

    /** Stops. Resolves when nothing runs any more. */
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(soon)
      clearInterval(hourly)
      await running
    },
  }
}

export type Keeper = ReturnType<typeof createKeeper>
