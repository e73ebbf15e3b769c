import type { ChangedPath } from '#contract/history/operations.ts'
import type { DeletedItems } from '#src/kept/retention/deletion.ts'
import type { OperationRecord, StoredStep } from '#src/operations/operation-records.ts'
import type { EndedOperation } from '#src/operations/record-operation.ts'
import { type AuditEntry, serverItself } from './entry.ts'

/** The record of an operation that has ended. */
export function entryOfOperation({
  id,
  kind,
  user,
  session,
  address,
  problem,
  steps,
  detail,
  concerned,
}: EndedOperation): AuditEntry {
  const outcome = problem === undefined ? 'done' : problem.status === 403 ? 'refused' : 'failed'
  return {
    kind,
    outcome,
    who: { userId: user?.id ?? null, userName: user?.name ?? '', session: session ?? null, address },
    operation: id,
    paths: [...pathsOf(steps.filter(({ isDone }) => isDone)), ...concerned.map((path) => ({ path }))],
    detail: [problem?.code, detail].filter(Boolean).join(' '),
  }
}

/**
 * The record of an operation during which the server was killed.
 *
 * @param userName the name of its user; empty: it had no user, or the user was deleted
 */
export function entryOfInterrupted(
  { record, done, count }: { record: OperationRecord; done: readonly StoredStep[]; count: number },
  userName: string,
): AuditEntry {
  return {
    kind: record.kind,
    outcome: 'interrupted',
    who: { ...serverItself, userId: record.user, userName },
    operation: record.id,
    paths: pathsOf(done),
    detail: `the server was killed; ${done.length} of ${count} changes were done`,
  }
}

/** The record of kept items that the server has deleted. */
export function entryOfDeleted({ kind, paths, why }: DeletedItems): AuditEntry {
  return {
    kind: kind === 'trash' ? 'trash' : 'versions',
    outcome: 'done',
    who: serverItself,
    // Versions of an entry in the trash have no path that users know.
    paths: paths.filter((path) => !path.startsWith('//')).map((path) => ({ path })),
    count: paths.length,
    detail: why,
  }
}

function pathsOf(steps: readonly StoredStep[]): ChangedPath[] {
  return steps.map((step) => ({ path: step.path, ...('to' in step && { to: step.to }) }))
}
