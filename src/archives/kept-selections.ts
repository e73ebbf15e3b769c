import { isFuture } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'

// How long a list of names waits for the address that speaks of it, and how much waits for one network and for all.
const lifeMs = 60_000
const most = { each: 4 * 1024 ** 2, all: 64 * 1024 ** 2 }

interface Kept {
  files: string
  who: string
  until: number
}

/**
 * Lists of names that are too long for an address. A browser saves only what an address leads to, and proxies cut those
 * at some kilobytes; a list here has a short one. It says nothing of what its names may reach: that is asked when it is
 * used.
 */
export function createKeptSelections(clock: () => number) {
  const kept = new Map<string, Kept>()

  function forgetOld(): void {
    for (const [id, { until }] of kept) {
      if (until <= clock() || isFuture(until - lifeMs, clock())) kept.delete(id)
    }
  }

  function sizeOf(who?: string): number {
    let size = 0
    for (const each of kept.values()) if (who === undefined || each.who === who) size += each.files.length
    return size
  }

  function filesOf(id: string, who: string): string {
    const found = kept.get(id)
    if (found?.who !== who) throw new Problem('request.value', { field: 'selection', value: id })
    return found.files
  }

  function makeRoom(who: string, length: number): void {
    for (const [id, each] of kept) {
      if (sizeOf(who) + length <= most.each) return
      if (each.who === who) kept.delete(id)
    }
  }

  return {
    /**
     * Keeps names, written as in the query parameter `files`, for 60 s and answers their id. Who has too much kept loses
     * what they kept first.
     *
     * @param before an id of an earlier call; the names are added to those of that id, which ends
     * @throws Problem `server.busy` when all have too much, `request.value` when nothing of theirs has that id,
     *   `request.large` when it becomes more than one may keep.
     */
    keep(added: string, who: string, before?: string): string {
      forgetOld()
      const files = before === undefined ? added : `${filesOf(before, who)},${added}`
      if (files.length > most.each) throw new Problem('request.large', { limit: most.each })
      if (before !== undefined) kept.delete(before)
      makeRoom(who, files.length)
      if (sizeOf() + files.length > most.all) throw new Problem('server.busy')
      const id = randomId()
      kept.set(id, { files, who, until: clock() + lifeMs })
      setTimeout(() => kept.delete(id), lifeMs).unref()
      return id
    },

    /** The names behind an id; they stay, for a download may be begun anew. @throws Problem `request.value`. */
    find(id: string): string {
      forgetOld()
      const found = kept.get(id)
      if (!found) throw new Problem('request.value', { field: 'selection', value: id })
      return found.files
    },
  }
}
