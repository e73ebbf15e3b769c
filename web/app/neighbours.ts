import type { FileView, Item } from '#contract/resources.ts'
import { files } from '#web/features/files/files-state.ts'
import { parentOf } from './paths.ts'

/** What one turns the pages through; texts are read one by one (specification, section 5). */
const turned: readonly string[] = ['image', 'video', 'audio', 'blob']

/** The file after (1) or before (-1) `file` in the list it was opened from; undefined at its ends and without a list. */
export function neighbour(file: FileView, by: 1 | -1): Item | undefined {
  if (files.folder?.path !== parentOf(file.path) || !turned.includes(file.type)) return undefined
  const all = files.folder.items.filter((item) => !item.isDir && turned.includes(item.type))
  const at = all.findIndex((item) => item.name === file.name)
  return at < 0 ? undefined : all[at + by]
}
