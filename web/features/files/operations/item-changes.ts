import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { removeAll } from '#web/api/remove.ts'
import { files } from '#web/features/files/state/files-state.ts'
import { runningDeletions } from '#web/features/files/state/removal-state.ts'
import { announceFiles, moveOf } from '#web/shared/changes.ts'
import { encodePath, nameOf, parentOf } from '#web/shared/paths.ts'
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
  await announceFiles({
    folders: [folder],
    moved: [moveOf(item.path, target)],
    results: [target],
    replaces: new Set([nameOf(item.path)]),
  })
}

/**
 * Deletes `items`, folders with everything in them, and shows the progress. Reports items that cannot be deleted, and
 * deletes the others. Returns whether all were deleted.
 *
 * @param items of one folder, or of several
 * @param kind what the user was told will happen; `permanent` does not use the trash
 */
export async function deleteItems(items: readonly Item[], kind: DeletionKind): Promise<boolean> {
  if (items.length === 0) return false
  const folders = Map.groupBy(items, ({ path }) => parentOf(path))
  const { refusals, operations, removed } = await remove(folders, kind)
  await announceFiles({ folders: [...folders.keys()], removed, turnsOn: true })
  showOperationErrors(refusals)
  if (removed.length > 0)
    recordChange({
      text: deletedText(removed.map(nameOf), kind),
      operations: kind === 'permanent' ? [] : operations,
    })
  return refusals.every(({ code }) => isDone(code))
}

/** Deletes the items of each folder. Returns the errors, the ids of the operations, and the paths of the deleted items. */
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
        removed.push(...parts.flatMap(({ path: name, code }) => (!code || isDone(code) ? folder + name : [])))
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
