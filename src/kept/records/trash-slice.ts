import { join } from 'node:path'
import { compileRules, type ScopedRule, withoutDotfiles } from '#src/core/access/rules.ts'
import type { Statement } from '#src/core/database/database.ts'
import { type Examination, sliceLimits } from '#src/core/database/scan-slice.ts'
import { foldName } from '#src/core/text/fold.ts'
import { pathOfKept } from '#src/files/kept/kept-access.ts'
import { isInside } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type KeptRow, type Position, trashAfter } from './kept-rows.ts'

/** An entry of the trash, and its path in the scope of the reader. */
export interface Shown {
  row: KeptRow
  path: UserPath
}

/** Which entries of the trash to find. */
export interface TrashSliceOptions {
  /** Real path of the served folder. */
  root: string
  /** Real path of the scope of the reader. */
  scope: Jail['root']
  rules: readonly ScopedRule[]
  hideDotfiles: boolean
  /** Text in the path, in any case. Empty: all. */
  search: string
  /** Only entries after this one are shown. The others are counted. Undefined: all are shown. */
  after: Position | undefined
  /** The number of entries to show. Further ones are only counted. */
  most: number
}

/** What is in a slice. */
export interface TrashSlice {
  /** Entries that the reader may see, the first `most` of them. */
  shown: Shown[]
  /** The number and the counted bytes of all entries that the reader may see. */
  total: number
  size: number
  /** The number of entries in the scope, whether or not the reader may see them. */
  inScope: number
  /** The last entry that was examined: the next slice begins after it. */
  last: Position | undefined
}

/** The arguments of `Scan.slice` for the entries after a position of the whole trash, the newest first. */
export function trashSliceOf(
  after: Position | undefined,
  options: TrashSliceOptions,
): [statement: Statement, examine: Examination] {
  return [trashAfter('/', { after, limit: sliceLimits.rows }), { by: 'trash', options }]
}

/** Finds the entries of a slice that the reader may see. Runs on the thread for scans. */
export function trashSlice(
  rows: Iterable<object>,
  { root, scope, rules, hideDotfiles, search, after, most }: TrashSliceOptions,
): TrashSlice {
  const reader = { root: scope, allows: withoutDotfiles(compileRules(rules), hideDotfiles) }
  const wanted = foldName(search)
  const found: TrashSlice = { shown: [], total: 0, size: 0, inScope: 0, last: undefined }
  for (const row of rows as Iterable<KeptRow>) {
    found.last = { time: row.time, id: row.id }
    if (isInside(join(root, row.path), scope)) found.inScope++
    const path = pathOfKept(reader, { root, was: row.path })
    if (path === undefined || !foldName(path).includes(wanted)) continue
    found.total++
    found.size += row.size ?? 0
    if (found.shown.length < most && isAfter(row, after)) found.shown.push({ row, path })
  }
  return found
}

function isAfter(row: Position, position: Position | undefined): boolean {
  if (!position) return true
  return row.time < position.time || (row.time === position.time && row.id < position.id)
}
