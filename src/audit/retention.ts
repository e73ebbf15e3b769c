import type { AuditSettings } from '#contract/history/audit.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database } from '#src/core/database/database.ts'
import { cutDetail, lastCut } from './chain.ts'
import { serverItself } from './entry.ts'
import { appendStatements, createAuditReader, removeStatements } from './records.ts'

/** Records that are removed at once. Takes about 10 ms, in which nothing else can be written. */
const removedAtOnce = 500
/** Records whose time is compared at once. */
const comparedAtOnce = 5000
const dayMs = 24 * 60 * 60_000
const mebibyte = 1024 * 1024

/**
 * Removes the oldest records: those that are older than the settings allow, and as many as are too large. Records what
 * was removed before it removes it, with the last hash, so that the rest can still be verified. Continues a removal that
 * was interrupted.
 *
 * @returns the number of removed records
 */
export async function enforceRetention(
  database: Pick<Database, 'read' | 'write'>,
  { days, megabytes }: AuditSettings,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<number> {
  const previous = await lastCut(database)
  const removedBefore = previous ? await removeThrough(database, previous.through, signal) : 0
  const through = Math.max(
    await lastOlder(database, clock() - days * dayMs),
    await lastTooMany(database, megabytes * mebibyte),
  )
  const hash = await createAuditReader(database).hashOf(through)
  if (hash === undefined) return removedBefore
  const detail = cutDetail({ through, hash })
  await database.write(appendStatements({ kind: 'cut', outcome: 'done', who: serverItself, detail }, clock()))
  return removedBefore + (await removeThrough(database, through, signal))
}

/**
 * Returns the last record of those at the beginning that are older than a time; 0 if the first one is not. A record with
 * a time in the future, from before a clock was corrected, keeps those after it until it is old too.
 */
async function lastOlder(database: Pick<Database, 'read'>, time: number): Promise<number> {
  let last = 0
  for (;;) {
    const ages = await createAuditReader(database).agesAfter(last, { time, limit: comparedAtOnce })
    const { old = null, young = null } = ages ?? {}
    if (young !== null) return old !== null && old < young ? young - 1 : last
    // The last record always stays: the next one continues its hash.
    if (old === null) return last - 1
    last = old
  }
}

/** Returns the last record that must go so that a tenth of the limit is free; 0 while the limit is not reached. */
async function lastTooMany(database: Pick<Database, 'read'>, limit: number): Promise<number> {
  const size = await createAuditReader(database).size()
  if (!size?.first || size.bytes <= limit || size.records === 0) return 0
  const share = 1 - (limit * 0.9) / size.bytes
  return size.first + Math.ceil(size.records * share) - 1
}

async function removeThrough(
  database: Pick<Database, 'read' | 'write'>,
  through: number,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0
  for (;;) {
    if (signal.aborted) return removed
    const first = (await createAuditReader(database).firstNumber()) ?? through + 1
    if (first > through) return removed
    const to = Math.min(through, first + removedAtOnce - 1)
    // Returns free pages at the end of the file to the disk. The others are used for the next records.
    await database.write([...removeStatements(first, to), { sql: 'PRAGMA incremental_vacuum(64)' }])
    removed += to - first + 1
  }
}
