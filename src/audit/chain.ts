import type { Database } from '#src/core/database/database.ts'
import { createAuditReader, type Head } from './records.ts'

/** A cut of the retention: the last record that it has removed, or will remove. */
export interface Cut {
  /** The number of the record of the cut. */
  seq: number
  through: number
  hash: string
}

/** What a verification has found. */
export interface Verification {
  /** Number of records that were verified. */
  records: number
  /** The number of the first one. 0: there are none. */
  first: number
  /** The last record. Undefined: there are none. */
  head: Head | undefined
  /** The records up to this number were removed by the retention. Undefined: none were. */
  removedThrough: number | undefined
  /** The first record that is wrong, and how. Undefined: none is. */
  fault: { seq: number; what: 'changed' | 'missing' | 'cut' } | undefined
  /** Where the given head is. Undefined: none was given. `removed`: the retention has removed it. */
  expected: 'found' | 'missing' | 'removed' | undefined
}

/** The head of the chain at an earlier time. The number is undefined when only the hash is known. */
export interface KeptHead {
  seq: number | undefined
  hash: string
}

/** Records that are verified at once. Takes about 10 ms, in which nothing can be written. */
const verifiedAtOnce = 1000

/** Returns the last cut. Undefined: nothing was removed. */
export async function lastCut(database: Pick<Database, 'read'>): Promise<Cut | undefined> {
  const row = await createAuditReader(database).lastOf('cut')
  const [, through, hash] = /^through (\d+) ([0-9a-f]{64})$/.exec(row?.detail ?? '') ?? []
  return row && through && hash ? { seq: row.seq, through: Number(through), hash } : undefined
}

/** The detail of the record of a cut. */
export function cutDetail({ through, hash }: Omit<Cut, 'seq'>): string {
  return `through ${through} ${hash}`
}

/**
 * Verifies that every record is the one that was written, and that none is missing between the first and the last. That
 * none is missing at the end, or that all were not written anew, only an expected head can prove.
 *
 * @param expected a head that was kept elsewhere
 */
export async function verifyChain(
  database: Pick<Database, 'read'>,
  expected?: KeptHead,
  signal?: AbortSignal,
): Promise<Verification> {
  const [head, cut] = [await createAuditReader(database).head(), await lastCut(database)]
  const begin = { seq: cut ? cut.through + 1 : 1, hash: cut?.hash ?? '' }
  const isPossible = cut === undefined || cut.through < cut.seq
  const walked = isPossible
    ? await walk(database, { begin, last: head?.seq ?? 0, wanted: expected?.hash ?? '', signal })
    : { records: 0, isFound: false, fault: { seq: cut.seq, what: 'cut' as const } }
  const isFound = walked.isFound || (expected !== undefined && expected.hash === cut?.hash)
  return {
    records: walked.records,
    first: walked.records > 0 ? begin.seq : 0,
    head,
    removedThrough: cut?.through,
    fault: walked.fault,
    expected: expected && placeOf(expected, cut, isFound),
  }
}

/** Verifies all records, the oldest first, up to the first fault. */
async function walk(
  database: Pick<Database, 'read'>,
  {
    begin,
    last,
    wanted,
    signal,
  }: { begin: Head; last: number; wanted: string; signal: AbortSignal | undefined },
): Promise<Pick<Verification, 'records' | 'fault'> & { isFound: boolean }> {
  const reader = createAuditReader(database)
  const state = { records: 0, isFound: false }
  for (let low = begin.seq; low <= last; low += verifiedAtOnce) {
    signal?.throwIfAborted()
    const high = Math.min(last, low + verifiedAtOnce - 1)
    const part = await reader.check({ low, high }, begin, wanted)
    state.records += part?.records ?? 0
    state.isFound ||= part?.isHead === 1
    if (part?.records !== high - low + 1)
      return { ...state, fault: firstGap(low, await reader.numbers({ low, high })) }
    if (part.wrong) return { ...state, fault: { seq: part.wrong, what: 'changed' } }
  }
  return { ...state, fault: undefined }
}

function firstGap(low: number, numbers: readonly number[]): Verification['fault'] {
  const gap = numbers.findIndex((seq, at) => seq !== low + at)
  return { seq: low + (gap < 0 ? numbers.length : gap), what: 'missing' }
}

function placeOf({ seq }: KeptHead, cut: Cut | undefined, isFound: boolean): Verification['expected'] {
  if (isFound) return 'found'
  return cut && seq !== undefined && seq < cut.through ? 'removed' : 'missing'
}
