import { recheckOf } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { type Located, locateIn } from '#src/files/jail/locate.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { makeParent } from '#src/files/writing/make.ts'
import { freeName } from './destination.ts'

/** Finds free names for files that are sent, so that none replaces another one. */
export function createFreeNames({ locks, modes }: { locks: KeyedLock; modes: () => FileModes }) {
  // The keys of names that uploads have chosen and not yet used. Other uploads do not treat them as free.
  const reserved = new Set<string>()

  return {
    /**
     * Reserves the name, or the first free `name(1).ext`, until the result is disposed.
     *
     * @param made receives the path of each folder that is made for it
     * @throws Problem as `openPath` does for the folder.
     */
    async reserve(actor: Principal, path: UserPath, made: UserPath[]) {
      const jail = await actor.jail()
      // Uploads into a folder that is missing meet in it.
      await using folder = await makeParent(jail, path, { mode: modes().dirMode, made })
      return await locks.run(`folder ${folder.real}`, recheckOf(actor, 'create', [path]), async () => {
        const isReserved = ({ key }: Located) => reserved.has(key)
        const candidate = await locateIn(jail, folder, nameOf(path))
        const isTaken = candidate.stats !== undefined || isReserved(candidate)
        const { path: free, key } = isTaken
          ? await freeName(jail, { candidate, from: candidate, isReserved })
          : { path, key: candidate.key }
        reserved.add(key)
        return { path: free, [Symbol.dispose]: () => void reserved.delete(key) }
      })
    },
  }
}

export type FreeNames = ReturnType<typeof createFreeNames>
