import type { Clock } from '#src/core/clock.ts'
import { networkOf } from '#src/core/network.ts'
import { type AuditEntry, serverItself } from './entry.ts'

/** Equal events of one client within this time are summed up. The time doubles while they continue. */
const firstMs = 60_000
const longestMs = 60 * 60_000

interface RepeatOptions {
  clock: Clock
  /** Writes a record. */
  append: (entry: AuditEntry) => void
  /** Equal events of one client that are recorded one by one, before those of the same minute are summed up. */
  freely?: number
  /** Maximum number of clients that are counted separately. The events of all further clients are counted together. */
  maxClients?: number
}

interface Repeat {
  entry: AuditEntry
  /** Events that were recorded one by one. */
  recorded: number
  /** Events since the last record. */
  count: number
  until: number
  lengthMs: number
}

/**
 * Sums up equal events, so that one client cannot fill the log: the first one is recorded at once, the others of the next minute
 * together. If they continue, they are summed up for a longer time, at most an hour. Events of different shared links are
 * not equal.
 */
export function createRepeats({ clock, append, freely = 1, maxClients = 200 }: RepeatOptions) {
  const repeats = new Map<string, Repeat>()

  /** Returns what makes events equal, and the entry for them: the one of many clients names none of them. */
  function grouped(entry: AuditEntry): { key: string; entry: AuditEntry } {
    const { kind, outcome, who, detail = '', link } = entry
    // The detail begins with a code. The rest may be chosen by the client.
    const [code = ''] = detail.split(' ')
    const client = who.userId === null ? networkOf(who.address) : `user ${who.userId}`
    const ofLink = `${kind} ${outcome} ${code} ${link?.hash ?? ''}`
    const key = `${ofLink} ${client}`
    if (repeats.has(key) || repeats.size < maxClients) return { key, entry }
    const many = { kind, outcome, who: serverItself, detail: 'many clients', bytes: entry.bytes }
    if (link && (repeats.has(ofLink) || repeats.size < 2 * maxClients))
      return { key: ofLink, entry: { ...many, link: { ...link, path: '/', sender: undefined } } }
    return { key: `${kind} ${outcome}`, entry: many }
  }

  return {
    /** Records an event, now or together with equal ones. */
    add(given: AuditEntry): void {
      const { key, entry } = grouped(given)
      const known = repeats.get(key)
      if (known && known.recorded >= freely) {
        known.entry = { ...entry, ...sumOf(known, entry) }
        known.count++
        return
      }
      append({ ...entry, count: 1 })
      if (known) known.recorded++
      else repeats.set(key, { entry, recorded: 1, count: 0, until: clock() + firstMs, lengthMs: firstMs })
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

/** The bytes of all events that are summed up. */
function sumOf({ count, entry: before }: Repeat, { bytes }: AuditEntry): Pick<AuditEntry, 'bytes'> {
  return bytes === undefined ? {} : { bytes: bytes + (count === 0 ? 0 : (before.bytes ?? 0)) }
}

/** More time than the longest is left only when the clock was set back. */
function isOver({ until }: Repeat, now: number): boolean {
  return now >= until || until - now > longestMs
}
