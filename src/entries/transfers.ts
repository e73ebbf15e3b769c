import type { Stats } from 'node:fs'
import { authorize, recheckOf, type Verb } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem, type Recheck } from '#src/core/problem.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { openPath } from '#src/files/jail/jail.ts'
import { type Located, locate, requireStats } from '#src/files/jail/locate.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { namingPath } from '#src/files/paths/path-access.ts'
import { isEmptyFolder } from '#src/files/paths/read-folder.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { rootPath, type UserPath } from '#src/files/paths/user-path.ts'
import { removeTree } from '#src/files/trees/remove-tree.ts'
import type { LimitedTreeWorkers, TreeContext } from '#src/files/trees/tree-context.ts'
import { copyTree, moveTree } from '#src/files/trees/trees.ts'
import { type Destination, isOneEntry } from '#src/files/writing/rename-into-place.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { createDestinations, hookContextOf, type Transfer, withDestination } from './destination.ts'
import { acquireDescriptors } from './open.ts'
import { createRemoval } from './removal.ts'
import { createRestore } from './restore.ts'

/** What work on files and whole folders needs. */
export interface TransferOptions {
  parts: TempFileJournal
  locks: KeyedLock
  /** The worker threads, for the owner of a quota. */
  workers: (owner: string) => LimitedTreeWorkers
  hooks: Hooks
  /** The modes of new files and folders. */
  modes: TreeContext['modes']
  forget: TreeContext['dropCached']
  files: PartitionedSemaphore
  /** Where deleted entries and old contents are kept. */
  stores: Pick<KeptStores, 'byKey'>
  /** Real path of the served folder. */
  root: string
}

/** How an entry is deleted. */
export interface RemovalOptions {
  /** It does not go to the trash. */
  isPermanent?: boolean | undefined
  /** Called with the entry before it is deleted. Throws to refuse. */
  check?: ((stats: Stats) => void) | undefined
  /** Refuses a folder that is not empty, with `path.changed`. */
  onlyEmpty?: boolean | undefined
  /** Refuses, with `path.changed`, a folder with content that cannot go to the trash. */
  keepsContent?: boolean | undefined
  /** The permission that the deletion needs. Missing: to delete. Users who undo their own upload need only `create`. */
  verb?: 'delete' | 'create' | undefined
}

/**
 * Deletes, copies and renames files and whole folders. A started operation is finished even if the client
 * disconnects, because half a move is worse than a whole one.
 */
export function createTransfers(options: TransferOptions) {
  const { hooks, files } = options
  const toolsFor = (actor: Principal, recheck: Recheck) => treeToolsOf(options, actor, recheck)
  const destinations = createDestinations(options.locks)

  const enter = (actor: Principal, verb: Verb, paths: readonly UserPath[]) =>
    acquireDescriptors(files, actor, { kind: 'transfer', verb, paths })

  return {
    removeAll: createRemoval(options, toolsFor),
    restore: createRestore(options, toolsFor),

    /**
     * Deletes a file, a symbolic link or a folder with its content: moves it to the trash, if there is one. @throws Problem `path.root`, `path.unknown`,
     * `path.forbidden`.
     */
    async remove(
      actor: Principal,
      path: UserPath,
      { isPermanent, check, onlyEmpty, keepsContent, verb = 'delete' }: RemovalOptions = {},
    ): Promise<void> {
      authorize(actor, verb)
      using _files = await enter(actor, verb, [path])
      const own = await toolsFor(actor, recheckOf(actor, verb, [path]))
      Object.assign(own, { isPermanent, keepsContent })
      await using target = await locate(own.jail, path)
      const stats = requireStats(target)
      check?.(stats)
      if (onlyEmpty && !(await isEmptyFolder(target.address))) throw new Problem('path.changed', { path })
      const about = hookContextOf(actor, own, target)
      await hooks.before('delete', about)
      await removeTree(own, target)
      await hooks.after('delete', about)
    },

    /**
     * Moves or renames. A symbolic link is moved itself.
     *
     * @param check called with the entry before it is moved; throws to refuse
     * @throws Problem `path.exists`, `path.inside`, and as
     * `remove`.
     */
    async move(actor: Principal, transfer: Transfer, check?: (stats: Stats) => void): Promise<void> {
      authorize(actor, 'rename')
      refuseRoot(transfer)
      using _files = await enter(actor, 'rename', [transfer.from, transfer.to])
      const own = await toolsFor(actor, recheckOf(actor, 'rename', [transfer.from, transfer.to]))
      await using from = await locate(own.jail, transfer.from)
      const stats = requireStats(from)
      check?.(stats)
      const about = hookContextOf(actor, own, from)
      await destinations.onto(actor, own, {
        from,
        transfer,
        verb: 'rename',
        mayRespell: transfer.from !== transfer.to,
        work: async (to) => {
          await hooks.before('rename', withDestination(about, to))
          await moveTree(own, from, to)
        },
      })
      await hooks.after('rename', about)
    },

    /** Copies. A symbolic link is copied as its target. @throws as `move`. */
    async copy(actor: Principal, transfer: Transfer): Promise<void> {
      authorize(actor, 'create')
      refuseRoot(transfer)
      using _files = await enter(actor, 'create', [transfer.from, transfer.to])
      const own = await toolsFor(actor, recheckOf(actor, 'create', [transfer.from, transfer.to]))
      await using source = await openPath(own.jail, transfer.from)
      await using located = await locate(own.jail, source.path).catch(namingPath(transfer.from))
      const from = { ...located, asked: transfer.from }
      requireStats(from)
      if (transfer.override && (await isSame(own.jail, from, transfer.to))) {
        throw new Problem('path.inside', { path: transfer.from })
      }
      const about = hookContextOf(actor, own, from)
      const work = async (to: Destination) => {
        await hooks.before('copy', withDestination(about, to))
        await copyTree(own, from, to)
      }
      await destinations.onto(actor, own, { from, transfer, verb: 'create', work })
      await hooks.after('copy', about)
    },
  }
}

export type Transfers = ReturnType<typeof createTransfers>

async function treeToolsOf(
  options: TransferOptions,
  actor: Principal,
  recheck: Recheck,
): Promise<TreeContext> {
  const { parts, workers, modes, forget } = options
  const jail = await actor.jail()
  return {
    jail,
    get rules() {
      return actor.rules
    },
    recheck,
    tempFiles: parts,
    workers: workers(actor.quotaOwner.key),
    modes,
    dropCached: forget,
    change: actor.change,
  }
}

function refuseRoot({ from, to }: Transfer): void {
  if (from === rootPath || to === rootPath) throw new Problem('path.root')
}

async function isSame(jail: Jail, from: Located, to: UserPath): Promise<boolean> {
  const there = await locate(jail, to).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'path.unknown') return undefined
    throw error
  })
  await using target = there
  return target !== undefined && isOneEntry(from, target)
}
