import type { Listing } from '#contract/resources.ts'
import type { Person } from '#src/auth/actor.ts'
import { onPath } from '#src/core/errno.ts'
import type { PaidTurns } from '#src/core/payers.ts'
import { Problem } from '#src/core/problem.ts'
import { type Held, hold } from '#src/files/jail.ts'
import type { Lister } from '#src/files/lister.ts'
import { rootPath, type TypedPath } from '#src/files/user-path.ts'
import { factsOf } from './look.ts'
import { recheckWaiting } from './resources.policy.ts'

/** How a folder is listed. */
export interface Listed {
  /** The folder as it was asked for, also with a closing slash (reference 3.1). */
  typed: TypedPath
  /** Whose order the names are in. */
  language: string
  /** Aborts when the client leaves: a listing that waits is given up. */
  signal: () => AbortSignal
}

/** Lists folders, in turns: everybody has a share of the threads, and visitors of links only a part of them. */
export function createListings(lister: Lister, turns: PaidTurns) {
  return {
    /**
     * The listing of a held folder, as the JSON of a `Listing`. Closes the folder.
     *
     * @throws Problem `user.busy`, `server.busy`, and after a wait as `hold` does.
     */
    async list(person: Person, folder: Held, listed: Listed): Promise<Buffer> {
      const { signal, typed } = listed
      const { path } = typed
      const recheck = recheckWaiting(person, 'look', [path])
      using free = turns.tryEnter(person.payer)
      if (free) {
        await using held = folder
        return await read(person, held, listed)
      }
      // Whatever waits holds nothing open; the folder is held again, and checked as if it were asked for now.
      await folder.close()
      using _turn = await turns.enter(person.payer, { recheck, signal })
      await using held = await hold(await person.jail(), path)
      if (!held.stats.isDirectory()) throw new Problem('path.file', { path })
      return await read(person, held, listed)
    },
  }

  async function read(person: Person, folder: Held, { typed, language, signal }: Listed): Promise<Buffer> {
    const { path, asFolder } = typed
    const { root, secret } = await person.jail()
    const { rules, page } = person
    const { sorting, hideDotfiles } = person.user
    const { address, real } = folder
    const task = { address, real, root, secret, path, rules, hideDotfiles, sorting, language }
    const recheck = recheckWaiting(person, 'look', [path])
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
