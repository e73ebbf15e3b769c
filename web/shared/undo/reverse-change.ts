import type { ChangedPath, UndoResult } from '#contract/history/operations.ts'
import { ApiProblem, api, type FailureCode } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'

/** `undo`, or `redo` for doing an undone change again. */
export type UndoVerb = 'undo' | 'redo'

/** An action of the user. */
export interface Change {
  /** A sentence: what was done, to what, and where. */
  text: string
  /** The ids of its operations, in their order; if it was undone, of the operations that have undone it. */
  operations: readonly string[]
  /** The path of the text that was saved. The editor shows Undo beside it. */
  saved?: string
}

/** The result of undoing a change or doing it again. */
export interface Reversal {
  verb: UndoVerb
  /** The changed paths. */
  done: ChangedPath[]
  /** What was left as it is, and why. */
  left: UndoResult['left']
  /** The ids of the operations that did it, in their order. They reverse it again. */
  made: string[]
  /** The operations that are still to do, because the server could not be reached. */
  rest: string[]
  /** Why it ended early, or `hook.after`: a command that runs afterwards has failed. */
  refused: FailureCode | undefined
}

/** Refusals that concern only one operation of a change. */
const ofOne: readonly FailureCode[] = ['operation.over', 'operation.unknown']

/** Undoes a change, or does it again: its operations one by one, the last first, because they build on each other. */
export async function reverseChange(change: Change, verb: UndoVerb): Promise<Reversal> {
  const rest = [...change.operations]
  const result: Reversal = { verb, done: [], left: [], made: [], rest, refused: undefined }
  for (let id = rest.at(-1); id !== undefined; id = rest.at(-1)) {
    try {
      await reverseOne(id, result)
    } catch (error) {
      const code = codeOf(error)
      if (ofOne.includes(code)) result.left.push({ path: '', code: reasonOf(error), detail: '' })
      else result.refused = code
      // Further calls would fail, too.
      if (!ofOne.includes(code) && code !== 'hook.after') return result
    }
    rest.pop()
  }
  return result
}

/** The code of the sentence that says why an operation cannot be reversed. */
function reasonOf(error: unknown): FailureCode {
  return (error instanceof ApiProblem && error.why) || codeOf(error)
}

/** @throws ApiProblem when the server refuses; `hook.after` when it is done, but a command that runs afterwards failed. */
async function reverseOne(id: string, { verb, done, left, made }: Reversal): Promise<void> {
  const address = verb === 'undo' ? 'POST /api/operations/:id/undo' : 'POST /api/operations/:id/redo'
  const result = await api(address, { params: { id } }, { onOperation: (operation) => made.push(operation) })
  done.push(...result.done)
  left.push(...result.left)
}
