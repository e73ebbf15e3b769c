import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { authorize, recheckOf } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import type { HookContext } from '#src/entries/hooks.ts'
import { type Located, locateIn } from '#src/files/jail/locate.ts'
import { namingPath } from '#src/files/paths/path-access.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { checkNewName, childOf, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import type { TreeContext } from '#src/files/trees/tree-context.ts'
import { checkDestination } from '#src/files/trees/trees.ts'
import { futurePathOf, makeParent, removeNewFolders } from '#src/files/writing/make.ts'
import { type Destination, isOneEntry } from '#src/files/writing/rename-into-place.ts'

/** The source and the destination of a copy or a rename, and what to do if the destination exists. */
export interface Transfer {
  from: UserPath
  to: UserPath
  /** Replace an existing file, which needs the permission to modify. */
  override: boolean
  /** Use the first free `name(1).ext` instead. */
  rename: boolean
}

/** A transfer that needs a name. */
interface TransferTask {
  from: Located
  transfer: Transfer
  /** The permission for the transfer. It is checked again when the name is chosen and when it is used. */
  verb: 'rename' | 'create'
  /** The transfer is a rename: on a disk that ignores case, the entry may change the spelling of its own name. */
  mayRespell?: boolean
  /** Creates the entry and gives it its name. */
  work: (to: Destination) => Promise<void>
}

/**
 * Chooses the names for copies and moves. A folder is locked while a name is chosen and while it is used, but not in
 * between. So a long copy does not block others.
 */
export function createDestinations(locks: KeyedLock) {
  // Real paths that running transfers have reserved. Other transfers do not treat them as free.
  const reserved = new Set<string>()

  /**
   * Chooses a name while the folder is locked, and reserves it until it is disposed, unless another transfer has
   * reserved it.
   */
  async function choose(
    jail: Jail,
    folder: OpenPath,
    { from, transfer, mayRespell, refuse }: TransferTask & Pick<Destination, 'refuse'>,
  ) {
    const isReserved = ({ key }: Located) => reserved.has(key)
    const found = await locateIn(jail, folder, nameOf(transfer.to))
    const isRespelled = mayRespell === true && !transfer.rename && isOneEntry(from, found)
    const candidate = isRespelled ? respelled(found) : found
    const isTaken = candidate.stats !== undefined || isReserved(candidate)
    const to = transfer.rename && isTaken ? await freeName(jail, { candidate, from, isReserved }) : candidate
    if (to.stats && !isRespelled) refuse(to.stats)
    else refuseNew(to, { from, transfer })
    const isOurs = !reserved.has(to.key)
    reserved.add(to.key)
    return { to, isRespelled, [Symbol.dispose]: () => void (isOurs && reserved.delete(to.key)) }
  }

  return {
    /**
     * Calls `work` with the name that a transfer gets. A refused or failed transfer leaves no new folders.
     *
     * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, `path.invalid`, `auth.forbidden`, or the errors
     *   of `work`.
     */
    async onto(actor: Principal, own: TreeContext, task: TransferTask): Promise<void> {
      const { from, transfer, work } = task
      const place = await futurePathOf(own.jail, transfer.to)
      if (place) await checkDestination(own, from, { path: place, asked: transfer.to })
      const made: UserPath[] = []
      try {
        await using folder = await makeParent(own.jail, transfer.to, { mode: own.modes().dirMode, made })
        const alone: Destination['withLock'] = (recheck, work) =>
          locks.run(`folder ${folder.real}`, recheck, work)
        const refuse = refusalOf(actor, task)
        using choice = await alone(own.recheck, () => choose(own.jail, folder, { ...task, refuse }))
        // The chosen name may differ from the requested one.
        const recheck = recheckOf(actor, task.verb, [transfer.to, transfer.from, choice.to.path])
        const { to, isRespelled } = choice
        const madeReals = made.map((each) => join(own.jail.root, each))
        // Uploads lock only the name.
        const withLock: Destination['withLock'] = (recheck, work) =>
          alone(unconditional, () => locks.run(to.key, recheck, work))
        await work({ ...to, withLock, recheck, refuse, isRespelled, made: madeReals })
      } catch (error) {
        await removeNewFolders(own.jail, made)
        throw error
      }
    },
  }
}

/**
 * Rejects a new name that nothing may be called. An entry that is called so may move to another folder.
 *
 * @throws Problem `path.invalid`.
 */
function refuseNew(to: Located, { from, transfer }: Pick<TransferTask, 'from' | 'transfer'>): void {
  const isKept = to.name === from.name || to.name === nameOf(transfer.from)
  if (!isKept) checkNewName(to.asked)
}

/** The entry with its name as requested, instead of the current spelling in the folder. */
function respelled(found: Located): Located {
  const { asked, folder } = found
  const name = nameOf(asked)
  return { ...found, name, address: join(folder.address, name), path: childOf(folder.path, name) }
}

/** Returns a function that throws if the transfer may not replace an existing entry. */
function refusalOf(actor: Principal, { transfer }: TransferTask): (there: Stats) => void {
  return () => {
    if (!transfer.override) throw new Problem('path.exists', { path: transfer.to })
    authorize(actor, 'replace')
  }
}

/**
 * The first free `name(1).ext`, `name(2).ext`, … beside an existing name
 * (contract/compatibility.md#copying-and-renaming).
 */
export async function freeName(
  jail: Jail,
  {
    candidate,
    from,
    isReserved,
  }: { candidate: Located; from: Located; isReserved: (to: Located) => boolean },
): Promise<Located> {
  const { name, folder } = candidate
  const dot = (candidate.stats ?? from.stats)?.isDirectory() ? -1 : name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  return firstFree(async (number) => {
    const numbered = withEnding(stem, `(${number})${extension}`)
    const to = await locateIn(jail, folder, numbered).catch(namingPath(candidate.asked))
    return to.stats || isReserved(to) ? undefined : to
  })
}

/** Numbers up to this one are tried one by one. */
const fewNumbers = 16

/**
 * What `find` returns for the first number from 1 on for which it returns something. Of many numbers, only some are tried:
 * the result is then a number that follows one for which it returns nothing.
 */
export async function firstFree<T>(find: (number: number) => Promise<T | undefined>): Promise<T> {
  for (let number = 1; number <= fewNumbers; number++) {
    const found = await find(number)
    if (found !== undefined) return found
  }
  let [taken, free] = [fewNumbers, 2 * fewNumbers]
  let best = await find(free)
  for (; best === undefined; best = await find(free)) [taken, free] = [free, 2 * free]
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    const found = await find(middle)
    if (found === undefined) taken = middle
    else [free, best] = [middle, found]
  }
  return best
}

/** Maximum number of bytes of a name. */
const longestName = 255

/** A name that ends like this. What does not fit is cut from its beginning, between two characters. */
export function withEnding(stem: string, ending: string): string {
  const room = longestName - Buffer.byteLength(ending)
  let kept = stem
  while (Buffer.byteLength(kept) > room && kept !== '') kept = [...kept].slice(0, -1).join('')
  return kept === '' ? stem + ending : kept + ending
}

/** The real path of a located entry. */
export function realPathOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/** Describes an operation for the commands bound to it. */
export function hookContextOf(person: Principal, { jail, recheck }: TreeContext, from: Located): HookContext {
  return { person, jail, recheck, file: realPathOf(from) }
}

/** Adds the destination to the description. */
export function withDestination(about: HookContext, to: Located): HookContext {
  about.destination = realPathOf(to)
  return about
}
