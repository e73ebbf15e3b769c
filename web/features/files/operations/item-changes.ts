import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { removeAll } from '#web/api/remove.ts'
import { files, isAt, refreshFolder, selectByName } from '#web/features/files/state/files-state.ts'
import { runningDeletions } from '#web/features/files/state/removal-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { leaveSequence } from '#web/features/files/state/sequence.ts'
import { announceChange } from '#web/shared/changes.ts'
import { announceMove } from '#web/shared/lists/moves.ts'
import { encodePath, nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { type DeletionKind, deletedText, renamedText } from '#web/shared/undo/change-text.ts'
import { collectOperations, recordChange, recorded } from '#web/shared/undo/history.ts'
import { isDone, type OperationError, showOperationErrors } from './refusals.ts'

/**
 * Renames `item` in its folder and selects it, unless the user has selected something else meanwhile.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the permission is missing.
 */
export async function renameItem(item: Pick<Item, 'path' | 'isDir'>, name: string): Promise<void> {
  const folder = parentOf(item.path)
  const target = folder + name
  const query = { action: 'rename', destination: encodePath(target) } as const
  await recorded({ text: renamedText(nameOf(item.path), name) }, (onOperation) =>
    api('PATCH /api/resources/*', { params: { '*': item.path }, query }, { onOperation }),
  )
  announceMove(item.path, target)
  announceChange(folder)
  // Only changes the route if the item is still open.
  if (isAt(item.path)) navigateTo(paths.files(target), { replace: true })
  if (!isAt(folder)) return
  await refreshFolder()
  const isFree = [...selection.names].every((one) => one === nameOf(item.path))
  if (isFree && isAt(folder)) selectByName([name])
}

/**
 * Deletes `items`, folders with everything in them, and shows the progress. Reports items that cannot be deleted, and
 * deletes the others. Returns whether all were deleted.
 *
 * @param items of one folder, or of several
 * @param kind what the user was told will happen; `permanent` does not use the trash
 */
export async function deleteItems(items: readonly Item[], kind: DeletionKind): Promise<boolean> {
  const [first] = items
  if (!first) return false
  const folders = Map.groupBy(items, ({ path }) => parentOf(path))
  const { refusals, operations, removed } = await remove(folders, kind)
  for (const folder of folders.keys()) announceChange(folder)
  const areGone = refusals.every(({ code }) => isDone(code))
  // Closes an open file only after it was deleted.
  if ([...folders.keys()].some(isAt)) await refreshFolder()
  else if (areGone && isAt(first.path))
    navigateTo(leaveSequence(first, parentOf(first.path)), { replace: true })
  showOperationErrors(refusals)
  if (removed.length > 0)
    recordChange({ text: deletedText(removed, kind), operations: kind === 'permanent' ? [] : operations })
  return areGone
}

/** Deletes the items of each folder. Returns the errors, the ids of the operations, and the names of the deleted items. */
async function remove(folders: ReadonlyMap<string, readonly Item[]>, kind: DeletionKind) {
  const refusals: OperationError[] = []
  const removed: string[] = []
  const { operations, onOperation } = collectOperations()
  const names = [...folders.values()].flat().map(({ name }) => name)
  const controller = new AbortController()
  const { signal } = controller
  const progress = proxy({ done: 0, total: names.length, stop: () => controller.abort() })
  files.tasks++
  if (names.length > 1) runningDeletions.all.push(progress)
  try {
    const removal = { signal, isPermanent: kind === 'permanent', onOperation }
    for (const [folder, items] of folders) {
      const inFolder = items.map(({ name }) => name)
      for await (const parts of removeAll(folder, inFolder, removal)) {
        progress.done += parts.length
        refusals.push(...parts.flatMap(({ path: name, code }) => (code ? { name, code } : [])))
        removed.push(...parts.flatMap(({ path: name, code }) => (!code || isDone(code) ? name : [])))
      }
    }
  } catch (error) {
    // All remaining items fail for one reason: the user stopped the deletion, or the server is unreachable.
    const [name = ''] = names.slice(progress.done)
    refusals.push({ name, code: codeOf(error) })
  } finally {
    files.tasks--
    runningDeletions.all = runningDeletions.all.filter((one) => one !== progress)
  }
  return { refusals, operations, removed }
}
