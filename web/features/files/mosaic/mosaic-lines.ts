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
  /** The shapes of the tiles: width divided by height. */
  shapes: readonly number[]
  /** The sum of the shapes with which the line is full. More than the sum of a line that leaves its end empty. */
  full: number
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

interface Cutting {
  /** The number of tiles of the standard shape in a line. */
  columns: number
  /** The shape of the picture of a file; undefined if it is unknown. */
  shapeOf?: ((item: Item) => number | undefined) | undefined
  /** The time by which files are in sections of a month, in milliseconds; undefined: one section. */
  timeOf?: ((item: Item) => number) | undefined
}

/** Splits the items, folders first, into lines, each section below its title; files also by month. */
export function mosaicLines(items: readonly Item[], { columns, shapeOf, timeOf }: Cutting): Line[] {
  const firstFile = firstFileOf(items)
  const cut = (from: number, to: number) =>
    justified(
      from,
      items.slice(from, to).map((item) => limited((item.isDir ? undefined : shapeOf?.(item)) ?? tileRatio)),
      columns,
    )
  const lines: Line[] = firstFile > 0 ? ['folders', ...cut(0, firstFile)] : []
  if (!timeOf) return firstFile < items.length ? [...lines, 'files', ...cut(firstFile, items.length)] : lines
  const months = items.map((item) => (item.isDir ? 0 : monthOf(timeOf(item))))
  let from = firstFile
  while (from < items.length) {
    const month = months[from] ?? 0
    let to = from + 1
    while (months[to] === month) to++
    lines.push(month, ...cut(from, to))
    from = to
  }
  return lines
}

/** A tile is neither much narrower nor much wider than others. Further pictures are cut off or have a margin. */
function limited(shape: number): number {
  return Math.max(0.5, Math.min(2.4, shape))
}

/**
 * Fills line after line, so that each has nearly the width of `columns` standard tiles at one height, and at most half as
 * many more. The last line leaves its end empty.
 */
function justified(start: number, shapes: readonly number[], columns: number): Tiles[] {
  const target = columns * tileRatio
  const most = Math.ceil(columns * 1.5)
  const lines: Tiles[] = []
  let line: number[] = []
  let sum = 0
  let from = start
  const close = (full: number) => {
    lines.push({ from, to: from + line.length, shapes: line, full })
    from += line.length
    line = []
    sum = 0
  }
  for (const shape of shapes) {
    if (line.length > 0 && target - sum < sum + shape - target) close(sum)
    line.push(shape)
    sum += shape
    if (sum > target - 0.001 || line.length === most) close(sum)
  }
  if (line.length > 0) close(Math.max(target, sum))
  return lines
}

/** The height of a line of tiles in a list of `width` pixels, with `standard` for a line that leaves its end empty. */
export function heightOf({ shapes, full }: Tiles, width: number, standard: number): number {
  const sum = shapes.reduce((total, shape) => total + shape, 0)
  const filling = (width - 2 * marginPx - (shapes.length - 1) * gapPx) / sum
  return full > sum ? Math.min(standard, filling) : filling
}

function monthOf(ms: number): number {
  const date = new Date(ms)
  return new Date(date.getFullYear(), date.getMonth()).getTime()
}

/** The index of the line with the item at `index`; -1 if there is none. */
export function lineAt(lines: readonly Line[], index: number): number {
  return lines.findIndex((line) => hasTiles(line) && line.from <= index && index < line.to)
}

/** The item `by` lines of tiles below the one at `cursor`, the nearest one to its middle. Stops at the ends. */
export function itemBelow(lines: readonly Line[], cursor: number, by: number): number {
  const rows = lines.filter(hasTiles)
  const at = lineAt(rows, cursor)
  const row = rows[at]
  const target = rows[Math.max(0, Math.min(at + by, rows.length - 1))]
  if (!row || !target || row === target) return cursor
  const middle = middlesOf(row)[cursor - row.from] ?? 0
  const middles = middlesOf(target)
  const nearest = middles.reduce(
    (best, at, index) =>
      Math.abs(at - middle) < Math.abs((middles[best] ?? 0) - middle) - 0.001 ? index : best,
    0,
  )
  return target.from + nearest
}

/** The middles of the tiles of a line, from 0 to 1. */
function middlesOf({ shapes, full }: Tiles): number[] {
  let end = 0
  return shapes.map((shape) => {
    end += shape
    return (end - shape / 2) / full
  })
}

/** How much of a picture may be cut off at its edges to fill the tile. With more, the whole picture is shown. */
const maxCrop = 0.25

/** Whether a picture of one shape fills a tile of another shape without losing much. */
export function fillsTile(picture: number, tile: number): boolean {
  return Math.min(picture / tile, tile / picture) >= 1 - maxCrop
}
