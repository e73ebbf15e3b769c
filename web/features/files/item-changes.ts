import type { Item } from '#contract/resources.ts'
import { api } from '#web/api/client.ts'
import { announceChange } from '#web/app/changes.ts'
import { go, parentOf, paths } from '#web/app/paths.ts'
import { files, refresh, reveal } from './files-state.ts'

/** Calls under way at once; the server's disk gains nothing from more. */
const width = 4

/**
 * Gives `item` another name in its folder and marks it.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the right is missing.
 */
export async function renameItem(item: Pick<Item, 'path' | 'isDir'>, name: string): Promise<void> {
  const target = parentOf(item.path) + name
  await api('PATCH /api/resources/*', {
    params: { '*': item.path },
    query: { action: 'rename', destination: target },
  })
  announceChange(parentOf(item.path))
  if (files.file) {
    go(paths.files(target), { replace: true })
    return
  }
  await refresh()
  reveal(name)
}

/**
 * Deletes `items`, folders with all in them. What cannot be deleted stays, and the others go.
 *
 * @throws ApiProblem the first refusal, after all have been tried.
 */
export async function removeItems(items: readonly Item[]): Promise<void> {
  const first = items[0]
  try {
    await each(items, ({ path }) => api('DELETE /api/resources/*', { params: { '*': path } }))
  } finally {
    if (first) announceChange(parentOf(first.path))
    if (files.file && first) go(paths.files(parentOf(first.path)), { replace: true })
    else await refresh()
  }
}

/**
 * Does `task` for every one of `list`, a few at a time, and shows that something is going on.
 *
 * @throws the first failure, after all have been tried.
 */
export async function each<T>(list: readonly T[], task: (one: T) => Promise<unknown>): Promise<void> {
  const waiting = [...list]
  const failures: unknown[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await task(next).catch((error: unknown) => failures.push(error))
    }
  }
  files.tasks++
  try {
    await Promise.all(Array.from({ length: width }, work))
  } finally {
    files.tasks--
  }
  if (failures.length > 0) throw failures[0]
}
