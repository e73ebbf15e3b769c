import { randomBytes } from 'node:crypto'
import { type ClockSources, createSteadyClock, isFuture, systemClocks } from '#src/core/clock.ts'
import type { Logger } from '#src/core/log.ts'
import { removeEntry } from '#src/core/lookup.ts'
import type { Records } from './records.ts'
import type { ShareRecord, State } from './state.ts'
import type { Store } from './store.ts'

/** The latest time that was seen, in milliseconds since 1970; there is one such record. */
export interface TimeRecord {
  id: 'latest'
  latest: number
}

/** Whether a value read from disk is a noted time. */
export function isTimeRecord(value: unknown): value is TimeRecord {
  const { id, latest } = (value ?? {}) as Partial<TimeRecord>
  return id === 'latest' && Number.isFinite(latest)
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A clock that is set back further was wrong before, or is wrong now: nothing that was signed can be judged by it. */
const farMs = 24 * hourMs
/** Earlier than this program: a computer without a battery shows such a time until it has asked the network. */
const earliestMs = Date.UTC(2026, 0, 1)

/**
 * The clock of a running server. It never goes back, also not over a restart: the latest time is noted at changes of the
 * state (at most once a minute), each hour, and at the end.
 *
 * When the time of day is more than a day behind, the clock follows it, and everything that was signed before is void: the
 * signing key changes, sessions end, links that had ended are removed. A time of day that is older than this program is
 * not believed; the clock goes on from the latest time then.
 */
export async function keepTime(options: {
  records: Records<TimeRecord>
  store: Store
  sessions: Pick<Records<{ id: string }>, 'all' | 'remove'>
  log: Logger
  sources?: ClockSources
}) {
  const { records, store, sessions, log, sources = systemClocks } = options
  const clock = createSteadyClock(sources, records.get('latest')?.latest)
  let noted = 0
  let isUnset = false

  async function note(): Promise<void> {
    const latest = clock.now()
    noted = latest
    await records.put({ id: 'latest', latest })
  }

  const noteIn = (ms: number) => {
    if (Math.abs(clock.now() - noted) >= ms)
      void note().catch((err) => log.warn({ err }, 'the time cannot be noted'))
  }

  async function startAnew(): Promise<void> {
    const [before, now] = [clock.now(), sources.wall()]
    const [from, to] = [before, now].map((ms) => new Date(ms).toISOString())
    log.warn(
      { from, to },
      'the clock was set back by more than a day: all sessions end, and people sign in again',
    )
    // In this order: a kill in between leaves the noted time, and the next start does the same again.
    await store.change((draft) => {
      draft.credentials.signingKey = randomBytes(64).toString('base64')
      moveLinks(draft, before, now)
    })
    for (const { id } of sessions.all()) await sessions.remove(id)
    clock.jump()
    await note()
  }

  async function check(): Promise<void> {
    const isFarBehind = clock.behind() > farMs
    const isBelievable = sources.wall() >= earliestMs
    if (isFarBehind && !isBelievable && !isUnset) {
      const time = new Date(clock.now()).toISOString()
      log.warn(
        { time },
        'the clock of this computer is not set: the server goes on from the latest time it knows',
      )
    }
    isUnset = isFarBehind && !isBelievable
    if (isFarBehind && isBelievable) await startAnew()
  }

  let checking: Promise<void> = Promise.resolve()
  /** Looks whether the time of day was set far back. A failure is logged: the clock just goes on, and the next look tries again. */
  const look = () => {
    checking = checking
      .then(check)
      .catch((err) => log.error({ err }, 'the clock cannot follow the time of day'))
    return checking
  }

  await look()
  const timer = setInterval(() => {
    void look()
    noteIn(hourMs)
  }, minuteMs)
  timer.unref()

  return {
    now: clock.now,
    check: look,
    /** The store, whose changes note the time. */
    store: {
      get data() {
        return store.data
      },
      async change<T>(edit: (draft: State) => T): Promise<T> {
        const answer = await store.change(edit)
        noteIn(minuteMs)
        return answer
      },
    } satisfies Store,
    /** Notes the time for the next start. */
    async close(): Promise<void> {
      clearInterval(timer)
      await checking
      await note().catch((err) => log.warn({ err }, 'the time cannot be noted'))
    },
  }
}

/** Removes links that have ended by `before`. A link that was made later than `now` keeps the time that it had left. */
function moveLinks({ shares }: State, before: number, now: number): void {
  for (const [hash, share] of Object.entries(shares)) {
    if (share.expire !== 0 && share.expire * 1000 <= before) removeEntry(shares, hash)
    else if (isFuture(share.created * 1000, now)) rebase(share, before, now)
  }
}

function rebase(share: ShareRecord, before: number, now: number): void {
  share.created = Math.floor(now / 1000)
  if (share.expire !== 0) share.expire = Math.floor((now + share.expire * 1000 - before) / 1000)
}
