import type { AuditPage, AuditRecord, AuditSettings } from '#contract/history/audit.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { defaultAudit } from '#src/state/defaults.ts'
import type { Store } from '#src/state/store.ts'
import { type KeptHead, type Verification, verifyChain } from './chain.ts'
import { type AuditEntry, type AuditWho, serverItself } from './entry.ts'
import { appendStatements, createAuditReader } from './records.ts'
import { createRepeats } from './repeats.ts'
import { enforceRetention } from './retention.ts'
import type { AuditFilter } from './search/filter.ts'
import { openScan, type StoredRecord } from './search/scan.ts'

/** A page without enough matches ends after this time, in milliseconds. The client asks for the next one. */
const pageBudgetMs = 40
/** Records that an export reads at once. */
const exportedAtOnce = 100
/** For visits and downloads: of one client, at most so many records in a minute, and one for all others. */
const ofUses = { freely: 100, maxClients: 2000 }
const flushEveryMs = 15_000
const retentionEveryMs = 60 * 60_000

/** What the audit log needs. */
export interface AuditSources {
  database: Database
  store: Pick<Store, 'settings'>
  clock: Clock
  log: Logger
}

/** The audit log: who has done what, in records that cannot be changed unnoticed. */
export function createAudit({ database, store, clock, log }: AuditSources) {
  const stopping = new AbortController()
  const writer = createWriter({ database, clock, log })
  const { note } = writer
  let isServing = false
  const sums = createSums(clock, writer)
  const retention = createRetention(async () =>
    enforceRetention(database, await settingsOf(store), { clock, signal: stopping.signal }),
  )
  const flushing = setInterval(() => sums.flush(), flushEveryMs).unref()
  const removing = setInterval(() => void retention.run(log), retentionEveryMs).unref()

  return {
    ...writer,

    /** Records an event in the background. Equal events of one client are summed up. */
    noteRepeated: sums.repeats.add,

    /** Records a visit or a download in the background. The first ones of a client are recorded one by one. */
    noteUse: sums.uses.add,

    /** Records of a filter, the newest first. A page may have fewer records than `limit` and still have a next one. */
    async page(
      filter: AuditFilter,
      { before, limit }: { before?: number | undefined; limit: number },
      reader: Pick<Database, 'read'> = database,
    ): Promise<AuditPage> {
      const scan = await openScan(reader, filter, { order: 'newest', beyond: before })
      const { records, next } = await scan.next(limit, pageBudgetMs)
      return { records: records.map(recordOf), ...(next !== undefined && { next }) }
    },

    /** All records of a filter, the oldest first, in small batches. Those that are written meanwhile may be missing. */
    async *all(
      filter: AuditFilter,
      reader: Pick<Database, 'read'> = database,
    ): AsyncGenerator<StoredRecord[]> {
      const scan = await openScan(reader, filter, { order: 'oldest' })
      for (;;) {
        const { records, next } = await scan.next(exportedAtOnce, Number.POSITIVE_INFINITY)
        if (records.length > 0) yield records
        if (next === undefined) return
      }
    },

    head: () => createAuditReader(database).head(),

    /** Removes the oldest records, as the settings say. Also happens every hour. */
    removeOld: () => retention.run(log),

    /** Verifies all records, and records that this was done. */
    async verify(expected: KeptHead | undefined, who: AuditWho, signal?: AbortSignal): Promise<Verification> {
      await writer.written()
      const result = await verifyChain(database, expected, signal)
      const isFine = result.fault === undefined && [undefined, 'found'].includes(result.expected)
      note({ kind: 'verify', outcome: isFine ? 'done' : 'failed', who, count: result.records })
      return result
    },

    /** The last verification; undefined: there was none. */
    async lastVerification(): Promise<{ time: number; isFine: boolean } | undefined> {
      const row = await createAuditReader(database).lastOf('verify')
      return row && { time: row.time, isFine: row.outcome === 'done' }
    },

    /** Why the database with all records was replaced at this start. Undefined: it was not. */
    get setAside() {
      return database.setAside
    },

    /** Records that the server has started, and whether its last run was interrupted. Begins to remove old records. */
    start(version: string): void {
      isServing = true
      writer.writeSoon(async () => {
        const reason =
          (await createAuditReader(database).lastRun()) === 'start' ? '; the last run was killed' : ''
        const detail =
          version + (database.setAside === undefined ? reason : '; the records before were damaged')
        await writer.append({ kind: 'start', outcome: 'done', who: serverItself, detail })
      })
      void retention.run(log)
    },

    /** Records that the server stops, if it was started, and waits until everything is written. */
    async close(): Promise<void> {
      clearInterval(flushing)
      clearInterval(removing)
      stopping.abort()
      sums.flush(true)
      if (isServing) note({ kind: 'stop', outcome: 'done', who: serverItself })
      await Promise.all([writer.written(), retention.ended()])
    },
  }
}

