import type { KeepingSettings } from '#contract/history/kept.ts'
import type { OperationKind } from '#contract/schema/operation-kind.ts'
import type { Clock } from '#src/core/clock.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { isDiskFull, type Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { Step } from '#src/files/changes/change.ts'
import type { KeptStores } from '#src/files/kept/kept-stores.ts'
import { spaceOf } from '#src/files/listing/entry.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import type { Announcer, FormerItem, KeptChange } from './followers.ts'
import type { EndedOperation, NewItem } from './operation-records.ts'
import {
  deleteOperation,
  insertOperation,
  type Origin,
  putStep,
  type ReceivedFile,
  type StoredStep,
  setState,
  setUndone,
} from './operation-records.ts'
import type { StepOptions } from './planned-step.ts'

/** What operations need. */
export interface OperationTools {
  database: Database
  stores: KeptStores
  keeping(): KeepingSettings
  /** The real path of the served folder. */
  root: string
  clock: Clock
  log: Logger
  announcer: Announcer
  /** The name of the user with this id. Empty if that user was removed, or if `user` is null. */
  nameOf(user: number | null): string
}

/** What an operation knows about itself while it runs. */
export interface Running {
  readonly id: string
  readonly time: number
  kind: OperationKind
  origin: Origin
  undoOf: string | undefined
  detail: string
  received?: ReceivedFile | undefined
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

/** Stores how an operation has ended, with what follows from it. */
export async function recordEnd(
  tools: Pick<OperationTools, 'announcer' | 'database'>,
  { id, kind, time, origin, undoOf, detail, received, concerned, steps, items }: Running,
  { problem, isAlwaysRecorded }: { problem: Problem | undefined; isAlwaysRecorded: boolean },
): Promise<void> {
  const isAudited = isAlwaysRecorded || steps.some((step) => step.isDone)
  const ended = { ...origin, id, kind, time, problem, steps, detail, received, concerned, isAudited }
  const changed = steps.flatMap((step, n) => (step.isDone ? [putStep(id, n, step)] : []))
  await writeEnd(tools, { ended, undoOf, changed, items: [...items.values()] }, 'writeLater')
}

/** An operation that has ended, and what is not stored yet. */
interface Ending {
  ended: EndedOperation
  undoOf: string | undefined
  /** The statements for steps that have changed. */
  changed: readonly Statement[]
  items: readonly NewItem[]
}

/** Stores the end of an operation in one transaction with the rows of the followers, then calls them. */
export async function writeEnd(
  { announcer, database }: Pick<OperationTools, 'announcer' | 'database'>,
  { items, ...ending }: Ending,
  write: 'write' | 'writeLater',
): Promise<void> {
  const { ended } = ending
  const kept: KeptChange = { added: items, restored: ended.steps.flatMap(restoredItem) }
  const statements = [
    ...stateStatements(ending),
    ...announcer.rows('kept', kept),
    ...announcer.rows('end', ended),
  ]
  if (statements.length === 0) return
  await database[write](statements)
  await announcer.after('kept', [kept])
  await announcer.after('end', [ended])
}

/** The statements for the operation itself. One that has changed nothing and has not failed is removed. */
function stateStatements({ ended, undoOf, changed }: Omit<Ending, 'items'>): Statement[] {
  const { id, steps, problem, isInterrupted } = ended
  if (steps.length === 0) return []
  const isDone = steps.some((step) => step.isDone)
  if (!isDone && !problem && !isInterrupted) return deleteOperation(id)
  const undone = isDone && undoOf !== undefined ? [setUndone(undoOf, id)] : []
  return [...changed, setState(id, isDone ? 'done' : 'failed'), ...undone]
}

/** The item that a step has restored; empty: none. */
function restoredItem(step: StoredStep): FormerItem[] {
  if (step.do !== 'restore' || !step.isDone) return []
  return [{ id: step.source, kind: step.was === undefined ? 'version' : 'trash', path: step.was ?? '' }]
}
