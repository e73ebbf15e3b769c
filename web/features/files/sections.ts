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

interface Geometry {
  /** The height of an item, in pixels, as all others below. */
  height: number
  /** The height of a title. */
  title: number
  /** How many items there are, and which is the first file. */
  count: number
  firstFile: number
}

/**
 * The items of the list that a band touches.
 *
 * @param band its edges, counted from the top of the first item
 * @returns the first and the last index; the last is smaller when there are none
 */
export function itemsInBand(band: { top: number; bottom: number }, geometry: Geometry): [number, number] {
  const { height, title, count, firstFile } = geometry
  const gap = firstFile === 0 ? 0 : title
  const foldersEnd = firstFile * height
  const fileAt = (y: number) => Math.floor((y - gap) / height)
  const from = band.top < foldersEnd ? Math.floor(band.top / height) : Math.max(firstFile, fileAt(band.top))
  const to =
    band.bottom < foldersEnd + gap
      ? Math.min(firstFile - 1, Math.floor(band.bottom / height))
      : fileAt(band.bottom)
  return [Math.max(0, from), Math.min(to, count - 1)]
}

/** How far the item at `index` is below the first one. */
export function offsetOf(index: number, { height, title, firstFile }: Omit<Geometry, 'count'>): number {
  return index * height + (index >= firstFile && firstFile > 0 ? title : 0)
}
