import type { UserPath } from '#src/files/paths/user-path.ts'
import { type Address, createDescent, pathIn } from './descent.ts'

/** Why a worker refuses a task. `path` is the deepest path on the way to the cause that no rule denies. */
export interface Refusal {
  code: 'path.forbidden' | 'path.special' | 'path.deep' | 'disk.full'
  path: UserPath
}

/** The callbacks of a visit. */
interface Visit<Stop> {
  /** Lists the names in the current folder. */
  names(folder: Address): Buffer[]
  /** Handles an entry. `inside` visits the folder too; undefined continues; any other value ends the visit. */
  visitEntry(name: Buffer, address: Address): 'inside' | Stop | undefined
  /** Called after every entry of the folder `name` was visited. */
  leaveFolder(name: Buffer, address: Address): void
}

/**
 * Visits everything below a folder, each folder before its contents. It uses its own stack and holds at most 33 folders
 * open, so that any depth works. Synchronous, for worker threads.
 *
 * @returns the value of `meet` that ended the visit; undefined when everything was visited
 * @throws the system's error
 */
export function visitTree<Stop extends object>(top: Address, visit: Visit<Stop>): Stop | undefined {
  const descent = createDescent()
  const levels: Level[] = []

  function enter(name: Buffer, address: Address): void {
    descent.down(address)
    levels.push({ name, left: visit.names(descent.address()) })
  }

  function leave({ name }: Level): void {
    levels.pop()
    descent.up()
    if (levels.length > 0) visit.leaveFolder(name, pathIn(descent.address(), name))
  }

  function step(level: Level): Stop | undefined {
    const name = level.left.pop()
    if (!name) {
      leave(level)
      return undefined
    }
    const address = pathIn(descent.address(), name)
    const met = visit.visitEntry(name, address)
    if (met !== 'inside') return met
    enter(name, address)
    return undefined
  }

  try {
    enter(Buffer.alloc(0), top)
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      const stop = step(level)
      if (stop) return stop
    }
    return undefined
  } finally {
    descent.close()
  }
}

/** A folder on the way to the current entry, and the names in it that are still to be visited. */
interface Level {
  name: Buffer
  left: Buffer[]
}
