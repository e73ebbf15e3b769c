import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { OperationKind } from '#contract/schema/operation-kind.ts'
import type { Database, Statement } from '#src/core/database/database.ts'
import type { Problem } from '#src/core/problem.ts'
import type { Step } from '#src/files/changes/change.ts'
import type { KeptRecord } from '#src/files/kept/kept-record.ts'

/** Who does an operation. */
export interface Origin {
  /** Undefined for the server itself, and for requests without a signed-in user. */
  user?: { id: number; name: string } | undefined
  /** The id of the session; undefined: there is none. */
  session?: string | undefined
  /** The address of the client; empty: the server itself, or a command. */
  address: string
}

/** A file that a visitor has sent through a share. */
export interface ReceivedFile {
  /** The id of the share. */
  hash: string
  /** The owner of the share: the id, and the present name. */
  owner: { id: number; name: string }
  /** The path in the share. */
  path: string
  bytes: number
  /** The name that the visitor gave. Undefined: none. */
  sender?: string | undefined
}

/** A step as it is stored. `path` and `to` are relative to the served folder and start with `/`. */
export type StoredStep = Step & {
  /** The id that the old content or the deleted entry gets, if it is kept. */
  item: string
  /** The key of the store of `item`, once it is kept there. */
  place?: string | undefined
  /** Whether it was done. */
  isDone: boolean
  /** Whether `item` is kept. */
  isKept: boolean
  /** Whether it has replaced a file, or may have. */
  hasReplaced?: boolean | undefined
  /** The device and inode of the entry after the step, and its etag. */
  after?: { entry: string; etag: string } | undefined
  /** Parent folders that were made for it, from top to bottom. */
  made?: string[] | undefined
}

/** A step that was done, as followers get it. `path` and `to` are real paths. */
export interface DoneStep {
  /** What its operation does. */
  kind: OperationKind
  /** The id of the user who does it. Undefined: the server itself, or a visitor. */
  user?: number | undefined
  do: Step['do']
  path: string
  to?: string | undefined
  /** The id of the kept item: the entry in the trash, the old content, or what was restored. */
  item?: string | undefined
  /** The file that was replaced. */
  replaced?: Stats | undefined
  /** The entry after the step. */
  stats?: Stats | undefined
  /**
   * Returns the statement that records that the step was done. It is in the transaction of the followers' rows,
   * so that these are not written twice after a crash.
   */
  recorded?: (() => Statement) | undefined
  /** Whether the statement of `recorded` is in the database already: the server was killed after the followers were called. */
  isRecorded?: boolean | undefined
}

/** How an operation has ended. */
export interface EndedOperation extends Origin {
  id: string
  kind: OperationKind
  time: number
  /** The problem that ended it; undefined: it was done. */
  problem?: Problem | undefined
  /** Whether the server was killed meanwhile. */
  isInterrupted?: boolean
  steps: readonly StoredStep[]
  /** What was changed besides files, such as the names of settings; empty: nothing. */
  detail: string
  /** What a visitor has sent. Undefined: it is the operation of a user, or nothing was received. */
  received?: ReceivedFile | undefined
  /** Paths of entries that are concerned but not changed, relative to the served folder. */
  concerned: readonly string[]
  /** Whether the audit log records it. */
  isAudited: boolean
}

/** An item that is kept because of an operation, with the key of its store. */
export type NewItem = KeptRecord & { id: string; place: string }

/** The states of an operation (`src/contract/history/operations.ts`). */
export type OperationState = 'running' | 'done' | 'failed' | 'undone'

/** An operation as it is stored. */
export interface OperationRecord {
  id: string
  /** Milliseconds since 1970. */
  time: number
  user: number | null
  kind: OperationKind
  state: OperationState
  undo_of: string | null
  undone_by: string | null
}

