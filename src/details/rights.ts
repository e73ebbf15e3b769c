import type { Rights } from '#contract/schema/rights.ts'
import type { Permissions } from '#contract/users.ts'
import { denialOf, recheckOf, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import { refusal as refusalToShare } from '#src/access/share-rights.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { acquireDescriptors } from '#src/entries/open.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { locate, requireStats } from '#src/files/jail/locate.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import {
  type CheckContext,
  checkRules,
  type LimitedTreeWorkers,
  refuseSecret,
} from '#src/files/trees/tree-context.ts'

interface RightsOptions {
  files: PartitionedSemaphore
  /** The worker threads, for the user with an id. */
  workers: (owner: string) => LimitedTreeWorkers
}

/** Creates the function that tells what a user may do with an entry. */
export function createRights({ files, workers }: RightsOptions) {
  /**
   * Returns what the user may do with the entry at `path`, by permissions, scope and rules. A folder may be renamed and
   * deleted only if no rule denies anything in it, so with rules the whole folder is checked, as before its deletion.
   *
   * @throws Problem as the request of the entry does: `path.unknown`, `path.forbidden`, `user.busy`.
   */
  return async (person: Principal, path: UserPath, signal: AbortSignal): Promise<Rights> => {
    using _files = await acquireDescriptors(files, person, {
      kind: 'read',
      verb: 'look',
      paths: [path],
      signal: () => signal,
    })
    const jail = await person.jail()
    const kind = await kindAt(jail, path)
    const may = (verb: Verb) => denialOf(person, verb) === undefined
    const mayMove = may('rename') || may('delete')
    const recheck = () => {
      signal.throwIfAborted()
      recheckOf(person, 'look', [path])()
    }
    const context = { jail, path, recheck, rules: person.rules, workers: workers(person.quotaOwner.key) }
    const isMovable = mayMove && (await canMove(context))
    person.check([path])
    return {
      read: may('read') && (kind === 'file' || kind === 'folder'),
      create: may('create') && kind === 'folder',
      save: may('save') && kind === 'file',
      rename: may('rename') && isMovable,
      delete: may('delete') && isMovable,
      share: mayShare(person.user.perm) && (kind === 'file' || kind === 'folder'),
    }
  }
}

const mayShare = (perm: Permissions) => refusalToShare(perm) === undefined

/** Whether a file, a folder or something else is at `path`; undefined for a symbolic link that cannot be followed. */
async function kindAt(jail: Jail, path: UserPath): Promise<'file' | 'folder' | 'special' | undefined> {
  try {
    await using held = await openPath(jail, path)
    if (held.stats.isDirectory()) return 'folder'
    return held.stats.isFile() ? 'file' : 'special'
  } catch (error) {
    // The link itself can be renamed and deleted.
    if (error instanceof Problem && ['path.outside', 'path.dangling'].includes(error.code)) return undefined
    throw error
  }
}

/** Whether the error says that this entry cannot be moved or deleted. Other errors concern the server. */
function isRefusal(error: unknown): boolean {
  const codes = ['path.forbidden', 'path.deep', 'path.denied']
  return error instanceof Problem && codes.includes(error.code)
}

/** Whether neither a rule nor Coffer's own files prevent that the entry is moved or deleted. */
async function canMove({ path, ...context }: CheckContext & { path: UserPath }): Promise<boolean> {
  if (path === rootPath) return false
  await using target = await locate(context.jail, path)
  try {
    refuseSecret(context, target)
    if (requireStats(target).isDirectory())
      await checkRules(context, { address: target.address, place: target })
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}
