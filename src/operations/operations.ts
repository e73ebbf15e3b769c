import { join } from 'node:path'
import type { OperationView, OverReason, UndoResult } from '#contract/history/operations.ts'
import type { Actor } from '#src/access/principal.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { Scan } from '#src/core/database/scans.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import { pathOfDeleted } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { createOperationStart, type Operation } from './operation.ts'
import { createOperationReader, type OperationRecord, type StoredStep } from './operation-records.ts'
import type { OperationTools } from './record-operation.ts'
import { type UndoTools, undoSteps } from './undo.ts'

/** Paths that a view of an operation names. */
const mostPaths = 20

/** All operations: starting one, listing them, undoing and redoing. */
export function createOperations(tools: OperationTools) {
  const reader = createOperationReader(tools.database)
  const { begin, run, endOf, allEnded } = createOperationStart(tools)
  const locks = createKeyedLock()

  /** An operation of the user that has ended. @throws Problem `operation.unknown`. */
  async function findOwn(actor: Actor, id: string): Promise<OperationRecord> {
    await endOf(id)
    const found = await reader.find(id)
    if (found?.user !== actor.user.id) throw new Problem('operation.unknown')
    return found
  }

  async function reverse(
    undo: UndoTools,
    { actor, operation, target }: { actor: Actor; operation: Operation; target: OperationRecord },
  ): Promise<UndoResult> {
    if (target.state !== 'done') throw overBecause(whyOver(target))
    const steps = await reader.steps(target.id)
    operation.undoes(target.id)
    const result = await undoSteps(undo, actor, { steps, time: target.time })
    if (result.done.length > 0) return { operation: operation.id, ...result }
    const [first] = result.left
    if (!first) throw overBecause('over.empty')
    throw new Problem('operation.over', { reason: first.detail, why: first.code })
  }

  const alone = <T>(id: string, work: () => Promise<T>) => locks.run(id, unconditional, work)

  return {
    begin,
    run,
    reader,

    /** The last operations of the user, the newest first. */
    async list(actor: Actor, scan: Scan, limit: number): Promise<OperationView[]> {
      const scanned = createOperationReader(scan)
      const records = await scanned.last(actor.user.id, limit)
      const jail = await actor.jail()
      const views: OperationView[] = []
      for (const record of records) {
        const { steps, count } = await scanned.firstSteps(record.id, mostPaths)
        views.push(viewOf(record, { count, paths: shownPaths(tools.root, jail, steps) }))
        await scan.pause()
      }
      return views
    },

    /**
     * Undoes an operation of the user, as far as this is still possible.
     *
     * @param operation the operation of the request
     * @throws Problem `operation.unknown`, `operation.over` when nothing of it can be undone.
     */
    undo(undo: UndoTools, { actor, operation, id }: UndoRequest): Promise<UndoResult> {
      return alone(id, async () => reverse(undo, { actor, operation, target: await findOwn(actor, id) }))
    },

    /**
     * Does an undone operation again.
     *
     * @param id the id of the undone operation, or of the operation that has undone it
     * @throws Problem `operation.unknown`, `operation.over`.
     */
    async redo(undo: UndoTools, { actor, operation, id }: UndoRequest): Promise<UndoResult> {
      const found = await findOwn(actor, id)
      const undoing = found.undone_by ?? id
      return alone(undoing, async () => {
        const target = await findOwn(actor, undoing)
        if (target.undo_of === null) throw overBecause('over.kept')
        return reverse(undo, { actor, operation, target })
      })
    },

    /** Waits until all operations have ended. */
    close: allEnded,
  }
}

export type Operations = ReturnType<typeof createOperations>

/** A request to undo or redo the operation `id`. */
interface UndoRequest {
  actor: Actor
  operation: Operation
  id: string
}

function whyOver({ state }: OperationRecord): OverReason {
  if (state === 'undone') return 'over.reversed'
  return state === 'running' ? 'over.running' : 'over.failed'
}

const reasons: Record<OverReason, string> = {
  'over.reversed': 'this has happened already',
  'over.running': 'it has not ended',
  'over.failed': 'it has failed',
  'over.empty': 'it has changed no files',
  'over.kept': 'it was not undone',
}

function overBecause(why: OverReason): Problem {
  return new Problem('operation.over', { reason: reasons[why], why })
}

function shownPaths(root: string, jail: Jail, steps: readonly StoredStep[]) {
  // The entries may be gone.
  const shown = (served: string) => pathOfDeleted(jail, join(root, served))
  return steps.flatMap((step) => {
    const [path, to] = [shown(step.path), 'to' in step ? shown(step.to) : undefined]
    if (path === undefined && to === undefined) return []
    return [{ path: path ?? to ?? '', ...(path !== undefined && to !== undefined && { to }) }]
  })
}

function viewOf(
  { id, kind, time, state }: OperationRecord,
  rest: Pick<OperationView, 'paths' | 'count'>,
): OperationView {
  const canUndo = state === 'done' && rest.count > 0
  return {
    id,
    kind,
    time: new Date(time).toISOString(),
    state,
    ...rest,
    canUndo,
    canRedo: state === 'undone',
  }
}
