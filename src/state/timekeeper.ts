import { randomBytes } from 'node:crypto'
import { type ClockSources, createSteadyClock, isFuture, systemClocks } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { removeEntry } from '#src/core/lookup.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { StateDocument } from './document.ts'
import type { SessionStore } from './sessions.ts'
import type { ShareRecord, State } from './state.ts'

/** The latest time that this server has seen, in milliseconds since 1970. There is only one such record. */
export interface TimeRecord {
  id: 'latest'
  latest: number
}

/** Whether a value from the disk is a time record. */
export function isTimeRecord(value: unknown): value is TimeRecord {
  const { id, latest } = (value ?? {}) as Partial<TimeRecord>
  return id === 'latest' && Number.isFinite(latest)
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/**
 * After a larger step back, the clock was wrong before or is wrong now, so that no earlier signature can be checked.
 */
const maxBehindMs = 24 * hourMs
/**
 * Before the release of this program. A computer without a battery has such a time until it gets the time from the
 * network.
 */
export const earliestMs = Date.UTC(2026, 0, 1)

/**
 * Creates the clock of a running server. It never goes back, not even over a restart: the latest time is stored when
 * the state changes (at most once a minute), every hour, and on close.
 *
 * When the time of day is more than a day behind, the clock follows it, and all earlier signatures become invalid: the
 * signing key changes, sessions end, and expired shares are removed. A time of day before the release of this program
 * is ignored. The clock then continues from the latest time.
 */
export async function createTimekeeper(options: {
  records: Records<TimeRecord>
  document: StateDocument
  sessions: Pick<SessionStore, 'list' | 'remove'>
  log: Logger
  sources?: ClockSources
}) {
  const { records, document, sessions, log, sources = systemClocks } = options
  const clock = createSteadyClock(sources, records.get('latest')?.latest)
  let storedAt = 0
  let isUnset = false

  async function storeTime(): Promise<void> {
    const latest = clock.now()
    storedAt = latest
    await records.put({ id: 'latest', latest })
  }

  const storeTimeAfter = (ms: number) => {
    if (Math.abs(clock.now() - storedAt) >= ms)
      void storeTime().catch((err) => log.warn({ err }, 'the server cannot save the current time'))
  }

  async function followBack(): Promise<void> {
    const [before, now] = [clock.now(), sources.wall()]
    const [from, to] = [before, now].map((ms) => new Date(ms).toISOString())
    log.warn(
      { from, to },
      'the clock was set back by more than a day: all sessions end, and users must sign in again',
    )
    // In this order, because a kill in between keeps the stored time, and the next start repeats these steps.
    await document.update((draft) => {
      draft.credentials.signingKey = randomBytes(64).toString('base64')
      rebaseShares(draft, before, now)
    })
    for (const { id } of await sessions.list()) await sessions.remove(id)
    clock.jump()
    await storeTime()
  }

  async function check(): Promise<void> {
    const isFarBehind = clock.behind() > maxBehindMs
    const isPlausible = sources.wall() >= earliestMs
    if (isFarBehind && !isPlausible && !isUnset) {
      const time = new Date(clock.now()).toISOString()
      log.warn(
        { time },
        'the clock of this computer is not set: the server continues from the latest time that it saved',
      )
    }
    isUnset = isFarBehind && !isPlausible
    if (isFarBehind && isPlausible) await followBack()
  }

  let checking: Promise<void> = Promise.resolve()
  /**
   * Checks whether the time of day was set far back. An error is logged: the clock continues, and the next check tries
   * again.
   */
  const checkOnce = () => {
    checking = checking
      .then(check)
      .catch((err) => log.error({ err }, 'the server cannot adjust its clock to the system time'))
    return checking
  }

  await checkOnce()
  document.onUpdate(() => storeTimeAfter(minuteMs))
  const timer = setInterval(() => {
    void checkOnce()
    storeTimeAfter(hourMs)
  }, minuteMs)
  timer.unref()

  return {
    now: clock.now,
    /** How far the time of day was from the latest time at the start, in milliseconds. Undefined: the first start. */
    offMs: clock.offMs,
    check: checkOnce,
    /** Stores the time for the next start. */
    async close(): Promise<void> {
      clearInterval(timer)
      await checking
      await storeTime().catch((err) => log.warn({ err }, 'the server cannot save the current time'))
    },
  }
}

/** Removes shares that expired before `before`. A share created after `now` keeps its remaining time. */
function rebaseShares({ shares }: State, before: number, now: number): void {
  for (const [hash, share] of Object.entries(shares)) {
    if (share.expire !== 0 && share.expire * 1000 <= before) removeEntry(shares, hash)
    else if (isFuture(share.created * 1000, now)) rebase(share, before, now)
  }
}

function rebase(share: ShareRecord, before: number, now: number): void {
  share.created = Math.floor(now / 1000)
  if (share.expire !== 0) share.expire = Math.floor((now + share.expire * 1000 - before) / 1000)
}
