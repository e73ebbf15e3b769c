import type { FileView, Item } from '#contract/resources.ts'
import { files } from '#web/features/files/files-state.ts'
import { parentOf } from './paths.ts'

/** What one turns the pages through; texts are read one by one (specification, section 5). */
const turned: readonly string[] = ['image', 'video', 'audio', 'blob']

/** The file after (1) or before (-1) `file` in the list it was opened from; undefined at its ends and without a list. */
export function neighbour(file: FileView, by: 1 | -1): Item | undefined {
  const row = rowOf(file)
  const at = row.findIndex((item) => item.name === file.name)
  return at < 0 ? undefined : row[at + by]
}

/** Which file it is, counted from 1, of how many one turns the pages through; undefined when it is none of them. */
export function placeOf(file: FileView): { at: number; count: number } | undefined {
  const row = rowOf(file)
  const at = row.findIndex((item) => item.name === file.name) + 1
  return at > 0 ? { at, count: row.length } : undefined
}

function rowOf(file: FileView): readonly Item[] {
  if (files.folder?.path !== parentOf(file.path) || !turned.includes(file.type)) return []
  return files.folder.items.filter((item) => !item.isDir && turned.includes(item.type))
}
