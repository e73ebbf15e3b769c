import { isFuture } from '#src/core/clock.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'

// How long a stored list of names lives, and the size limits for one network and for all, in UTF-16 code units.
const lifetimeMs = 60_000
const maxSize = { each: 4 * 1024 ** 2, all: 64 * 1024 ** 2 }

interface Selection {
  files: string
  network: string
  until: number
}

/**
 * Stores lists of names that are too long for a URL. A browser saves a download only from a URL, and proxies limit
 * URLs to some kilobytes. The id of a stored list is short. It grants no access: permissions are checked when it is
 * used.
 */
export function createKeptSelections(clock: () => number) {
  const selections = new Map<string, Selection>()

  function removeExpired(): void {
    for (const [id, { until }] of selections) {
      if (until <= clock() || isFuture(until - lifetimeMs, clock())) selections.delete(id)
    }
  }

  function sizeOf(network?: string): number {
    let size = 0
    for (const each of selections.values())
      if (network === undefined || each.network === network) size += each.files.length
    return size
  }

  function filesOf(id: string, network: string): string {
    const found = selections.get(id)
    if (found?.network !== network) throw new Problem('request.value', { field: 'selection', value: id })
    return found.files
  }

  function removeOldest(network: string, length: number): void {
    for (const [id, each] of selections) {
      if (sizeOf(network) + length <= maxSize.each) return
      if (each.network === network) selections.delete(id)
    }
  }

  return {
    /**
     * Stores names, in the format of the query parameter `files`, for 60 s and returns their id. If a network stores
     * too much, its oldest lists are removed.
     *
     * @param before an id of an earlier call, whose names come first in the new list; the old id becomes invalid
     * @throws Problem `server.busy` if all networks together store too much, `request.value` if the network has no
     *   list with that id, `request.large` if the list exceeds the limit of one network.
     */
    keep(added: string, network: string, before?: string): string {
      removeExpired()
      const files = before === undefined ? added : `${filesOf(before, network)},${added}`
      if (files.length > maxSize.each) throw new Problem('request.large', { limit: maxSize.each })
      if (before !== undefined) selections.delete(before)
      removeOldest(network, files.length)
      if (sizeOf() + files.length > maxSize.all) throw new Problem('server.busy')
      const id = randomId()
      selections.set(id, { files, network, until: clock() + lifetimeMs })
      setTimeout(() => selections.delete(id), lifetimeMs).unref()
      return id
    },

    /** The names of an id. They stay stored, because the download may be repeated. @throws Problem `request.value`. */
    find(id: string): string {
      removeExpired()
      const found = selections.get(id)
      if (!found) throw new Problem('request.value', { field: 'selection', value: id })
      return found.files
    },
  }
}