/** Records an operation before its first step. */
export function insertOperation(
  { id, time, kind, undoOf }: Pick<OperationRecord, 'id' | 'time' | 'kind'> & { undoOf: string | undefined },
  { user, session, address }: Origin,
): Statement {
  const values = [id, time, user?.id ?? null, session ?? null, address, kind, undoOf ?? null]
  return {
    sql: `INSERT INTO operations (id, time, user, session, address, kind, state, undo_of) VALUES (?, ?, ?, ?, ?, ?, 'running', ?)`,
    values,
  }
}

/** Stores a step, the `n`th of its operation. */
export function putStep(operation: string, n: number, step: StoredStep): Statement {
  return {
    sql: 'INSERT INTO steps (operation, n, step) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET step = excluded.step',
    values: [operation, n, JSON.stringify(step)],
  }
}

/** Removes an operation that has changed nothing. */
export function deleteOperation(id: string): Statement[] {
  return [
    { sql: 'DELETE FROM steps WHERE operation = ?', values: [id] },
    { sql: 'DELETE FROM operations WHERE id = ?', values: [id] },
  ]
}

/** The item of the trash or of the versions that a step has restored or made; undefined: none. */
export function itemOf(step: StoredStep): string | undefined {
  if (step.do === 'restore') return step.source
  return step.isKept ? step.item : undefined
}

/** A stored step as the followers get it. `root` is the real path of the served folder. */
export function doneStepOf(
  root: string,
  { kind }: Pick<OperationRecord, 'kind'>,
  step: StoredStep,
): DoneStep {
  const to = 'to' in step ? join(root, step.to) : undefined
  return { kind, do: step.do, path: join(root, step.path), to, item: itemOf(step) }
}

/** Records how an operation has ended. */
export function setState(id: string, state: OperationState): Statement {
  return { sql: 'UPDATE operations SET state = ? WHERE id = ?', values: [state, id] }
}

/** Records that an operation was undone by another. */
export function setUndone(id: string, by: string): Statement {
  return { sql: `UPDATE operations SET state = 'undone', undone_by = ? WHERE id = ?`, values: [by, id] }
}

/** The operations of the database. */
export function createOperationReader(database: Pick<Database, 'read'>) {
  return {
    async find(id: string): Promise<OperationRecord | undefined> {
      const sql = 'SELECT id, time, user, kind, state, undo_of, undone_by FROM operations WHERE id = ?'
      return (await database.read<OperationRecord>(sql, [id]))[0]
    },

    /** The steps of an operation, in the order in which they were planned. */
    async steps(id: string): Promise<StoredStep[]> {
      const sql = 'SELECT step FROM steps WHERE operation = ? ORDER BY n'
      return (await database.read<{ step: string }>(sql, [id])).map(({ step }) => JSON.parse(step))
    },

    /** The first steps of an operation, and the number of all. */
    async firstSteps(id: string, most: number): Promise<{ steps: StoredStep[]; count: number }> {
      const sql = 'SELECT step FROM steps WHERE operation = ? ORDER BY n LIMIT ?'
      const steps = await database.read<{ step: string }>(sql, [id, most])
      const [count] = await database.read<{ n: number }>(
        'SELECT count(*) AS n FROM steps WHERE operation = ?',
        [id],
      )
      return { steps: steps.map(({ step }) => JSON.parse(step)), count: count?.n ?? 0 }
    },

    /** The last operations of a user, the newest first. */
    last(user: number, limit: number): Promise<OperationRecord[]> {
      const sql =
        'SELECT id, time, user, kind, state, undo_of, undone_by FROM operations WHERE user = ? ORDER BY time DESC, id LIMIT ?'
      return database.read(sql, [user, limit])
    },

    /** Operations that have begun and not ended: the server was killed. */
    running(): Promise<OperationRecord[]> {
      return database.read(
        `SELECT id, time, user, kind, state, undo_of, undone_by FROM operations WHERE state = 'running' ORDER BY time`,
      )
    },
  }
}
