import { join } from 'node:path'
import type { Actor } from '#src/auth/actor.ts'
import type { Locks } from '#src/core/lock.ts'
import { Problem } from '#src/core/problem.ts'
import { hold, type Jail } from '#src/files/jail.ts'
import { type Located, locate, locateIn, present } from '#src/files/locate.ts'
import { landingOf, makeParent } from '#src/files/make.ts'
import type { Parts } from '#src/files/parts.ts'
import {
  checkLanding,
  copyTree,
  type Hands,
  moveTree,
  removeTree,
  type TreeWorkers,
} from '#src/files/trees.ts'
import { nameOf, rootPath, type UserPath } from '#src/files/user-path.ts'
import type { About, Hooks } from '#src/hooks/hooks.ts'
import type { Following } from '#src/shares/follow.ts'
import { permit } from './resources.policy.ts'

/** Where a copy or a rename goes, and what happens when something is there. */
export interface Transfer {
  from: UserPath
  to: UserPath
  /** Replace a file that is there; needs the right to modify. */
  override: boolean
  /** Take the first free `name(1).ext` instead. */
  rename: boolean
}

/**
 * Deleting, copying and renaming of files and whole folders. What was begun is finished, also when the client leaves:
 * half a move is worth less than a whole one nobody waits for.
 */
export function createTransfers(options: {
  parts: Parts
  locks: Locks
  workers: (actor: Actor) => TreeWorkers
  /** Told of what was moved and deleted, by real paths. */
  following: Pick<Following, 'moved' | 'removed'>
  hooks: Hooks
  /** Of new files and folders. */
  modes: () => Hands['modes']
}) {
  const { parts, locks, following, hooks, modes, workers } = options

  async function hands(actor: Actor): Promise<Hands> {
    return { jail: await actor.jail(), rules: actor.rules, parts, workers: workers(actor), modes: modes() }
  }

  /** Calls `work` with the target alone: two transfers never take one name. What is refused has made no folders. */
  async function onto(
    actor: Actor,
    own: Hands,
    { from, transfer, work }: { from: Located; transfer: Transfer; work: (to: Located) => Promise<void> },
  ): Promise<void> {
    const { jail } = own
    const place = await landingOf(jail, transfer.to)
    if (place) await checkLanding(own, from, place)
    await using folder = await makeParent(jail, transfer.to, { mode: own.modes.dirMode })
    await locks.run(`folder ${folder.real}`, async () => {
      const name = nameOf(transfer.to)
      const to = await locateIn(jail, folder, name)
      if (to.stats && transfer.rename) return work(await freeName(jail, to))
      if (to.stats && transfer.override) permit(actor.user.perm, 'replace')
      return work(transfer.override ? to : { ...to, stats: refuseTaken(to) })
    })
  }

  return {
    /** Deletes a file, a link or a folder with all in it. @throws Problem `path.root`, `path.unknown`, `path.forbidden`. */
    async remove(actor: Actor, path: UserPath): Promise<void> {
      permit(actor.user.perm, 'delete')
      const own = await hands(actor)
      await using target = await locate(own.jail, path)
      present(target)
      const about = aboutOf(actor, own.jail, target)
      await hooks.before('delete', about)
      await removeTree(own, target)
      await following.removed(about.file)
      await hooks.after('delete', about)
    },

    /** Moves or renames. A link moves itself. @throws Problem `path.exists`, `path.inside`, and as `remove`. */
    async rename(actor: Actor, transfer: Transfer): Promise<void> {
      permit(actor.user.perm, 'rename')
      refuseRoot(transfer)
      const own = await hands(actor)
      await using from = await locate(own.jail, transfer.from)
      present(from)
      // Only the spelling of a name changes, on a disk that does not tell it apart: nothing is in the way.
      const isRespelling = transfer.from !== transfer.to && (await isSame(own.jail, from, transfer.to))
      const plan = isRespelling ? { ...transfer, override: true } : transfer
      const about = aboutOf(actor, own.jail, from)
      await onto(actor, own, {
        from,
        transfer: plan,
        work: async (to) => {
          await hooks.before('rename', toward(about, to))
          await moveTree(own, from, to)
          await following.moved(about.file, realOf(to))
        },
      })
      await hooks.after('rename', about)
    },

    /** Copies; a link is copied as what it leads to. @throws as `rename`. */
    async copy(actor: Actor, transfer: Transfer): Promise<void> {
      permit(actor.user.perm, 'create')
      refuseRoot(transfer)
      const own = await hands(actor)
      await using source = await hold(own.jail, transfer.from)
      await using from = await locate(own.jail, source.path)
      const stats = present(from)
      if (transfer.override && (await isSame(own.jail, from, transfer.to))) {
        throw new Problem('path.inside', { path: transfer.from })
      }
      const about = aboutOf(actor, own.jail, from)
      const work = async (to: Located) => {
        await hooks.before('copy', toward(about, to))
        await copyTree(own, { address: from.address, path: from.path, stats }, to)
      }
      await onto(actor, own, { from, transfer, work })
      await hooks.after('copy', about)
    },
  }
}

function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/** What bound commands are told of a deed. */
function aboutOf(person: Actor, jail: Jail, from: Located): About {
  return { person, jail, file: realOf(from) }
}

/** The same when it is known where to. */
function toward(about: About, to: Located): About {
  return Object.assign(about, { to: realOf(to) })
}

function refuseRoot({ from, to }: Transfer): void {
  if (from === rootPath || to === rootPath) throw new Problem('path.root')
}

function refuseTaken({ stats, path }: Located): undefined {
  if (stats) throw new Problem('path.exists', { path })
}

async function isSame(jail: Jail, from: Located, to: UserPath): Promise<boolean> {
  const there = await locate(jail, to).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'path.unknown') return undefined
    throw error
  })
  await using target = there
  const { ino, dev } = present(from)
  return target?.stats?.ino === ino && target.stats.dev === dev && target.folder.real === from.folder.real
}

/** The first free `name(1).ext`, `name(2).ext`, … beside a taken name (reference 3.7). */
async function freeName(jail: Jail, taken: Located): Promise<Located> {
  const { name, folder } = taken
  const dot = taken.stats?.isDirectory() ? -1 : name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let n = 1; ; n++) {
    const to = await locateIn(jail, folder, `${stem}(${n})${extension}`)
    if (!to.stats) return to
  }
}
