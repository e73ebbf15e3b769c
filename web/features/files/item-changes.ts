import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problem-text.ts'
import { announceChange } from '#web/app/changes.ts'
import { encodePath, go, parentOf, paths } from '#web/app/paths.ts'
import { files, refresh, reveal } from './files-state.ts'
import { isDone, isLast, type Refusal, tellRefusals } from './refusals.ts'

/** Calls under way at once; the server's disk gains nothing from more. */
const width = 4

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
  if (files.path === item.path) go(paths.files(target), { replace: true })
  if (files.path !== folder) return
  await refresh()
  if (files.path === folder) reveal([name])
}

/**
 * Deletes `items`, folders with all in them. What cannot be deleted stays and is told, and the others go. Answers whether
 * all went.
 */
export async function removeItems(items: readonly Item[]): Promise<boolean> {
  const [first] = items
  if (!first) return false
  const folder = parentOf(first.path)
  const refusals = await each(items, ({ path }) => api('DELETE /api/resources/*', { params: { '*': path } }))
  announceChange(folder)
  const areGone = refusals.every(({ code }) => isDone(code))
  // An open file is left when it is gone, and only then.
  if (files.path === folder) await refresh()
  else if (files.path === first.path && areGone) go(paths.files(folder), { replace: true })
  tellRefusals(refusals)
  return areGone
}

/** Does `task` for every one of `list`, a few at a time, and shows that something is going on. Answers what was refused. */
async function each(list: readonly Item[], task: (one: Item) => Promise<unknown>): Promise<Refusal[]> {
  const waiting = [...list]
  const refusals: Refusal[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await task(next)
      } catch (error) {
        const code = codeOf(error)
        refusals.push({ name: next.name, code })
        if (isLast(code)) waiting.length = 0
      }
    }
  }
  files.tasks++
  try {
    await Promise.all(Array.from({ length: width }, work))
  } finally {
    files.tasks--
  }
  return refusals
}
