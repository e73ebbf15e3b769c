import { proxy } from 'valtio'
import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { removeAll } from '#web/api/remove.ts'
import { files, isAt, refresh, reveal } from '#web/features/files/state/files-state.ts'
import { removals } from '#web/features/files/state/removal-state.ts'
import { announceChange } from '#web/shared/changes.ts'
import { encodePath, go, parentOf, paths } from '#web/shared/paths.ts'
import { isDone, type Refusal, tellRefusals } from './refusals.ts'

/**
 * Gives `item` another name in its folder and marks it.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the right is missing.
 */
export async function renameItem(item: Pick<Item, 'path' | 'isDir'>, name: string): Promise<void> {
  const folder = parentOf(item.path)
  const target = folder + name
  await api('PATCH /api/resources/*', {
    params: { '*': item.path },
    query: { action: 'rename', destination: encodePath(target) },
  })
  announceChange(folder)
  // Who has gone on to something else meanwhile stays there.
  if (isAt(item.path)) go(paths.files(target), { replace: true })
  if (!isAt(folder)) return
  await refresh()
  if (isAt(folder)) reveal([name])
}

/**
 * Deletes `items` of one folder, folders with everything in them, and shows the progress. What cannot be deleted is
 * reported, and the rest is deleted. Answers whether everything was deleted.
 */
export async function removeItems(items: readonly Item[]): Promise<boolean> {
  const [first] = items
  if (!first) return false
  const folder = parentOf(first.path)
  const refusals = await remove(folder, items)
  announceChange(folder)
  const areGone = refusals.every(({ code }) => isDone(code))
  // An open file is left when it is gone, and only then.
  if (isAt(folder)) await refresh()
  else if (areGone && isAt(first.path)) go(paths.files(folder), { replace: true })
  tellRefusals(refusals)
  return areGone
}

/** Answers what was refused. */
async function remove(folder: string, items: readonly Item[]): Promise<Refusal[]> {
  const refusals: Refusal[] = []
  const names = items.map(({ name }) => name)
  const controller = new AbortController()
  const progress = proxy({ done: 0, of: items.length, stop: () => controller.abort() })
  files.tasks++
  if (items.length > 1) removals.all.push(progress)
  try {
    for await (const parts of removeAll(folder, names, controller.signal)) {
      progress.done += parts.length
      for (const { path: name, code } of parts) if (code) refusals.push({ name, code })
    }
  } catch (error) {
    // What is left is refused for one reason: the person stopped it, or nobody answers any more.
    const [name = ''] = names.slice(progress.done)
    refusals.push({ name, code: codeOf(error) })
  } finally {
    files.tasks--
    removals.all = removals.all.filter((one) => one !== progress)
  }
  return refusals
}
