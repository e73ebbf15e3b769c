import type { KeepingSettings } from '#contract/history/kept.ts'
import type { OperationKind } from '#contract/schema/operation-kind.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import { isDiskFull } from '#src/core/errno.ts'
import type { Logger } from '#src/core/log/log.ts'
import type { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { Step } from '#src/files/changes/change.ts'
import type { Places } from '#src/files/kept/places.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import { spaceOf } from '#src/files/space/space-of.ts'
import type { NewItem, StepListener } from './operation-records.ts'
import {
  deleteOperation,
  forgetItem,
  insertOperation,
  type Origin,
  putStep,
  type StoredStep,
  setState,
  setUndone,
} from './operation-records.ts'
import type { StepOptions } from './planned-step.ts'

/** How an operation has ended, for the audit log. */
export interface EndedOperation extends Origin {
  id: string
  kind: OperationKind
  time: number
  /** The problem that ended it; undefined: it was done. */
  problem: Problem | undefined
  steps: readonly StoredStep[]
  /** What was changed besides files, such as the names of settings; empty: nothing. */
  detail: string
  /** Paths of entries that are concerned but not changed, relative to the served folder. */
  concerned: readonly string[]
}

/** What operations need. */
export interface OperationTools {
  database: Database
  places: Places
  keeping(): KeepingSettings
  /** The real path of the served folder. */
  root: string
  clock: Clock
  log: Logger
  notify: StepListener
  /** The rows of new items. */
  keepStatements(item: NewItem): Statement[]
  /** Further rows, such as the record in the audit log. */
  statementsAtEnd(ended: EndedOperation): Statement[]
}

/** What an operation knows about itself while it runs. */
export interface Running {
  readonly id: string
  readonly time: number
  kind: OperationKind
  origin: Origin
  undoOf: string | undefined
  detail: string
  concerned: string[]
  steps: StoredStep[]
  items: Map<string, NewItem>
}

/** Stores new steps of an operation. */
export async function recordSteps(
  { database, log, root }: OperationTools,
  now: Running,
  wanted: readonly Step[],
): Promise<StoredStep[]> {
  const { id, steps } = now
  const first = steps.length
  const stored = wanted.map((step): StoredStep => {
    const to = 'to' in step ? { to: servedPath(root, step.to) } : {}
    const paths = { path: servedPath(root, step.path), ...to }
    const made = step.made?.length ? step.made.map((each) => servedPath(root, each)) : undefined
    return { ...step, ...paths, made, item: randomId(), isDone: false, isKept: false }
  })
  steps.push(...stored)
  const statements = stored.map((step, n) => putStep(id, first + n, step))
  if (first === 0) statements.unshift(insertOperation(now, now.origin))
  await database.write(statements).catch((error: unknown) => {
    // Users must be able to delete files when the disk is full, and to work when only the disk of the history is full.
    // The end of the operation tries to record it again.
    if (!isDiskFull(error)) throw error
    log.error({ err: error, operation: id }, 'the disk is too full to record a change')
  })
  return stored
}

/** Returns the functions that describe kept items in records. */
export function recordingOf(
  { clock, root }: OperationTools,
  now: Running,
): Pick<StepOptions, 'recordOf' | 'toServed'> {
  return {
    toServed: (real) => servedPath(root, real),
    recordOf: (kind, path, stats) => ({
      kind,
      path: servedPath(root, path),
      time: clock(),
      user: now.origin.user?.id ?? null,
      userName: now.origin.user?.name ?? '',
      operation: now.id,
      isFolder: stats.isDirectory(),
      modified: Math.round(stats.mtimeMs),
      ...(!stats.isDirectory() && { size: spaceOf(stats) }),
    }),
  }
}

/** Stores how an operation has ended, with its record in the audit log. */
export async function recordEnd(
  tools: OperationTools,
  { id, kind, time, origin, undoOf, detail, concerned, steps, items }: Running,
  { problem, isAlwaysRecorded }: { problem: Problem | undefined; isAlwaysRecorded: boolean },
): Promise<void> {
  const statements = endOf(id, { steps, items: [...items.values()], problem, undoOf }, tools)
  const isRecorded = isAlwaysRecorded || steps.some((step) => step.isDone)
  const audited = { ...origin, id, kind, time, problem, steps, detail, concerned }
  if (isRecorded) statements.push(...tools.statementsAtEnd(audited))
  if (statements.length > 0) await tools.database.writeLater(statements)
}

interface Ending {
  steps: StoredStep[]
  items: NewItem[]
  problem: Problem | undefined
  undoOf: string | undefined
}

/** The statements that end an operation. One that has changed nothing and has not failed is removed. */
function endOf(
  id: string,
  { steps, items, problem, undoOf }: Ending,
  { keepStatements }: Pick<OperationTools, 'keepStatements'>,
): Statement[] {
  if (steps.length === 0) return []
  const isDone = steps.some((step) => step.isDone)
  if (!isDone && !problem) return deleteOperation(id)
  return [
    ...steps.flatMap((step, n) => (step.isDone ? [putStep(id, n, step)] : [])),
    ...steps.flatMap((step) => (step.isDone && step.do === 'restore' ? [forgetItem(step.source)] : [])),
    ...items.flatMap(keepStatements),
    setState(id, isDone ? 'done' : 'failed'),
    ...(isDone && undoOf !== undefined ? [setUndone(undoOf, id)] : []),
  ]
}
