import type { Clock } from '#src/core/clock.ts'
import { networkOf } from '#src/core/network.ts'
import { type AuditEntry, serverItself } from './entry.ts'

/** Equal events of one client within this time are summed up. The time doubles while they continue. */
const firstMs = 60_000
const longestMs = 60 * 60_000
/** Maximum number of clients that are counted separately. The events of all further clients are counted together. */
const maxClients = 200

interface Repeat {
  entry: AuditEntry
  /** Events since the last record. */
  count: number
  until: number
  lengthMs: number
}

/**
 * Sums up equal events, so that one client cannot fill the log: the first one is recorded at once, the others of the next minute
 * together. If they continue, they are summed up for a longer time, at most an hour.
 *
 * @param append writes a record
 */
export function createRepeats(clock: Clock, append: (entry: AuditEntry) => void) {
  const repeats = new Map<string, Repeat>()

  /** Returns what makes events equal, and the entry for them: the one of many clients names none of them. */
  function grouped(entry: AuditEntry): { key: string; entry: AuditEntry } {
    const { kind, outcome, who, detail = '' } = entry
    // The detail begins with a code. The rest may be chosen by the client.
    const [code = ''] = detail.split(' ')
    const client = who.userId === null ? networkOf(who.address) : `user ${who.userId}`
    const key = `${kind} ${outcome} ${code} ${client}`
    if (repeats.has(key) || repeats.size < maxClients) return { key, entry }
    return {
      key: `${kind} ${outcome}`,
      entry: { kind, outcome, who: serverItself, detail: 'many clients' },
    }
  }

  return {
    /** Records an event, now or together with equal ones. */
    add(given: AuditEntry): void {
      const { key, entry } = grouped(given)
      const known = repeats.get(key)
      if (known) {
        known.count++
        known.entry = entry
        return
      }
      append({ ...entry, count: 1 })
      repeats.set(key, { entry, count: 0, until: clock() + firstMs, lengthMs: firstMs })
    },

    /** Records the sums whose time is over. To be called regularly. */
    flush(isLast = false): void {
      const now = clock()
      for (const [key, repeat] of repeats) if (isLast || isOver(repeat, now)) settle(key, repeat, now)
      if (isLast) repeats.clear()
    },
  }

  function settle(key: string, repeat: Repeat, now: number): void {
    if (repeat.count === 0) return void repeats.delete(key)
    append({ ...repeat.entry, count: repeat.count })
    repeat.count = 0
    repeat.lengthMs = Math.min(longestMs, 2 * repeat.lengthMs)
    repeat.until = now + repeat.lengthMs
  }
}

/** More time than the longest is left only when the clock was set back. */
function isOver({ until }: Repeat, now: number): boolean {
  return now >= until || until - now > longestMs
}
