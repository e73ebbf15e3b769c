import { join } from 'node:path'
import type { AuditPage, AuditRecord } from '#contract/history/audit.ts'
import type { ChangedPath } from '#contract/history/operations.ts'
import type { Scan } from '#src/core/database/scans.ts'
import { isInside, pathInJail } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { recordOf } from './audit.ts'
import { fileKinds, privateKinds } from './entry.ts'
import { readOwners } from './links/link-rows.ts'
import { openScan, type StoredRecord } from './search/scan.ts'

const pageBudgetMs = 40

/** Whose activity it is, and of what. */
export interface ActivityQuery {
  jail: Jail
  /** The real path of the file or folder. */
  real: string
  /** The id of the reader. */
  userId: number
  /** Whether the reader is an administrator. */
  isAdmin: boolean
  before: number | undefined
  limit: number
}

/**
 * Returns what was done to files: to one, or to a folder and everything in it. Leaves out what the reader must not see:
 * paths outside of the jail or denied by a rule, addresses, the operations of others, and visits and downloads through
 * the links of others.
 *
 * @param root the real path of the served folder
 */
export async function activityOf(
  reader: Scan,
  root: string,
  { jail, real, userId, isAdmin, before, limit }: ActivityQuery,
): Promise<AuditPage> {
  const path = pathInJail({ root: root as Jail['root'] }, real)
  const filter = { kinds: fileKinds, ...(path !== '/' && { path }) }
  const scan = await openScan(reader, filter, { order: 'newest', beyond: before })
  const deadline = performance.now() + pageBudgetMs
  const records: AuditRecord[] = []
  for (;;) {
    const found = await scan.next(limit - records.length, deadline - performance.now())
    const shown = isAdmin ? found.records : await withoutPrivate(reader, found.records, userId)
    for (const record of shown) {
      records.push(...visibleRecord(record, { jail, root, userId }))
      await reader.pause()
    }
    const isOver = records.length >= limit || performance.now() > deadline
    if (found.next === undefined || isOver)
      return { records, ...(found.next !== undefined && { next: found.next }) }
  }
}

/** The records without visits and downloads that only others may see. */
async function withoutPrivate(
  reader: Scan,
  records: readonly StoredRecord[],
  userId: number,
): Promise<readonly StoredRecord[]> {
  const isPrivate = ({ kind }: StoredRecord) => (privateKinds as readonly string[]).includes(kind)
  const owners = await readOwners(
    reader,
    records.filter(isPrivate).map(({ seq }) => seq),
  )
  // A download without a link is of its user.
  return records.filter((record) => !isPrivate(record) || (owners.get(record.seq) ?? record.user) === userId)
}

/** The record as the reader may see it; none when no path is left. */
function visibleRecord(
  stored: StoredRecord,
  { jail, root, userId }: { jail: Jail; root: string; userId: number },
): AuditRecord[] {
  const record = recordOf(stored)
  const shown = record.paths.flatMap((one) => visiblePath(one, jail, root))
  if (shown.length === 0) return []
  const { operation, ...rest } = record
  const isWhole = shown.length === record.paths.length
  return [
    {
      ...rest,
      address: '',
      detail: '',
      paths: shown,
      // The number of hidden paths is hidden too.
      count: isWhole ? record.count : shown.length,
      ...(operation !== undefined && stored.user === userId && { operation }),
    },
  ]
}

function visiblePath({ path, to }: ChangedPath, jail: Jail, root: string): ChangedPath[] {
  const inJail = (served: string | undefined) => {
    if (served === undefined) return undefined
    const real = join(root, served)
    const inside = isInside(real, jail.root) ? pathInJail(jail, real) : undefined
    // Names on a disk that folds case may be written in another way in a rule.
    return inside !== undefined && jail.allows(inside, true) ? inside : undefined
  }
  const [from, target] = [inJail(path), inJail(to)]
  if (from !== undefined) return [{ path: from, ...(target !== undefined && { to: target }) }]
  return target === undefined ? [] : [{ path: target }]
}
