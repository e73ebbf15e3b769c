import type { Item } from '#contract/resources.ts'
import { firstFileOf, type Section } from '#web/features/files/views/sections.ts'

/** Width divided by height of a tile whose picture has an unknown shape, or no picture. */
export const tileRatio = 4 / 3

/** The gap between tiles, and the margin beside them, in pixels. As in `file-mosaic.module.css`. */
export const gapPx = 8
export const marginPx = 16

/** The items from index `from` to before `to`, side by side. */
export interface Tiles {
  from: number
  to: number
}

/** A title of a section, the first moment of a month (local time, milliseconds since 1970), or tiles. */
export type Line = Section | number | Tiles

/** Whether a line has tiles. */
export function hasTiles(line: Line): line is Tiles {
  return typeof line === 'object'
}

/** The number of tiles of `size` pixels beside each other. In narrow windows, tiles are smaller: three on most phones. */
export function columnsOf(width: number, size: number): number {
  const wanted = width < 600 ? size * 0.55 : size
  return Math.max(1, Math.floor((width - 2 * marginPx + gapPx) / (wanted + gapPx)))
}

/** Splits the items, folders first, into lines of `columns`, each section below its title; files also by month. */
export function mosaicLines(items: readonly Item[], columns: number, byMonth: boolean): Line[] {
  const firstFile = firstFileOf(items)
  const lines: Line[] = firstFile > 0 ? ['folders', ...cut(0, firstFile, columns)] : []
  if (!byMonth)
    return firstFile < items.length ? [...lines, 'files', ...cut(firstFile, items.length, columns)] : lines
  let from = firstFile
  while (from < items.length) {
    const month = monthOf(items[from])
    let to = from + 1
    while (to < items.length && monthOf(items[to]) === month) to++
    lines.push(month, ...cut(from, to, columns))
    from = to
  }
  return lines
}

function cut(from: number, to: number, columns: number): Tiles[] {
  return Array.from({ length: Math.ceil((to - from) / columns) }, (_, n) => ({
    from: from + n * columns,
    to: Math.min(from + (n + 1) * columns, to),
  }))
}

function monthOf(item: Item | undefined): number {
  const date = new Date(item?.modified ?? 0)
  return new Date(date.getFullYear(), date.getMonth()).getTime()
}

/** The index of the line with the item at `index`; -1 if there is none. */
export function lineAt(lines: readonly Line[], index: number): number {
  return lines.findIndex((line) => hasTiles(line) && line.from <= index && index < line.to)
}

/** The item `by` lines of tiles below the one at `cursor`, in the same column or the last one. Stops at the ends. */
export function itemBelow(lines: readonly Line[], cursor: number, by: number): number {
  const rows = lines.filter(hasTiles)
  const at = lineAt(rows, cursor)
  const row = rows[at]
  const target = rows[Math.max(0, Math.min(at + by, rows.length - 1))]
  if (!row || !target || row === target) return cursor
  return Math.min(target.from + cursor - row.from, target.to - 1)
}

/**
 * The widths of the tiles in a line of `columns`, as shares. If the shape of each picture is known, every tile has the
 * shape of its picture, within limits. Until then, all have one width: the number of tiles in a line never changes.
 */
export function sharesOf(ratios: readonly (number | undefined)[], columns: number): number[] {
  const known = ratios.every((ratio) => ratio !== undefined)
  const shares = ratios.map((ratio) => (known ? Math.max(0.5, Math.min(2.4, ratio ?? tileRatio)) : tileRatio))
  return [...shares, ...Array.from({ length: columns - shares.length }, () => tileRatio)]
}

/** How much of a picture may be cut off at its edges to fill the tile. With more, the whole picture is shown. */
const maxCrop = 0.25

/** Whether a picture of one shape fills a tile of another shape without losing much. */
export function fillsTile(picture: number, tile: number): boolean {
  return Math.min(picture / tile, tile / picture) >= 1 - maxCrop
}
