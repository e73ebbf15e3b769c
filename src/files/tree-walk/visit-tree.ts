import type { UserPath } from '#src/files/paths/user-path.ts'
import { type Address, createDescent, nameIn } from './descent.ts'

/** Why a worker refuses. `path` is what of the tree may be named: the deepest thing that no rule denies. */
export interface Refused {
  code: 'path.forbidden' | 'path.special' | 'path.deep' | 'disk.full'
  path: UserPath
}

/** What is done with everything below a folder. */
interface Visit<Stop> {
  /** The names in the folder where the visit is. */
  names(folder: Address): Buffer[]
  /** Meets an entry. `inside`: it is a folder, to be visited too. Another answer ends the visit. */
  meet(name: Buffer, address: Address): 'inside' | Stop | undefined
  /** All in the folder `name` was met. */
  left(name: Buffer, address: Address): void
}

/**
 * Visits everything below a folder, each folder before what is in it. It keeps its own list of levels and holds few folders
 * open, so that no depth is too great. Synchronous: for workers.
 *
 * @returns what `meet` has ended it with; undefined when everything was met
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
    if (levels.length > 0) visit.left(name, nameIn(descent.address(), name))
  }

  function step(level: Level): Stop | undefined {
    const name = level.left.pop()
    if (!name) {
      leave(level)
      return undefined
    }
    const address = nameIn(descent.address(), name)
    const met = visit.meet(name, address)
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

/** A folder that the visit is in, and the names in it that are left. */
interface Level {
  name: Buffer
  left: Buffer[]
}
