import type { ResourceType } from '#contract/resources.ts'
import type { Sorting } from '#contract/users.ts'
import { naturalKey, naturalOrder } from './natural-order.ts'

/**
 * The entries of a folder, a column for each thing that is told of them: as objects, a hundred thousand of them keep the
 * garbage collector busier than the disk.
 */
export interface Columns {
  names: string[]
  /** Undefined: not known before the first bytes are read. */
  types: (ResourceType | undefined)[]
  sizes: Float64Array
  /** Times of change, in milliseconds. */
  times: Float64Array
  /** Modes as the wire has them. */
  modes: Uint32Array
  isDir: Uint8Array
  isSymlink: Uint8Array
}

/**
 * Which entry comes first, second and so on: folders first in every order; for names `asc: false` is A to Z (reference
 * 3.2). Equal keys go by name.
 */
export function orderOf(
  entries: Columns,
  { by, asc, language }: Sorting & { language: string },
): { order: Uint32Array; numDirs: number } {
  const { names, sizes, times, isDir } = entries
  const compare = naturalOrder(language)
  const keys = names.map(naturalKey)
  const byName = (a: number, b: number) => compare(names[a] ?? '', names[b] ?? '', { a: keys[a], b: keys[b] })
  const sign = asc === (by === 'name') ? -1 : 1
  const column = by === 'size' ? sizes : times
  const byColumn = (a: number, b: number) => sign * ((column[a] ?? 0) - (column[b] ?? 0)) || byName(a, b)
  const byKey = by === 'name' ? (a: number, b: number) => sign * byName(a, b) : byColumn
  const order = new Uint32Array(names.length)
  let numDirs = 0
  for (let at = 0; at < order.length; at++) if (isDir[at]) order[numDirs++] = at
  for (let at = 0, next = numDirs; at < order.length; at++) if (!isDir[at]) order[next++] = at
  // The size of a folder is no size of what is in it.
  order.subarray(0, numDirs).sort(by === 'size' ? byName : byKey)
  order.subarray(numDirs).sort(byKey)
  return { order, numDirs }
}
