import { constants, type Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, isDiskFull, onPath } from '#src/core/errno.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { Problem } from '#src/core/problem.ts'
import { unconditional } from '#src/core/recheck.ts'
import { type Located, requireStats } from '#src/files/jail/locate.ts'
import { lstat, open, rename } from '#src/files/paths/disk.ts'
import { isInside } from '#src/files/paths/reach.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { temporaryName } from '#src/files/paths/temporary.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { ModeMasks } from '#src/files/tree-walk/copy-tree.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import {
  type Destination,
  isOneEntry,
  isSameFile,
  refuseReplacing,
  renameIntoPlace,
} from '#src/files/writing/rename-into-place.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { type CheckContext, checkRules, checkTree, type NamedPath, taskResult } from './tree-checks.ts'

/** What an operation on a whole tree needs. */
export interface TreeContext extends CheckContext {
  tempFiles: TempFileJournal
  /** The permission bits of new files and folders. */
  modes: { fileMode: number; dirMode: number }
  /** Drops cached data of file states that no longer exist. May be called some time later. */
  dropCached(states: readonly FileState[]): void
}

/**
 * Deletes a file, a symbolic link, or a folder with its contents. A folder is first renamed to a hidden name, so that
 * it disappears at once and as a whole. Then it is removed. After a crash, the next start finishes the removal. When
 * a rule denies something in it, or it cannot be removed, the rest gets its old name again. When the disk is too full
 * even for the hidden name, the folder is removed in place.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, or that of the system error.
 */
export async function removeTree(context: TreeContext, target: Located): Promise<void> {
  await removeUnflushed(context, target)
  await flush(target.folder.address)
}

/** As `removeTree`, for several entries of one folder. The deletion is durable only after `flushRemovals`. */
export async function removeUnflushed(context: TreeContext, target: Located): Promise<void> {
  refuseSecret(context, target)
  await checkRules(context, { address: target.address, place: target })
  // One system call removes a file whole: it needs no hidden name.
  const isFolder = requireStats(target).isDirectory()
  const gone =
    (isFolder ? await removeHidden(context, target) : undefined) ?? (await removeInPlace(context, target))
  context.dropCached([requireStats(target), ...gone])
}

/** Flushes a folder to the disk, so that deletions in it are durable. */
export async function flushRemovals({ address }: OpenPath): Promise<void> {
  await flush(address)
}

/** Returns undefined and changes nothing when the disk has no space for the hidden name or for its note. */
async function removeHidden(
  context: TreeContext,
  target: Located,
): Promise<readonly FileState[] | undefined> {
  const part = await context.tempFiles.begin(target.folder.real, temporaryName()).catch(ignoreFull)
  if (!part) return undefined
  const hidden = join(target.folder.address, part.name)
  try {
    // A longer name may need another block of the folder.
    const hiding = rename(target.address, hidden).then(() => true)
    if (!(await hiding.catch(onPath(target.asked)).catch(ignoreFull))) return undefined
    try {
      const { gone = [] } = await context.workers.inTurn(context.recheck, async (run) => {
        // Checked again: under the hidden name no user can add to the folder, and the rules may have changed.
        await checkTree(run, context, { address: hidden, place: target })
        return taskResult(run({ kind: 'remove', address: hidden }), context.jail, [target])
      })
      return gone
    } catch (error) {
      await restoreName(hidden, target)
      throw error
    }
  } finally {
    await part.end()
  }
}

/** Removes a tree under its own name. Users may still add to it, so each entry is checked right before its removal. */
async function removeInPlace(context: TreeContext, target: Located): Promise<readonly FileState[]> {
  const { gone = [] } = await context.workers.inTurn(context.recheck, (run) => {
    const { address, path } = target
    const task = { kind: 'remove', address, checkRules: { path, rules: context.rules } } as const
    return taskResult(run(task), context.jail, [target])
  })
  return gone
}

/**
 * Moves a file or folder: renames it on the same disk, or copies it to the other disk and deletes the original. `to`
 * must be free, or a file that may be replaced by a file. At every moment at least one of the two names exists.
 *
 * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, or that of the system error.
 */
export async function moveTree(context: TreeContext, from: Located, to: Destination): Promise<void> {
  const stats = requireStats(from)
  refuseInside(from, to)
  refuseSecret(context, from)
  if (to.isRespelled || isOneEntry(from, to)) {
    return rename(from.address, to.address).catch(onPath(to.asked))
  }
  refuseReplacing(stats, to)
  refuseSecret(context, to)
  const checkBoth = async ({ address }: { address: string }) => {
    for (const place of [from, to]) await checkRules(context, { address, place })
  }
  await checkBoth(from)
  try {
    await renameIntoPlace(from.address, to)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') onPath(to.asked)(error)
    await copyTo(context, from, { to, most: { file: 0o777, dir: 0o777 } })
    return removeTree(context, from)
  }
  // Checked again: a denied entry may have been added between the check and the move.
  await checkBoth(to).catch(async (error) => {
    await undoMove(stats, from, to)
    throw error
  })
  context.dropCached(to.stats ? [stats, to.stats] : [stats])
  await flush(from.folder.address)
  await flush(to.folder.address)
}

