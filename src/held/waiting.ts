import type { FileHandle } from 'node:fs/promises'
import type { Clamd } from '#src/core/clamd/clamd.ts'
import type { Verdict } from '#src/core/clamd/verdict.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { errnoOf, Problem, unconditional } from '#src/core/problem.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { hashedContent } from './hashed-content.ts'
import type { HeldFile } from './held-record.ts'
import type { Scanning } from './scanning.ts'

const firstDelayMs = 5000
const mostDelayMs = 5 * 60_000
/**
 * After this many failures on one file, while the scanner answers otherwise, the file counts as unscannable. A scanner that
 * closes the connection twice during one file does so because of its size: its answer may be lost then.
 */
const mostTries = 5
const mostBroken = 2

/** What examining files again needs. */
export interface WaitingOptions {
  clamd: Clamd
  scanning: Scanning
  records: Records<HeldFile>
  stores: Pick<KeptStores, 'byKey'>
  /** Puts a file that has passed at its place. */
  place(held: HeldFile): Promise<unknown>
  /** Called with a file in which the scanner has found something. Must not throw. */
  onFound(held: HeldFile): void
  /** Locks by the id of the file. */
  alone: KeyedLock
  log: Logger
}

/** Examines waiting files again until the scanner answers: first after 5 seconds, then less and less often. */
export function createWaiting(options: WaitingOptions) {
  const { records, alone, log } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let timer: NodeJS.Timeout | undefined
  let delayMs = firstDelayMs

  const waiting = () =>
    records
      .all()
      .filter(({ state }) => state === 'waiting')
      .toSorted((a, b) => a.time - b.time)

  /** Examines all waiting files once, the oldest first. Stops when the scanner does not answer. */
  const pass = () =>
    alone.run('pass', unconditional, async () => {
      for (const held of waiting()) {
        signal.throwIfAborted()
        // It may have been deleted or released meanwhile.
        const goesOn = await alone.run(held.id, unconditional, async () => {
          const current = records.get(held.id)
          return current?.state !== 'waiting' || (await advance(options, current, signal))
        })
        if (!goesOn) return
      }
    })

  function schedule(): void {
    if (timer || signal.aborted || waiting().length === 0) return
    timer = setTimeout(async () => {
      timer = undefined
      delayMs = Math.min(delayMs * 2, mostDelayMs)
      await pass().catch((err: unknown) => {
        if (!signal.aborted) log.error({ err }, 'held files could not be examined')
      })
      if (waiting().length === 0) delayMs = firstDelayMs
      schedule()
    }, delayMs).unref()
  }

  return {
    /** Examines waiting files later. Called when there is one more. */
    schedule,

    /** Examines waiting files soon, because the scanner has just answered. */
    hurry(): void {
      if (delayMs > firstDelayMs) {
        clearTimeout(timer)
        timer = undefined
      }
      delayMs = firstDelayMs
      schedule()
    },

    /** Examines waiting files now. */
    pass,

    close(): void {
      clearTimeout(timer)
      stopping.abort()
    },
  }
}

/** Examines one file and does what follows. Returns whether the scanner answers. */
async function advance(options: WaitingOptions, held: HeldFile, signal: AbortSignal): Promise<boolean> {
  if (held.hasPassed) {
    await tryPlace(options, held)
    return true
  }
  const verdict = await examineHeld(options, held, signal)
  if (!verdict) return true
  if (verdict.kind === 'clean') {
    const passed = { ...held, hasPassed: true }
    await options.records.put(passed)
    await tryPlace(options, passed)
    return true
  }
  if (verdict.kind === 'away') return noteFailure(options, { held, verdict }, signal)
  const isInfected = verdict.kind === 'infected'
  const reason = isInfected ? verdict.signature : verdict.reason
  const found: HeldFile = { ...held, state: verdict.kind, reason }
  await options.records.put(found)
  if (isInfected) options.onFound(found)
  return true
}

/** Sends a held file to the scanner. Undefined: its content is not there now. */
async function examineHeld(
  { stores, scanning, records }: WaitingOptions,
  held: HeldFile,
  signal: AbortSignal,
): Promise<Verdict | undefined> {
  const store = await stores.byKey(held.place)
  const file: FileHandle | undefined = await store?.open(held.id).catch((error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error
    return undefined
  })
  if (!file) return undefined
  try {
    const content = hashedContent(file)
    const verdict = await scanning.ask(content.pieces, signal)
    if (held.sha256 === '' && verdict.kind !== 'away') {
      const { sha256 } = await content.facts(signal)
      await records.put({ ...held, sha256 })
    }
    return verdict
  } finally {
    await file.close()
  }
}

async function tryPlace({ place, records, log }: WaitingOptions, held: HeldFile): Promise<void> {
  try {
    await place(held)
  } catch (error) {
    // It stays held, and the next pass tries again: rights and disks change.
    const isExpected = error instanceof Problem
    if (!isExpected) log.error({ err: error, file: held.id }, 'a held file could not be put at its place')
    const reason = isExpected ? error.message : 'it could not be put at its place; see the log'
    if (records.get(held.id)) await records.put({ ...held, reason })
  }
}

/** Counts a failure against the file if the scanner answers otherwise. Returns whether it does. */
async function noteFailure(
  { clamd, records }: WaitingOptions,
  { held, verdict }: { held: HeldFile; verdict: Extract<Verdict, { kind: 'away' }> },
  signal: AbortSignal,
): Promise<boolean> {
  const isAway = (await clamd.fault(signal)) !== undefined
  signal.throwIfAborted()
  const tries = isAway ? held.tries : held.tries + 1
  const { reason, isBroken } = verdict
  const isHopeless = tries >= (isBroken ? mostBroken : mostTries)
  await records.put({
    ...held,
    tries,
    reason: isHopeless ? `the scanner has failed on it ${tries} times: ${reason}` : reason,
    ...(isHopeless && { state: 'unscannable' as const }),
  })
  return !isAway
}
