import type { Contract } from '#contract/index.ts'
import type { EndpointNote } from './note.ts'
import { busyErrors, diskErrors, writeErrors } from './note-parts.ts'

type HistoryCall = Extract<keyof Contract, `${string} /api/${'operations' | 'audit' | 'activity'}${string}`>

const undoErrors = ['operation.unknown', 'operation.over', 'auth.forbidden', ...writeErrors] as const
const historyErrors = ['disk.failed', ...busyErrors] as const
const example = { named: { id: 'q1Zy4v1JxjSB0T4Zk2cJ7Q' } }

/** Notes for the endpoints about what was changed. */
export const historyNotes: Readonly<Record<HistoryCall, EndpointNote>> = {
  'GET /api/operations': {
    name: 'operations',
    errorCodes: historyErrors,
    description:
      'Every response to a request that changes something has the header `X-Operation` with the id of the operation.',
  },
  'POST /api/operations/:id/undo': {
    name: 'undo',
    errorCodes: undoErrors,
    description:
      'Does the reverse with the present rights of the user. What has changed since is left, and nothing is overwritten: ' +
      'the response names what was left and why.',
    example,
  },
  'POST /api/operations/:id/redo': {
    name: 'redo',
    errorCodes: undoErrors,
    description: 'The id is that of the undone operation, or of the one that has undone it.',
    example,
  },
  'GET /api/audit': {
    name: 'auditLog',
    errorCodes: historyErrors,
    description:
      'A page may have fewer records than `limit`, even none, although there are more: then it has `next`. Times are in ' +
      'RFC 3339; `from` is included, `to` is not.',
    example: { query: { kind: 'login', outcome: 'failed' } },
  },
  'GET /api/audit/export': {
    name: 'exportAuditLog',
    response: 'records',
    errorCodes: historyErrors,
    description:
      'Each line also has the hash of the record: SHA-256 of the hash before it and of the record. In CSV, a cell that a ' +
      'spreadsheet could run as a formula begins with an apostrophe.',
    example: { query: { format: 'csv' } },
  },
  'GET /api/activity/*': {
    name: 'activity',
    errorCodes: [...diskErrors, ...historyErrors],
    description: 'As `/api/audit`, for everybody: only what was done to files, without addresses.',
    example: { path: 'docs/' },
  },
}
