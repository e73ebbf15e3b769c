import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { removeAll } from '#web/api/remove.ts'
import { files, isAt, refreshFolder, selectByName } from '#web/features/files/state/files-state.ts'
import { runningDeletions } from '#web/features/files/state/removal-state.ts'
import { announceChange } from '#web/shared/changes.ts'
import { encodePath, navigateTo, parentOf, paths } from '#web/shared/paths.ts'
import { isDone, type OperationError, showOperationErrors } from './refusals.ts'

/**
 * Renames `item` in its folder and selects it.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the permission is missing.
 */
export async function renameItem(item: Pick<Item, 'path' | 'isDir'>, name: string): Promise<void> {
  const folder = parentOf(item.path)
  const target = folder + name
  await api('PATCH /api/resources/*', {
    params: { '*': item.path },
    query: { action: 'rename', destination: encodePath(target) },
  })
  announceChange(folder)
  // Only changes the route if the item is still open.
  if (isAt(item.path)) navigateTo(paths.files(target), { replace: true })
  if (!isAt(folder)) return
  await refreshFolder()
  if (isAt(folder)) selectByName([name])
}

/**
 * Deletes `items` of one folder, folders with everything in them, and shows the progress. Reports items that cannot be
 * deleted, and deletes the others. Returns whether all were deleted.
 */
export async function deleteItems(items: readonly Item[]): Promise<boolean> {
  const [first] = items
  if (!first) return false
  const folder = parentOf(first.path)
  const refusals = await remove(folder, items)
  announceChange(folder)
  const areGone = refusals.every(({ code }) => isDone(code))
  // Closes an open file only after it was deleted.
  if (isAt(folder)) await refreshFolder()
  else if (areGone && isAt(first.path)) navigateTo(paths.files(folder), { replace: true })
  showOperationErrors(refusals)
  return areGone
}

/** Deletes the items and returns the errors. */
async function remove(folder: string, items: readonly Item[]): Promise<OperationError[]> {
  const refusals: OperationError[] = []
  const names = items.map(({ name }) => name)
  const controller = new AbortController()
  const progress = proxy({ done: 0, total: items.length, stop: () => controller.abort() })
  files.tasks++
  if (items.length > 1) runningDeletions.all.push(progress)
  try {
    for await (const parts of removeAll(folder, names, controller.signal)) {
      progress.done += parts.length
      for (const { path: name, code } of parts) if (code) refusals.push({ name, code })
    }
  } catch (error) {
    // All remaining items fail for one reason: the user stopped the deletion, or the server is unreachable.
    const [name = ''] = names.slice(progress.done)
    refusals.push({ name, code: codeOf(error) })
  } finally {
    files.tasks--
    runningDeletions.all = runningDeletions.all.filter((one) => one !== progress)
  }
  return refusals
}
