import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import type { KeptRecord } from '#src/files/kept/kept-record.ts'
import type { FileState } from '#src/files/tree-walk/tree-tasks.ts'
import type { DoneStep, EndedOperation, NewItem } from './operation-records.ts'

/** Items that are kept from now on, or no longer. Paths are relative to the served folder. */
export interface KeptChange {
  added?: readonly NewItem[]
  /** Items that were restored. */
  restored?: readonly FormerItem[]
  /** Items whose content is deleted. */
  deleted?: readonly FormerItem[]
  /** Why the server itself has deleted them, for the audit log. Undefined: it is not recorded there. */
  why?: string | undefined
}

/** An item that is no longer kept. */
export interface FormerItem extends Pick<KeptRecord, 'kind' | 'path'> {
  id: string
}

/** What is announced. */
export interface Announced {
  /** A step that was done, before its operation ends. */
  step: DoneStep
  kept: KeptChange
  end: EndedOperation
  /** A content that no longer exists: that of a file which was deleted permanently. */
  content: FileState
}

/** What follows one kind of change. */
export interface Reaction<Change> {
  /** The statements for a change. Those of all followers are one transaction, which also records the change. */
  rows?(change: Change): Statement[]
  /** Called after this transaction, with all its changes. */
  after?(changes: readonly Change[]): void | Promise<void>
}

/** One part of the product that follows changes. */
export type Follower = { readonly [M in keyof Announced]?: Reaction<Announced[M]> }

/** Calls all followers when something has changed, in their order. */
export interface Announcer {
  /**
   * Sets the followers, by name, in the order in which they are called. Before the first change, after the services that
   * follow were created: some of them need the announcer.
   */
  follow(followers: Readonly<Record<string, Follower>>): void
  /** The statements of all followers, for the transaction that records the change. Call `after` when it is written. */
  rows<M extends keyof Announced>(moment: M, change: Announced[M]): Statement[]
  /** Never throws: the files are changed, and the request has succeeded. */
  after<M extends keyof Announced>(moment: M, changes: readonly Announced[M][]): Promise<void>
  /** Steps that were done. Their rows are written in one transaction. Never throws. */
  steps(steps: readonly DoneStep[]): Promise<void>
  /** Items that are kept or no longer, outside of an operation. @throws DatabaseProblem. */
  kept(change: KeptChange): Promise<void>
  /** Contents that no longer exist. Does not wait for the followers. */
  forget(states: readonly FileState[]): void
}

/** Creates the announcer of changes. */
export function createAnnouncer({
  database,
  log,
}: {
  database: Pick<Database, 'write'>
  log: Logger
}): Announcer {
  let followers: Readonly<Record<string, Follower>> = {}

  const rows: Announcer['rows'] = (moment, change) =>
    Object.values(followers).flatMap((follower) => follower[moment]?.rows?.(change) ?? [])

  const after: Announcer['after'] = async (moment, changes) => {
    for (const [name, follower] of Object.entries(followers)) {
      try {
        await follower[moment]?.after?.(changes)
      } catch (err) {
        log.error({ err, follower: name }, 'something could not follow a change of files')
      }
    }
  }

  /** The rows for a step, with the one that records it, so that they are not written twice after a crash. */
  function rowsOfStep(step: DoneStep): Statement[] {
    const own = step.isRecorded ? [] : rows('step', step)
    return own.length > 0 && step.recorded ? [...own, step.recorded()] : own
  }

  return {
    follow(given) {
      followers = given
    },
    rows,
    after,
    forget: (states) => void after('content', states),

    async steps(steps) {
      const statements = steps.flatMap(rowsOfStep)
      try {
        if (statements.length > 0) await database.write(statements)
      } catch (err) {
        // The file is where it should be. Its old contents are still kept, under its old path.
        log.error({ err }, 'old contents and stars of a moved or deleted file could not follow it')
      }
      await after('step', steps)
    },

    async kept(change) {
      const statements = rows('kept', change)
      if (statements.length === 0) return
      await database.write(statements)
      await after('kept', [change])
    },
  }
}