/** Sums up equal events. */
function createSums(
  clock: Clock,
  { note, noteLater }: Pick<ReturnType<typeof createWriter>, 'note' | 'noteLater'>,
) {
  const repeats = createRepeats({ clock, append: note })
  const uses = createRepeats({ clock, append: noteLater, ...ofUses })
  return {
    repeats,
    uses,
    flush(isLast?: boolean): void {
      for (const one of [repeats, uses]) one.flush(isLast)
    },
  }
}

export type Audit = ReturnType<typeof createAudit>

/** Appends records. */
function createWriter({ database, clock, log }: Omit<AuditSources, 'store'>) {
  const pending = new Set<Promise<void>>()
  let lost = 0

  /** Appends a record. Resolves when it is on the disk. @throws DatabaseProblem. */
  async function append(entry: AuditEntry, write: 'write' | 'writeLater' = 'write'): Promise<void> {
    const gap = lost
    const entries = gap > 0 ? [gapOf(gap), entry] : [entry]
    await database[write](entries.flatMap((one) => appendStatements(one, clock())))
    lost -= gap
  }

  /** Appends a record in the background, for events that must not fail because of it. */
  const note = (entry: AuditEntry): void => writeSoon(() => append(entry))

  /** As `note`, for frequent events: the records of some milliseconds are written together. */
  const noteLater = (entry: AuditEntry): void => writeSoon(() => append(entry, 'writeLater'))

  function writeSoon(write: () => Promise<void>): void {
    const writing = write().catch((err: unknown) => {
      if (lost === 0) log.error({ err }, 'the audit log cannot be written; further losses are counted')
      lost++
    })
    pending.add(writing)
    void writing.then(() => pending.delete(writing))
  }

  return {
    append,
    note,
    noteLater,
    /** Writes a record in the background. */
    writeSoon,
    /** Waits for the records that are written in the background. */
    written: () => Promise.all(pending),
  }
}

async function settingsOf({ settings }: Pick<Store, 'settings'>): Promise<AuditSettings> {
  return (await settings.get()).audit ?? defaultAudit
}

function gapOf(count: number): AuditEntry {
  return {
    kind: 'gap',
    outcome: 'failed',
    who: serverItself,
    count,
    detail: `${count} records could not be written`,
  }
}

/** Runs one removal of old records at a time. */
function createRetention(enforce: () => Promise<number>) {
  let running: Promise<void> | undefined
  return {
    run(log: Logger): Promise<void> {
      running ??= enforce()
        .then(
          (removed) => {
            if (removed > 0) log.info({ removed }, 'old records of the audit log were removed')
          },
          (err: unknown) => log.error({ err }, 'old records of the audit log could not be removed'),
        )
        .finally(() => {
          running = undefined
        })
      return running
    },
    ended: () => running,
  }
}

/** A record as clients get it. */
export function recordOf({
  seq,
  time,
  kind,
  outcome,
  user_name,
  address,
  operation,
  paths,
  count,
  detail,
}: StoredRecord): AuditRecord {
  return {
    seq,
    time: new Date(time).toISOString(),
    kind,
    outcome,
    user: user_name,
    address,
    ...(operation !== null && { operation }),
    paths: JSON.parse(paths),
    count,
    detail,
  }
}
