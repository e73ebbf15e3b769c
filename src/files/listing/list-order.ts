import type { ResourceType } from '#contract/schema/resource-path.ts'
import type { Sorting } from '#contract/users.ts'
import { naturalKey, naturalOrder } from './natural-order.ts'

/**
 * The entries of a folder, one column for each property. With 100,000 entries as objects, the garbage collector would
 * need more time than the disk.
 */
export interface Columns {
  names: string[]
  /** Undefined: the type depends on the first bytes of the file. */
  types: (ResourceType | undefined)[]
  sizes: Float64Array
  /** Modification times, in milliseconds. */
  times: Float64Array
  /** Modes as in the API. */
  modes: Uint32Array
  isDir: Uint8Array
  isSymlink: Uint8Array
}

/**
 * Sorts the entries. Folders come first in every order. For names, `asc: false` is A to Z. Entries with equal keys are
 * sorted by name (contract/compatibility.md#sorting).
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
  // Folders are sorted by name: the size of a folder is not the size of its contents.
  order.subarray(0, numDirs).sort(by === 'size' ? byName : byKey)
  order.subarray(numDirs).sort(byKey)
  return { order, numDirs }
}
