import type { Item } from '#contract/resources.ts'

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

/** The line of the item at `index`. */
export function lineOf(index: number, firstFile: number): number {
  return index < firstFile || firstFile === 0 ? index + 1 : index + 2
}
