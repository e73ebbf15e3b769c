import { useEffect } from 'react'
import type { FileView, Item } from '#contract/resources.ts'
import { readResource } from '#web/api/origin.ts'
import { files, surround } from '#web/features/files/state/files-state.ts'
import { nameOf, parentOf } from '#web/shared/paths.ts'

/** Types of files that have a previous and a next file; texts have none. */
const turned: readonly string[] = ['image', 'video', 'audio', 'pdf', 'blob']

/**
 * The file after (1) or before (-1) the one that is wanted, which may be on its way still, in the list that `file` stands
 * in; undefined at its ends and without a list.
 */
export function neighbour(file: FileView, by: 1 | -1): Item | undefined {
  const row = rowOf(file)
  const at = placeIn(row, files.path)
  return at < 0 ? undefined : row[at + by]
}

/** Which file it is, counted from 1, of how many one turns the pages through; undefined when it is none of them. */
export function placeOf(file: FileView): { at: number; count: number } | undefined {
  const row = rowOf(file)
  const at = placeIn(row, file.path) + 1
  return at > 0 ? { at, count: row.length } : undefined
}

/** Fetches the list that `file` stands in, when it was opened without that: by its address or from a search. */
export function useSurroundings({ path, type }: FileView): void {
  const folder = parentOf(path)
  const isWanted = turned.includes(type)
  useEffect(() => {
    if (!isWanted || files.folder?.path === folder) return
    const controller = new AbortController()
    const { signal } = controller
    readResource(folder, { signal })
      .then((answer) => {
        if ('items' in answer && !signal.aborted) surround(folder, answer)
      })
      // Who may not look at the folder has the file alone.
      .catch(() => undefined)
    return () => controller.abort()
  }, [folder, isWanted])
}

function placeIn(row: readonly Item[], path: string): number {
  if (files.folder?.path !== parentOf(path)) return -1
  return row.findIndex((item) => item.name === nameOf(path))
}

function rowOf(file: FileView): readonly Item[] {
  if (files.folder?.path !== parentOf(file.path) || !turned.includes(file.type)) return []
  return files.folder.items.filter((item) => !item.isDir && turned.includes(item.type))
}
