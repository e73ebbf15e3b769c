import { ref } from 'valtio'
import type { FileView, Item } from '#contract/resources.ts'
import { nameOf, parentOf, paths } from '#web/shared/paths.ts'
import { files } from './files-state.ts'

/** Types of files with a previous and a next file. Texts have none. */
export const sequenceTypes: readonly string[] = ['image', 'video', 'audio', 'pdf', 'blob']

type Place = Pick<FileView, 'path' | 'type'>

/**
 * The file after (1) or before (-1) the requested one, which may still be loading, in the list that contains `file`;
 * undefined at the ends of the list or without a list.
 */
export function neighbour(file: Place, by: 1 | -1): Item | undefined {
  const row = sequenceOf(file)
  const at = placeIn(row, files.path)
  return at < 0 ? undefined : row[at + by]
}

/** The position of the file, counted from 1, and the number of files in its sequence; undefined if it is not in one. */
export function positionOf(file: Place): { at: number; count: number } | undefined {
  const row = sequenceOf(file)
  const at = placeIn(row, file.path) + 1
  return at > 0 ? { at, count: row.length } : undefined
}

/** The files of the list that contains `file`, through which one can turn; empty without a list. */
export function sequenceOf(file: Place): readonly Item[] {
  if (files.folder?.path !== parentOf(file.path) || !sequenceTypes.includes(file.type)) return []
  return files.folder.items.filter((item) => !item.isDir && sequenceTypes.includes(item.type))
}

/**
 * The address to go to when the open file `file` has left its folder: the next picture or recording of the folder, else the one
 * before it, else `otherwise`. Takes the file out of the list, so that turning does not find it any more.
 */
export function leaveSequence(file: Place, otherwise: string): string {
  const isShown = ['image', 'video', 'audio'].includes(file.type)
  const next = isShown ? (neighbour(file, 1) ?? neighbour(file, -1)) : undefined
  if (files.folder?.path === parentOf(file.path)) {
    files.folder.items = ref(files.folder.items.filter(({ path }) => path !== file.path))
  }
  return next?.url ?? paths.files(otherwise)
}

function placeIn(row: readonly Item[], path: string): number {
  if (files.folder?.path !== parentOf(path)) return -1
  return row.findIndex((item) => item.name === nameOf(path))
}
