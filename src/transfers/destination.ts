import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { Actor } from '#src/auth/actor.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
import { type Located, locateIn } from '#src/files/jail/locate.ts'
import { named } from '#src/files/jail/naming.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { childOf, nameOf, refuseSpelledName, type UserPath } from '#src/files/paths/user-path.ts'
import { checkLanding, type Hands } from '#src/files/trees/trees.ts'
import { landingOf, makeParent, unmake } from '#src/files/writing/make.ts'
import { type Destination, isOneEntry } from '#src/files/writing/rename-into-place.ts'
import { authorize, recheckOf } from '#src/resources/resources.policy.ts'

/** Where a copy or a rename goes, and what happens when something is there. */
export interface Transfer {
  from: UserPath
  to: UserPath
  /** Replace a file that is there; needs the right to modify. */
  override: boolean
  /** Take the first free `name(1).ext` instead. */
  rename: boolean
}

/** What is to land. */
interface Landed {
  from: Located
  transfer: Transfer
  /** What they do: the right to it is checked again when the name is chosen and when it is taken. */
  verb: 'rename' | 'create'
  /** It is renamed: on a disk that ignores case, its own name in another spelling is free for it. */
  mayRespell?: boolean
  /** Makes it, and gives it its name. */
  work: (to: Destination) => Promise<void>
}

/**
 * The names that copies and moves get. A folder is locked while a name is chosen and while it is taken, not in between:
 * however long a copy takes, it keeps nobody else waiting.
 */
export function createDestinations(locks: KeyedLock) {
  // Real paths that were free and are meant for something that is under way: nobody else is given them as free.
  const promised = new Set<string>()

  /** Chooses a name, alone in the folder, and keeps it until it is disposed of, as far as nobody else has it already. */
  async function choose(
    jail: Jail,
    folder: OpenPath,
    { from, transfer, mayRespell, refuse }: Landed & Pick<Destination, 'refuse'>,
  ) {
    const isPromised = ({ key }: Located) => promised.has(key)
    const found = await locateIn(jail, folder, nameOf(transfer.to))
    const isRespelled = mayRespell === true && !transfer.rename && isOneEntry(from, found)
    const wanted = isRespelled ? respelled(found) : found
    const isTaken = wanted.stats !== undefined || isPromised(wanted)
    const to = transfer.rename && isTaken ? await freeName(jail, { wanted, from, isPromised }) : wanted
    if (to.stats && !isRespelled) refuse(to.stats)
    else refuseNew(to, { from, transfer })
    const isOurs = !promised.has(to.key)
    promised.add(to.key)
    return { to, isRespelled, [Symbol.dispose]: () => void (isOurs && promised.delete(to.key)) }
  }

  return {
    /**
     * Calls `work` with the name that a transfer takes. What is refused, and what fails, has made no folders.
     *
     * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, `path.invalid`, `auth.forbidden`, or what `work` throws.
     */
    async onto(actor: Actor, own: Hands, landed: Landed): Promise<void> {
      const { from, transfer, work } = landed
      const place = await landingOf(own.jail, transfer.to)
      if (place) await checkLanding(own, from, { path: place, asked: transfer.to })
      const made: UserPath[] = []
      try {
        await using folder = await makeParent(own.jail, transfer.to, { mode: own.modes.dirMode, made })
        const alone: Destination['alone'] = (recheck, work) =>
          locks.run(`folder ${folder.real}`, recheck, work)
        const refuse = refusalOf(actor, landed)
        using chosen = await alone(own.recheck, () => choose(own.jail, folder, { ...landed, refuse }))
        // The name may be another than the one that was asked for.
        const recheck = recheckOf(actor, landed.verb, [transfer.to, transfer.from, chosen.to.path])
        await work({ ...chosen.to, alone, recheck, refuse, isRespelled: chosen.isRespelled })
      } catch (error) {
        await unmake(own.jail, made)
        throw error
      }
    },
  }
}

/** What has a name that is not UTF-8 keeps it in another folder; nothing else gets one. @throws Problem `path.invalid`. */
function refuseNew(to: Located, { from, transfer }: Pick<Landed, 'from' | 'transfer'>): void {
  const isKept = to.name === from.name || to.name === nameOf(transfer.from)
  if (!isKept) refuseSpelledName(to.asked)
}

/** The name as it was asked for, in the place of how the folder spells it by now. */
function respelled(found: Located): Located {
  const { asked, folder } = found
  const name = nameOf(asked)
  return { ...found, name, address: join(folder.address, name), path: childOf(folder.path, name) }
}

/** What is said when something is where a transfer goes. */
function refusalOf(actor: Actor, { transfer }: Landed): (there: Stats) => void {
  return () => {
    if (!transfer.override) throw new Problem('path.exists', { path: transfer.to })
    authorize(actor.user.perm, 'replace')
  }
}

/** The first free `name(1).ext`, `name(2).ext`, … beside a taken name (contract/compatibility.md#copying-and-renaming). */
async function freeName(
  jail: Jail,
  { wanted, from, isPromised }: { wanted: Located; from: Located; isPromised: (to: Located) => boolean },
): Promise<Located> {
  const { name, folder } = wanted
  const dot = (wanted.stats ?? from.stats)?.isDirectory() ? -1 : name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let n = 1; ; n++) {
    const to = await locateIn(jail, folder, `${stem}(${n})${extension}`).catch(named(wanted.asked))
    if (!to.stats && !isPromised(to)) return to
  }
}
