import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { authorize, recheckOf } from '#src/access/authorize.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { errnoOf, ignoreMissing, onPath, Problem, type Recheck } from '#src/core/problem.ts'
import type { PlannedStep } from '#src/files/changes/change.ts'
import { type Located, locateIn } from '#src/files/jail/locate.ts'
import { checkKept, pathOfKept } from '#src/files/kept/kept-access.ts'
import type { KeptRecord } from '#src/files/kept/kept-record.ts'
import type { KeptStore } from '#src/files/kept/kept-store.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { lstat, rename } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { checkRules, flush, realOf, refuseSecret, type TreeContext } from '#src/files/trees/tree-context.ts'
import { copyHidden } from '#src/files/trees/trees.ts'
import { makeParent, removeNewFolders } from '#src/files/writing/make.ts'
import { renameToFreeName } from '#src/files/writing/target.ts'
import { freeName } from './destination.ts'
import { acquireDescriptors } from './open.ts'

/** A kept item, and where it will be restored. */
export interface RestoreRequest {
  /** The id of the item, its kind, and the key of its store. */
  id: string
  kind: KeptRecord['kind']
  place: string
  /** Where it was when it was kept, relative to the served folder. */
  was: string
  to: UserPath
  /**
   * What happens when the name is taken: refuse with `path.exists`, take the first free `name(1).ext`, or replace the
   * file, whose content then becomes a version.
   */
  whenTaken: 'refuse' | 'rename' | 'replace'
  /** Whether a folder may replace a folder, which then becomes a version. */
  replacesFolder?: boolean
  /**
   * The permission for an entry whose name is free. Missing: to create. Users who undo their own deletion need only
   * `delete`.
   */
  verb?: 'create' | 'delete' | undefined
  /** Called with the file that will be replaced; undefined: there is none. Throws to refuse. */
  check?: ((current: Stats | undefined) => void) | undefined
}

/** A request with the item that was found. */
interface OpenRequest extends RestoreRequest {
  actor: Principal
  item: { store: KeptStore; stats: Stats }
  /** Where it was, in the scope of the user. */
  from: UserPath
}

interface RestoreOptions {
  files: PartitionedSemaphore
  stores: Pick<KeptStores, 'byKey'>
  locks: KeyedLock
  /** Real path of the served folder. */
  root: string
}

/** Creates the function that restores entries of the trash, and versions. */
export function createRestore(
  { files, stores, locks, root }: RestoreOptions,
  toolsFor: (actor: Principal, recheck: Recheck) => Promise<TreeContext>,
) {
  async function open({ id, place: key }: RestoreRequest): Promise<{ store: KeptStore; stats: Stats }> {
    const store = await stores.byKey(key)
    const stats = await store?.find(id)
    if (!store || !stats) throw new Problem('kept.unknown')
    return { store, stats }
  }

  /** Chooses the name of the item in the open and locked folder, and gives it to the item. */
  async function put(
    own: TreeContext,
    request: OpenRequest,
    parent: { folder: OpenPath; made: readonly string[] },
  ): Promise<UserPath> {
    const target = await chooseTarget(own, parent.folder, { ...request, item: request.item.stats })
    refuseSecret(own, target)
    // Uploads lock only the name.
    return locks.run(target.key, own.recheck, () => give(own, request, { ...parent, target }))
  }

  async function give(
    own: TreeContext,
    { actor, item, from, ...request }: OpenRequest,
    { folder, made, target }: { folder: OpenPath; made: readonly string[]; target: Located },
  ): Promise<UserPath> {
    const replaced = await replacedBy({ ...request, item }, target)
    if (!replaced) authorize(actor, request.verb ?? 'create')
    request.check?.(replaced)
    const address = item.store.addressOf(request.id)
    await checkKept(own, { address, was: from, to: target })
    if (replaced?.isDirectory()) await checkRules(own, { address: target.address, place: target })
    const [step] = await own.change.plan({
      do: 'restore',
      path: realOf(target),
      source: request.id,
      sourcePlace: item.store.key,
      was: request.kind === 'trash' ? request.was : undefined,
      made,
      replaces: replaced && identityOf(replaced),
    })
    try {
      const over = replaced && (await keepReplaced(step, target, replaced))
      await moveOut(own, { ...item, id: request.id, target, replaced: over }).catch(onPath(request.to))
      await flush(folder.address)
      await step.done({ stats: await lstat(target.address) })
      return target.path
    } catch (error) {
      await step.cancel()
      throw error
    }
  }

  /**
   * Restores an item with the permission to create, or to modify if it replaces a file. Makes missing parent folders. The
   * user must have access to the store where it was and to the store where it goes, with everything in the item.
   *
   * @returns its path, with links resolved
   * @throws Problem `kept.unknown`, `path.exists`, `path.forbidden`, and as `makeParent`.
   */
  return async (actor: Principal, request: RestoreRequest): Promise<UserPath> => {
    const { to } = request
    const verb = request.whenTaken === 'replace' ? 'replace' : (request.verb ?? 'create')
    authorize(actor, verb)
    using _files = await acquireDescriptors(files, actor, { kind: 'transfer', verb, paths: [to] })
    const recheck = recheckOf(actor, verb, [to])
    const own = await toolsFor(actor, recheck)
    const from = pathOfKept(own.jail, { root, was: request.was })
    if (from === undefined) throw new Problem('kept.unknown')
    const item = await open(request)
    const made: UserPath[] = []
    try {
      await using folder = await makeParent(own.jail, to, { mode: own.modes().dirMode, made })
      const madeReals = made.map((each) => join(own.jail.root, each))
      return await locks.run(`folder ${folder.real}`, recheck, () =>
        put(own, { ...request, actor, item, from }, { folder, made: madeReals }),
      )
    } catch (error) {
      await removeNewFolders(own.jail, made)
      throw error
    }
  }
}

