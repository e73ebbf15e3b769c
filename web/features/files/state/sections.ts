import type { Item } from '#contract/resources.ts'

/** The two sections of a folder, each under its title. */
export type Section = 'folders' | 'files'

/** The height of a title, in rem. The list knows it, so that boxes are drawn right over titles that are out of sight. */
export const titleRem = 2.25

/** The index of the first file. Folders come first in every order; without a file it is the number of items. */
export function firstFileOf(items: readonly Item[]): number {
  const found = items.findIndex((item) => !item.isDir)
  return found < 0 ? items.length : found
}

/** The lines of the list: titles, and the indices of the items below them. */
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

/** The line of the list that the item at `index` is in. */
export function lineOf(index: number, firstFile: number): number {
  return index < firstFile || firstFile === 0 ? index + 1 : index + 2
}