/** Undoes a move, unless another program has changed one of the two names since. */
async function undoMove(stats: Stats, from: Located, to: Destination): Promise<void> {
  await to.withLock(unconditional, async () => {
    const moved = await lstat(to.address).catch(ignoreMissing)
    const taken = await lstat(from.address).catch(ignoreMissing)
    if (isSameFile(stats, moved) && !taken) await rename(to.address, from.address)
  })
}

/**
 * Copies a file, or a folder with its contents. The copy is made under a hidden name, so it appears whole or not at
 * all. Its permission bits are limited to the modes of new files and folders; the owner's execute bit is kept.
 * Leaves out Coffer's own files and unfinished uploads.
 *
 * @param from the source; a symbolic link is copied as a link
 * @throws Problem `path.exists`, `path.inside`, `path.forbidden`, `path.special`, `path.deep`, `disk.full`.
 */
export async function copyTree(context: TreeContext, from: Located, to: Destination): Promise<void> {
  refuseInside(from, to)
  refuseReplacing(requireStats(from), to)
  refuseSecret(context, to)
  const { fileMode, dirMode } = context.modes
  await copyTo(context, from, { to, most: { file: fileMode | 0o100, dir: dirMode } })
}

/**
 * Makes the checks of a copy or move to `place` before the missing folders above it are made.
 *
 * @throws Problem `path.inside`, `path.forbidden`.
 */
export async function checkDestination(context: TreeContext, from: Located, place: NamedPath): Promise<void> {
  if (isWithin(place.path, from.path)) throw new Problem('path.inside', { path: from.asked })
  for (const each of [from, place]) {
    await checkRules(context, { address: from.address, place: each, real: realOf(from) })
  }
}

async function copyTo(
  context: TreeContext,
  from: Located,
  { to, most }: { to: Destination; most: ModeMasks },
): Promise<void> {
  const part = await context.tempFiles.begin(to.folder.real, temporaryName())
  const hidden = join(to.folder.address, part.name)
  try {
    const source = { from: from.address, fromReal: realOf(from), fromPath: from.path }
    await context.workers.inTurn(context.recheck, (run) => {
      const { rules, jail } = context
      const task = { ...source, to: hidden, toPath: to.path, rules, secret: jail.secret, most }
      return taskResult(run({ kind: 'copy', ...task }), jail, [to, from])
    })
    await flush(hidden)
    await renameIntoPlace(hidden, to, true).catch(onPath(to.asked))
    await flush(to.folder.address)
  } catch (error) {
    // Report the first failure, not one of the cleanup.
    await context.workers
      .inTurn(unconditional, (run) => run({ kind: 'remove', address: hidden }))
      .catch(() => {})
    throw error
  } finally {
    await part.end()
  }
}

function ignoreFull(error: unknown): undefined {
  if (!isDiskFull(error)) throw error
}

/** Refuses to move, delete or write a path that contains one of Coffer's own files, existing or planned. */
function refuseSecret({ jail }: TreeContext, place: Located): void {
  const holdsSecret = jail.secret.some((secret) => isInside(secret, realOf(place)))
  if (holdsSecret) throw new Problem('path.forbidden', { path: place.asked })
}

function realOf({ folder, name }: Located): string {
  return join(folder.real, name)
}

async function restoreName(hidden: string, target: Located): Promise<void> {
  if (!(await lstat(hidden).catch(ignoreMissing))) return
  // Another program may have taken the name meanwhile. Its entry stays, and ours gets a numbered name beside it.
  for (let n = 0; n < 100; n++) {
    const address = n === 0 ? target.address : join(target.folder.address, `${target.name} (${n})`)
    if (await lstat(address).catch(ignoreMissing)) continue
    await rename(hidden, address)
    return
  }
}

function refuseInside(from: Located, to: Located): void {
  const isWithinItself = isWithin(to.path, from.path) && to.path !== from.path
  if (isWithinItself || isWithin(to.folder.path, from.path)) {
    throw new Problem('path.inside', { path: from.asked })
  }
}

async function flush(address: string): Promise<void> {
  const { O_RDONLY, O_NOFOLLOW = 0 } = constants
  const isHeldName = /^\/proc\/self\/fd\/\d+$/.test(address)
  const flags = isHeldName ? O_RDONLY : O_RDONLY | O_NOFOLLOW
  await flushFolder(() => open(address, flags).catch(ignoreUnopenable))
}

function ignoreUnopenable(error: unknown): undefined {
  // Symbolic links, files that cannot be read, and devices cannot be opened, and have nothing to flush.
  if (!['ELOOP', 'EACCES', 'ENXIO'].includes(errnoOf(error) ?? '')) throw error
}
