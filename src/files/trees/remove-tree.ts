import { join } from 'node:path'
import { errnoOf, ignoreMissing, isDiskFull, onPath, Problem } from '#src/core/problem.ts'
import type { PlannedStep } from '#src/files/changes/change.ts'
import { type Located, requireStats } from '#src/files/jail/locate.ts'
import { lstat, rename, rmdir } from '#src/files/paths/disk.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { temporaryName } from '#src/files/paths/user-path.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import {
  checkRules,
  checkTree,
  dropPicture,
  flush,
  realOf,
  refuseSecret,
  type TreeContext,
  taskResult,
} from './tree-context.ts'

/**
 * Deletes a file, a symbolic link, or a folder with its contents: moves it to the trash, or removes it permanently where
 * there is none. To be removed, a folder is first renamed to a hidden name, so that it disappears at once and as a whole.
 * After a crash, the next start finishes the removal. When a rule denies something in it, or it cannot be removed, the
 * rest gets its old name again. When the disk is too full even for the hidden name, the folder is removed in place.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, or that of the system error.
 */
export async function removeTree(context: TreeContext, target: Located): Promise<void> {
  const [step] = await context.change.plan({
    do: 'remove',
    path: realOf(target),
    isPermanent: context.isPermanent,
  })
  try {
    await removeUnflushed(context, target, step)
  } catch (error) {
    await step.cancel()
    throw error
  }
  await flush(target.folder.address)
  await step.done()
}

/**
 * As `removeTree`, for several entries of one folder. The deletion is durable only after `flushRemovals`.
 *
 * @param step the recorded step; the caller ends it
 */
export async function removeUnflushed(
  context: TreeContext,
  target: Located,
  step: PlannedStep,
): Promise<void> {
  refuseSecret(context, target)
  await checkRules(context, { address: target.address, place: target })
  if (await moveToTrash(context, target, step)) return
  if (context.keepsContent && requireStats(target).isDirectory()) await removeEmpty(target)
  else await removePermanently(context, target)
}

/** Deletes a folder with one system call, which refuses one that is not empty. @throws Problem `path.changed`. */
async function removeEmpty({ address, asked }: Located): Promise<void> {
  await rmdir(address).catch((error: unknown) => {
    if (['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? ''))
      throw new Problem('path.changed', { path: asked })
    onPath(asked)(error)
  })
}

/** Returns whether the entry is in the trash now. */
async function moveToTrash(context: TreeContext, target: Located, step: PlannedStep): Promise<boolean> {
  const stats = requireStats(target)
  // The step may have waited for its record.
  context.recheck()
  const address = await step.discard(target.address, stats).catch(onPath(target.asked))
  if (address === undefined) return false
  // The previews of files in a folder stay until the folder is deleted permanently.
  dropPicture(context, target)
  if (!stats.isDirectory() || context.rules.length === 0) return true
  try {
    // Checked again: in the trash no user can add to the folder, and the rules may have changed.
    await context.workers.inTurn(context.recheck, (run) =>
      checkTree(run, context, { address, place: target }),
    )
    return true
  } catch (error) {
    await step.takeBack(target.address)
    throw error
  }
}

/** Deletes an entry that does not go to the trash. */
export async function removePermanently(context: TreeContext, target: Located): Promise<void> {
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

function ignoreFull(error: unknown): undefined {
  if (!isDiskFull(error)) throw error
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
