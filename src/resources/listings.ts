import type { Listing } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import type { Lister } from '#src/files/listing/lister.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { rootPath, type TypedPath } from '#src/files/paths/user-path.ts'
import { isStillThere } from '#src/files/reading/open-held.ts'
import { factsOf } from './resource-view.ts'
import { recheckWaiting } from './resources.policy.ts'

/** How a folder is listed. */
export interface Listed {
  /** The folder as it was asked for, also with a closing slash (contract/compatibility.md#listings-and-files). */
  typed: TypedPath
  /** Whose order the names are in. */
  language: string
  /** Aborts when the client leaves: a listing that waits is given up. */
  signal: () => AbortSignal
}

/** Lists folders, in turns: everybody has a share of the threads, and visitors of links only a part of them. */
export function createListings(lister: Lister, turns: PartitionedSemaphore) {
  return {
    /**
     * The listing of a held folder, as the JSON of a `Listing`. While it waits it keeps the folder open, which the caller
     * has counted; names and rules are those of the moment when it begins.
     *
     * @throws Problem `user.busy`, `server.busy`, and after a wait what the call is refused with by then.
     */
    async list(person: Person, folder: OpenPath, listed: Listed): Promise<Buffer> {
      const { signal, typed } = listed
      const recheck = recheckWaiting(person, 'look', [typed.path, folder.path])
      using free = turns.tryAcquire(person.payer)
      if (free) return await read(person, folder, { ...listed, recheck })
      using _turn = await turns.acquire(person.payer, { recheck, signal })
      // Elsewhere other rules hold, and what was deleted would look empty.
      if (!isStillThere(folder)) throw new Problem('path.unknown', { path: typed.path })
      return await read(person, folder, { ...listed, recheck })
    },
  }

  async function read(
    person: Person,
    folder: OpenPath,
    { typed, language, signal, recheck }: Listed & { recheck: Recheck },
  ): Promise<Buffer> {
    const { path, asFolder } = typed
    const { root, secret } = await person.jail()
    const { rules, page } = person
    const { sorting, hideDotfiles } = person.user
    const { address, real } = folder
    const task = { address, real, root, secret, path, rules, hideDotfiles, sorting, language }
    const { items, numDirs, numFiles } = await lister
      .list({ ...task, ...(page && { page }) }, { recheck, signal })
      .catch(onPath(path))
    const facts: Omit<Listing, 'items'> = {
      kind: 'listing',
      ...(await factsOf(folder, path, person)),
      path: asFolder && path !== rootPath ? `${path}/` : path,
      type: '',
      numDirs,
      numFiles,
      sorting,
    }
    // The items come as JSON already; only the frame around them is written here.
    const frame = JSON.stringify(facts)
    return Buffer.concat([Buffer.from(`${frame.slice(0, -1)},"items":`), items, Buffer.from('}')])
  }
}

export type Listings = ReturnType<typeof createListings>
