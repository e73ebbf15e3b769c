import type { ChangedPath } from '#contract/history/operations.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Follower, FormerItem, KeptChange } from '#src/operations/followers.ts'
import type { EndedOperation, StoredStep } from '#src/operations/operation-records.ts'
import { type AuditEntry, serverItself } from './entry.ts'
import { appendStatements } from './records.ts'

/** Records operations, and what the server itself has deleted, in the transactions that store them. */
export function createAuditFollower(clock: Clock): Follower {
  return {
    kept: { rows: (change) => entriesOfDeleted(change).flatMap((entry) => appendStatements(entry, clock())) },
    end: { rows: (ended) => (ended.isAudited ? appendStatements(entryOfOperation(ended), clock()) : []) },
  }
}

/** The record of an operation that has ended. */
function entryOfOperation(ended: EndedOperation): AuditEntry {
  const { id, kind, user, session, address, steps, concerned } = ended
  const done = steps.filter(({ isDone }) => isDone)
  const who = { userId: user?.id ?? null, userName: user?.name ?? '', session: session ?? null, address }
  return {
    kind,
    ...outcomeOf(ended, done.length),
    ...receivedOf(ended),
    who,
    operation: id,
    paths: [...pathsOf(done), ...concerned.map((path) => ({ path }))],
  }
}

/** What the record of something that a visitor has sent says besides. A failed attempt stays an attempt to upload. */
function receivedOf({ kind, problem, isInterrupted, received }: EndedOperation): Partial<AuditEntry> {
  if (!received || problem || isInterrupted) return {}
  const { bytes, ...link } = received
  // What a visitor saves is a change of a file of the owner.
  return { kind: kind === 'upload' ? 'receive' : kind, detail: '', link, bytes }
}

function outcomeOf(
  { steps, problem, detail, isInterrupted }: EndedOperation,
  done: number,
): Pick<AuditEntry, 'outcome' | 'detail'> {
  if (isInterrupted)
    return {
      outcome: 'interrupted',
      detail: `the server was killed; ${done} of ${steps.length} changes were done`,
    }
  const outcome = problem === undefined ? 'done' : problem.status === 403 ? 'refused' : 'failed'
  return { outcome, detail: [problem?.code, detail].filter(Boolean).join(' ') }
}

/** The records of kept items that the server itself has deleted, one for each kind. Empty: no reason is to be recorded. */
function entriesOfDeleted({ deleted = [], why }: KeptChange): AuditEntry[] {
  if (why === undefined) return []
  return [...Map.groupBy(deleted, ({ kind }) => kind)].map(([kind, items]) => ({
    kind: kind === 'trash' ? 'trash' : 'versions',
    outcome: 'done',
    who: serverItself,
    paths: items.flatMap(knownPath),
    count: items.length,
    detail: why,
  }))
}

/** Versions of an entry in the trash have no path that users know. */
function knownPath({ path }: FormerItem): { path: string }[] {
  return path.startsWith('//') ? [] : [{ path }]
}

function pathsOf(steps: readonly StoredStep[]): ChangedPath[] {
  return steps.map((step) => ({ path: step.path, ...('to' in step && { to: step.to }) }))
}
