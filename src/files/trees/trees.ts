import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { errnoOf, ignoreMissing, onPath, Problem, unconditional } from '#src/core/problem.ts'
import type { PlannedStep, Step } from '#src/files/changes/change.ts'
import { type Located, requireStats } from '#src/files/jail/locate.ts'
import { lstat, rename } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import { isLocal } from '#src/files/paths/remote-mounts.ts'
import { isWithin, temporaryName } from '#src/files/paths/user-path.ts'
import type { ModeMasks } from '#src/files/tree-walk/copy-tree.ts'
import {
  type Destination,
  isOneEntry,
  isSameFile,
  refuseReplacing,
  renameIntoPlace,
} from '#src/files/writing/rename-into-place.ts'
import { removePermanently } from './remove-tree.ts'
import {
  checkRules,
  dropPicture,
  flush,
  type NamedPath,
  realOf,
  refuseSecret,
  type TreeContext,
  taskResult,
} from './tree-context.ts'

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
  const paths = { path: realOf(from), to: realOf(to), address: to.address, made: to.made }
  const replaces = to.stats && identityOf(to.stats)
  const move = { do: 'move', ...paths, entry: identityOf(stats), replaces } as const
  if (to.isRespelled || isOneEntry(from, to)) {
    return recorded(context, move, async () => {
      await rename(from.address, to.address).catch(onPath(to.asked))
      await flush(to.folder.address)
      await flush(from.folder.address)
    })
  }
  refuseReplacing(stats, to)
  refuseSecret(context, to)
  const checkBoth = async ({ address }: { address: string }) => {
    for (const place of [from, to]) await checkRules(context, { address, place })
  }
  await checkBoth(from)
  await recorded(context, move, async (step) => {
    try {
      await renameIntoPlace(from.address, to, { step })
    } catch (error) {
      if (errnoOf(error) !== 'EXDEV') onPath(to.asked)(error)
      const place = (hidden: string) => renameIntoPlace(hidden, to, { step, isCopy: true })
      await copyHidden(context, from, { to, most: { file: 0o777, dir: 0o777 }, place })
      // The content is complete on the other disk: no second one goes to the trash.
      return removePermanently(context, from)
    }
    // Checked again: a denied entry may have been added between the check and the move.
    await checkBoth(to).catch(async (error) => {
      await undoMove(stats, from, to)
      throw error
    })
    for (const each of [from, to]) dropPicture(context, each)
    // In this order: if the power fails between the two flushes, the entry has both names, not none.
    await flush(to.folder.address)
    await flush(from.folder.address)
  })
}

/** Does a step between its records. `address` is where the entry is afterwards, for system calls. */
async function recorded(
  { change }: TreeContext,
  { address, ...wanted }: Step & { address: string },
  work: (step: PlannedStep) => Promise<void>,
): Promise<void> {
  const [step] = await change.plan(wanted as Step)
  try {
    await work(step)
    await step.done({ stats: await lstat(address).catch(ignoreMissing) })
  } catch (error) {
    await step.cancel()
    throw error
  }
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
  const { fileMode, dirMode } = context.modes()
  const isFolder = requireStats(from).isDirectory()
  const place = async (hidden: string) => {
    const replaces = to.stats && identityOf(to.stats)
    const paths = { path: realOf(to), address: to.address, made: to.made, replaces }
    const put = { do: 'put', ...paths, entry: identityOf(await lstat(hidden)), isFolder } as const
    await recorded(context, put, (step) => renameIntoPlace(hidden, to, { step, isCopy: true }))
  }
  await copyHidden(context, from, { to, most: { file: fileMode | 0o100, dir: dirMode }, place })
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

/**
 * Copies an entry under a hidden name beside its target, flushes it and gives it to `place`, which renames it. Removes it
 * when this fails.
 */
export async function copyHidden(
  context: TreeContext,
  from: Located,
  { to, most, place }: { to: Located; most: ModeMasks; place: (hidden: string) => Promise<void> },
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
    await flushCopy(context, from, { hidden, to })
    await place(hidden).catch(onPath(to.asked))
    await flush(to.folder.address)
  } catch (error) {
    // Report the first failure, not one of the cleanup. If that fails, the note stays: the next start removes the copy.
    await context.workers
      .inTurn(unconditional, (run) => run({ kind: 'remove', address: hidden }))
      .catch(ignoreMissing)
      .then(part.end)
      .catch(() => {})
    throw error
  }
  await part.end()
}

/** Flushes a whole copy. The name of its top folder alone would lead to empty files after a power cut. */
async function flushCopy(
  context: TreeContext,
  from: Located,
  { hidden, to }: { hidden: string; to: Located },
): Promise<void> {
  if (!requireStats(from).isDirectory()) return flush(hidden)
  const task = { kind: 'flush', address: hidden, isLocal: isLocal(to.folder.real) } as const
  await context.workers.inTurn(context.recheck, (run) => run(task))
}

function refuseInside(from: Located, to: Located): void {
  const isWithinItself = isWithin(to.path, from.path) && to.path !== from.path
  if (isWithinItself || isWithin(to.folder.path, from.path)) {
    throw new Problem('path.inside', { path: from.asked })
  }
}
