import { constants } from 'node:fs'
import { join } from 'node:path'
import type { Rule } from '#contract/users.ts'
import type { Semaphore } from '#src/core/concurrency/semaphore.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { errnoOf, onPath, Problem, type Recheck, unconditional } from '#src/core/problem.ts'
import type { createWorkerPool } from '#src/core/threads/worker-pool.ts'
import type { Change } from '#src/files/changes/change.ts'
import type { Located } from '#src/files/jail/locate.ts'
import { typeByName } from '#src/files/listing/entry.ts'
import { open } from '#src/files/paths/disk.ts'
import { isInside, visiblePath } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { isWithin, maxDepth } from '#src/files/paths/user-path.ts'
import type { FileState, TreeResult, TreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'

/** What an operation on a whole tree needs. */
export interface TreeContext extends CheckContext {
  tempFiles: TempFileJournal
  /** The permission bits of new files and folders. */
  modes: () => { fileMode: number; dirMode: number }
  /** Drops cached data of file states that no longer exist. May be called some time later. */
  dropCached(states: readonly FileState[]): void
  /** The operation that changes the trees. */
  change: Change
  /** Deleted entries do not go to the trash. */
  isPermanent?: boolean | undefined
  /** A folder that cannot go to the trash is only deleted when it is empty. */
  keepsContent?: boolean | undefined
}

/** Refuses to move, delete or write a path that contains one of Coffer's own files, existing or planned. */
export function refuseSecret({ jail }: Pick<TreeContext, 'jail'>, place: Located): void {
  const holdsSecret = jail.secret.some((secret) => isInside(secret, realOf(place)))
  if (holdsSecret) throw new Problem('path.forbidden', { path: place.asked })
}

/** The real path of a located entry. */
export function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

/**
 * Drops the previews and metadata that are cached of a file that was moved or deleted. A file whose name says that it is
 * something else than a picture has none.
 */
export function dropPicture(
  { dropCached }: Pick<TreeContext, 'dropCached'>,
  { name, stats }: Pick<Located, 'name' | 'stats'>,
): void {
  const type = typeByName(name)
  if (stats?.isFile() && (type === undefined || type === 'image')) dropCached([stats])
}

/** Flushes a file or folder to the disk, as far as it can be opened. */
export async function flush(address: string): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const isHeldName = /^\/proc\/self\/fd\/\d+$/.test(address)
  const flags = isHeldName ? O_RDONLY : O_RDONLY | O_NOFOLLOW
  await flushFolder(() => open(address, flags).catch(ignoreUnopenable))
}

function ignoreUnopenable(error: unknown): undefined {
  // Symbolic links, files that cannot be read, and devices cannot be opened, and have nothing to flush.
  if (!['ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}

/** Runs one task on a worker thread. */
export type RunTask = (task: TreeTask) => Promise<TreeResult>

/** Gives one user access to the worker threads for trees, which all users share. */
export interface LimitedTreeWorkers {
  /** Waits for a permit, then runs `work`, which may run tasks on a thread. @throws what `recheck` and `work` throw. */
  inTurn<T>(recheck: Recheck, work: (run: RunTask) => Promise<T>): Promise<T>
}

/** Returns a function that gives the owner of a quota access to the worker threads. One owner never has all of them. */
export function limitTreeWorkers(
  workers: Pick<ReturnType<typeof createWorkerPool<TreeTask, TreeResult>>, 'run'>,
  turns: Semaphore,
): (owner: string) => LimitedTreeWorkers {
  return (owner) => ({
    async inTurn(recheck, work) {
      using _turn = await turns.acquire(owner, { recheck })
      return await work((task) => workers.run(task, { recheck: unconditional }))
    },
  })
}

/** What a check of a whole tree needs to know about the user. */
export interface CheckContext {
  jail: Jail
  /** The current rules. Read them each time: they may change while the work waits. */
  readonly rules: readonly Rule[]
  /** Called before work starts that had to wait. Checks the user's access again. */
  recheck: Recheck
  workers: LimitedTreeWorkers
}

/** A path as the rules check it, and `asked`, the path that a refusal names. */
export type NamedPath = Pick<Located, 'path' | 'asked'>

/** A tree on the disk, and the path where the rules are checked as if the tree were there. */
export interface CheckTarget {
  address: string
  place: NamedPath
  /** The real path of a tree that will be copied. Then the check skips what the copy leaves out. */
  real?: string
}

/** Waits for a permit, then checks a whole tree against the rules. @throws as `check`. */
export async function checkRules(context: CheckContext, checked: CheckTarget): Promise<void> {
  if (context.rules.length === 0) return
  await context.workers.inTurn(context.recheck, (run) => checkTree(run, context, checked))
}

/** Checks a whole tree against the rules. @throws Problem `path.forbidden`, or that of the system error. */
export async function checkTree(
  run: RunTask,
  { rules, jail }: Pick<CheckContext, 'rules' | 'jail'>,
  { address, place, real }: CheckTarget,
): Promise<void> {
  if (rules.length === 0) return
  const copied = real === undefined ? {} : { copied: { real, secret: jail.secret } }
  await taskResult(run({ kind: 'check', address, path: place.path, rules, ...copied }), jail, [place])
}

/**
 * Returns the result of a task, or throws its refusal as a Problem.
 *
 * @param places the paths of the task. A refusal names the first one, or a path in a tree that the user may see
 * @throws Problem the refusal, or that of the system error.
 */
export async function taskResult(
  asked: Promise<TreeResult>,
  jail: Jail,
  places: readonly [NamedPath, ...NamedPath[]],
): Promise<TreeResult> {
  const result = await asked.catch(onPath(places[0].asked))
  const { refused } = result
  if (!refused) return result
  const { code, path } = refused
  const place = places.find((each) => isWithin(path, each.path)) ?? places[0]
  const details = { path: visiblePath(jail, place, path) }
  throw new Problem(code, code === 'path.deep' ? { ...details, most: maxDepth } : details)
}
