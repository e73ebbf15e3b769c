import type { Item } from '#contract/resources.ts'

/** The numbers of folders and files in a list of which only the first items are there. */
export interface Expected {
  folders: number
  files: number
}

/** The sections of a folder, each below its title. */
export type Section = 'folders' | 'files'

/** The height of a section title, in rem. Selection boxes need it to calculate positions outside the visible area. */
export const titleRem = 2.25

/** The index of the first file, because folders come first in every order; without files, the number of items. */
export function firstFileOf(items: readonly Item[]): number {
  const found = items.findIndex((item) => !item.isDir)
  return found < 0 ? items.length : found
}

/** The lines of the list: section titles and item indices. */
export function linesOf(items: readonly Item[]): (Section | number)[] {
  const firstFile = firstFileOf(items)
  const lines: (Section | number)[] = []
  for (let index = 0; index < items.length; index++) {
    if (index === firstFile) lines.push('files')
    else if (index === 0) lines.push('folders')
    lines.push(index)
  }
  return lines
}

/** The number of lines that follow when the first `items` of a folder become all of them. */
export function missingLinesOf(items: readonly Item[], { folders, files }: Expected): number {
  const titles = Number(folders > 0) + Number(files > 0)
  return Math.max(0, folders + files + titles - linesOf(items).length)
}

/** The line of the item at `index`. */
export function lineOf(index: number, firstFile: number): number {
  return index < firstFile || firstFile === 0 ? index + 1 : index + 2
}
