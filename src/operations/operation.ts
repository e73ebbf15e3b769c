import type { OperationKind } from '#contract/schema/operation-kind.ts'
import { Problem } from '#src/core/problem.ts'
import { timedId } from '#src/core/secret.ts'
import type { Change } from '#src/files/changes/change.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import {
  type DoneStep,
  type Origin,
  putStep,
  type ReceivedFile,
  type StoredStep,
} from './operation-records.ts'
import { createPlannedStep } from './planned-step.ts'
import { type OperationTools, type Running, recordEnd, recordingOf, recordSteps } from './record-operation.ts'

/** A new operation. */
export interface NewOperation extends Origin {
  kind: OperationKind
  /** Recorded in the audit log even if it changes no files. */
  isAlwaysRecorded?: boolean | undefined
}

/** One operation: what it changes on the disk is recorded before and after. */
export interface Operation extends Change {
  readonly id: string
  /** What it does. */
  readonly kind: OperationKind
  /** Sets what it does, when the request says more than its address. Called before the first step. */
  as(kind: OperationKind): void
  readonly origin: Origin
  /** Sets who does it, once this is known. */
  by(origin: Origin): void
  /** Declares that it undoes the operation with this id. Called before the first step. */
  undoes(id: string): void
  /**
   * Notes what is changed besides files, for the audit log: names only, never secrets.
   *
   * @param received the file that a visitor has sent
   */
  note(detail: string, received?: ReceivedFile): void
  /** Declares that it affects only its user. If it succeeds and changes no files, the audit log does not record it. */
  concernsOwnerOnly(): void
  /**
   * Records how it has ended. Resolves when the record is on the disk. Further calls do nothing.
   *
   * @param problem why it has failed; undefined: it was done
   */
  end(problem?: Problem): Promise<void>
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
}

/** Starts operations, and knows those that have not ended. */
export function createOperationStart(tools: OperationTools) {
  const running = new Map<string, Operation>()

  function onBegun(operation: Operation): void {
    running.set(operation.id, operation)
    void operation.ended.then(() => running.delete(operation.id))
  }

  /** Starts an operation. The caller ends it, unless nothing has been planned. */
  function begin(about: NewOperation): Operation {
    return createOperation({ ...tools, onBegun }, about)
  }

  /** Runs `work` in an operation. @throws what `work` throws. */
  async function run<T>(about: NewOperation, work: (operation: Operation) => Promise<T>): Promise<T> {
    const operation = begin(about)
    try {
      const result = await work(operation)
      await operation.end()
      return result
    } catch (error) {
      await operation.end(error instanceof Problem ? error : new Problem('server.failed'))
      throw error
    }
  }

  return {
    begin,
    run,
    /** Waits until the operation with this id has ended, if it is running. */
    endOf: async (id: string) => running.get(id)?.ended,
    /** Waits until all operations have ended. */
    async allEnded(): Promise<void> {
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

/** Creates an operation. Nothing is recorded before its first step. */
function createOperation(
  tools: OperationTools & { onBegun(operation: Operation): void },
  { kind, isAlwaysRecorded = false, ...origin }: NewOperation,
): Operation {
  const time = tools.clock()
  const now: Running = {
    id: timedId(time),
    time,
    kind,
    origin,
    undoOf: undefined,
    detail: '',
    concerned: [],
    steps: [],
    items: new Map(),
  }
  const { promise: ended, resolve: setEnded } = Promise.withResolvers<void>()
  const notify = batched(tools.announcer.steps)
  let ending: Promise<void> | undefined
  let isOwnersOnly = false

  const operation: Operation = {
    id: now.id,
    get kind() {
      return now.kind
    },
    get origin() {
      return now.origin
    },
    as(next) {
      now.kind = next
    },
    by(next) {
      now.origin = next
    },
    undoes(other) {
      now.undoOf = other
    },
    note(text, received) {
      Object.assign(now, { detail: text, received })
    },
    concernsOwnerOnly() {
      isOwnersOnly = true
    },
    concerns(real) {
      now.concerned.push(servedPath(tools.root, real))
    },
    ended,

    async plan(...wanted) {
      if (now.steps.length === 0) tools.onBegun(operation)
      const steps = await recordSteps(tools, now, wanted)
      const given = {
        ...tools,
        ...recordingOf(tools, now),
        items: now.items,
        notify: (step: Omit<DoneStep, 'kind' | 'user'>) =>
          notify({ ...step, kind: now.kind, user: now.origin.user?.id }),
      }
      return wanted.map((each, n) => {
        const step = steps[n] as StoredStep
        const store = () => putStep(now.id, now.steps.indexOf(step), step)
        return createPlannedStep({ ...given, wanted: each, step, putStep: store })
      }) as never
    },

    end(problem) {
      ending ??= record(problem)
      return ending
    },
  }

  async function record(problem: Problem | undefined): Promise<void> {
    try {
      const isMinor = isOwnersOnly && problem === undefined
      await recordEnd(tools, now, { problem, isAlwaysRecorded: isAlwaysRecorded && !isMinor })
    } catch (error) {
      const fields = { err: error, operation: now.id, kind: now.kind }
      tools.log.error(fields, 'an operation could not be recorded')
    } finally {
      setEnded()
    }
  }
  return operation
}

/** Collects the steps of one turn of the event loop, so that followers are called once for many deletions. */
function batched(notify: (steps: readonly DoneStep[]) => Promise<void>): (step: DoneStep) => Promise<void> {
  let pending: DoneStep[] = []
  let next: Promise<void> | undefined
  return async (step) => {
    pending.push(step)
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      const steps = pending
      pending = []
      next = undefined
      await notify(steps)
    })
    await next
  }
}
