import Type, { type Static } from 'typebox'
import type { Address, Endpoint } from '../schema/endpoint.ts'
import { OperationKind } from '../schema/operation-kind.ts'
import { Shape } from '../schema/shape.ts'

/** A changed path, relative to the scope of the reader. */
export const ChangedPath = Shape({
  path: Type.String(),
  /** The path after a move or the copy; missing: there is none. */
  to: Type.Optional(Type.String()),
})
export type ChangedPath = Static<typeof ChangedPath>

/** An operation of the signed-in user. */
export const OperationView = Shape({
  id: Type.String(),
  kind: OperationKind,
  /** RFC 3339. */
  time: Type.String(),
  /** `running`: not ended. `failed`: changed nothing. `undone`: another operation has undone it. */
  state: Type.Enum(['running', 'done', 'failed', 'undone']),
  /** At most the first 20 paths. */
  paths: Type.Array(ChangedPath),
  /** Number of all paths. */
  count: Type.Integer(),
  canUndo: Type.Boolean(),
  canRedo: Type.Boolean(),
})
export type OperationView = Static<typeof OperationView>

/** What undo has done, and what it has left and why. */
export const UndoResult = Shape({
  /** The id of the operation that undid, the same as in `X-Operation`. */
  operation: Type.String(),
  done: Type.Array(ChangedPath),
  left: Type.Array(Shape({ path: Type.String(), code: Type.String(), detail: Type.String() })),
})
export type UndoResult = Static<typeof UndoResult>

/**
 * Why nothing of an operation can be undone or done again, in `details.why` of the problem `operation.over`: one of
 * these, or the code of the problem that its last step has met.
 */
export type OverReason =
  /** Another operation has undone it, or done it again, already. */
  | 'over.reversed'
  /** It has not ended. */
  | 'over.running'
  /** It has failed. */
  | 'over.failed'
  /** It has changed no files. */
  | 'over.empty'
  /** It was not undone, so that it cannot be done again. */
  | 'over.kept'

const OperationParams = Shape({ id: Type.String({ minLength: 1, maxLength: 64 }) })

export const operations = {
  'GET /api/operations': {
    access: 'signed-in',
    summary: 'Get the last operations of the signed-in user, the newest first',
    query: Shape({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })) }),
    reply: Type.Array(OperationView),
  },
  'POST /api/operations/:id/undo': {
    changes: 'undo',
    access: 'signed-in',
    summary: 'Undo an operation, as far as this is still possible without overwriting anything',
    params: OperationParams,
    reply: UndoResult,
  },
  'POST /api/operations/:id/redo': {
    changes: 'redo',
    access: 'signed-in',
    summary: 'Do an undone operation again, as far as this is still possible without overwriting anything',
    params: OperationParams,
    reply: UndoResult,
  },
} satisfies Record<Address, Endpoint>