/** The entry that the item replaces; undefined: none. @throws Problem `path.exists` when it may not be replaced. */
async function replacedBy(
  {
    whenTaken,
    to,
    item,
    replacesFolder = false,
  }: Pick<OpenRequest, 'whenTaken' | 'to' | 'item' | 'replacesFolder'>,
  { address }: Located,
): Promise<Stats | undefined> {
  if (whenTaken !== 'replace') return undefined
  const replaced = await lstat(address).catch(ignoreMissing)
  if (!replaced || (replaced.isFile() && item.stats.isFile())) return replaced
  if (replacesFolder && replaced.isDirectory() && item.stats.isDirectory()) return replaced
  throw new Problem('path.exists', { path: to })
}

/** Keeps what is replaced. Returns the file that the item then replaces; undefined: the name must be free. */
async function keepReplaced(
  step: PlannedStep,
  { address }: Located,
  replaced: Stats,
): Promise<Stats | undefined> {
  if (replaced.isDirectory()) {
    // Where folders are not kept, the name stays taken, and nothing is restored.
    await step.keepOldFolder(address, replaced)
    return undefined
  }
  await step.keepOld(address, replaced)
  return replaced
}

/** Finds the name that the item gets. */
async function chooseTarget(
  { jail }: TreeContext,
  folder: OpenPath,
  { to, whenTaken, item }: Pick<RestoreRequest, 'to' | 'whenTaken'> & { item: Stats },
): Promise<Located> {
  const found = await locateIn(jail, folder, nameOf(to))
  if (!found.stats || whenTaken === 'replace') return found
  if (whenTaken === 'refuse') throw new Problem('path.exists', { path: to })
  return freeName(jail, { candidate: found, from: { ...found, stats: item }, isReserved: () => false })
}

interface Move {
  store: KeptStore
  id: string
  stats: Stats
  target: Located
  replaced: Stats | undefined
}

/** Moves the item to its name. To another disk it is copied. */
async function moveOut(own: TreeContext, { store, id, stats, target, replaced }: Move): Promise<void> {
  const { address } = target
  try {
    await (replaced ? store.putOver(id, address) : store.putBack(id, address))
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error
    const source = { ...target, address: store.addressOf(id), stats }
    const give = (from: string) => (replaced ? rename(from, address) : renameToFreeName(from, target))
    await copyHidden(own, source, { to: target, most: { file: 0o777, dir: 0o777 }, place: give })
    await store.destroy(id)
  }
}
