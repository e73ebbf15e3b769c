import type { Sorting } from '#contract/users.ts'
import type { Columns } from './folder-entries.ts'
import { naturalKey, naturalOrder } from './natural-order.ts'

/**
 * Sorts the listed entries. Folders come first in every order. For names, `asc: false` is A to Z. Entries with equal keys are
 * sorted by name (contract/compatibility.md#sorting).
 */
export function orderOf(
  entries: Columns,
  { by, asc, language }: Sorting & { language: string },
): { order: Uint32Array; numDirs: number } {
  const { names, sizes, times } = entries
  const compare = naturalOrder(language)
  const keys = names.map(naturalKey)
  const byName = (a: number, b: number) => compare(names[a] ?? '', names[b] ?? '', { a: keys[a], b: keys[b] })
  const sign = asc === (by === 'name') ? -1 : 1
  const column = by === 'size' ? sizes : times
  const byColumn = (a: number, b: number) => sign * ((column[a] ?? 0) - (column[b] ?? 0)) || byName(a, b)
  const byKey = by === 'name' ? (a: number, b: number) => sign * byName(a, b) : byColumn
  const { order, numDirs } = foldersFirst(entries)
  // Folders are sorted by name: the size of a folder is not the size of its contents.
  order.subarray(0, numDirs).sort(by === 'size' ? byName : byKey)
  order.subarray(numDirs).sort(byKey)
  return { order, numDirs }
}

/** The indices of the listed entries, unsorted: folders, then files. */
function foldersFirst({ names, isDir, isListed }: Columns): { order: Uint32Array; numDirs: number } {
  const order = new Uint32Array(names.length)
  let length = 0
  for (let at = 0; at < names.length; at++) if (isListed[at] && isDir[at]) order[length++] = at
  const numDirs = length
  for (let at = 0; at < names.length; at++) if (isListed[at] && !isDir[at]) order[length++] = at
  return { order: order.subarray(0, length), numDirs }
}
