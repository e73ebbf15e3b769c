import { readStored, writeStored } from '#web/shared/preferences.ts'
import type { Change } from './reverse-change.ts'

/** The changes of a tab: those that can be undone, and those that can be done again. The last one comes last. */
export interface Changes {
  undo: readonly Change[]
  redo: readonly Change[]
}

/** Maximum number of operations that are stored, about 100 KB. Older changes can be undone until the page is loaded again. */
const mostOperations = 2000

/** Stores the changes of a user, so that they can be undone after the page was loaded again. Without a user, removes them. */
export function storeChanges(user: number | undefined, { undo, redo }: Changes): void {
  const stored = { user, undo: newest(undo), redo: newest(redo) }
  writeStored('changes', user === undefined ? undefined : JSON.stringify(stored))
}

/** The stored changes of a user. Those of another user are not returned. */
export function readChanges(user: number | undefined): Changes {
  try {
    const { user: owner, undo, redo } = JSON.parse(readStored('changes') ?? '{}')
    const isOwn = user !== undefined && owner === user
    if (isOwn && Array.isArray(undo) && Array.isArray(redo)) return { undo, redo }
  } catch {
    // Not written by this version of the page.
  }
  return { undo: [], redo: [] }
}

/** The last changes, as many as may be stored. */
function newest(changes: readonly Change[]): readonly Change[] {
  let operations = 0
  return changes.slice(
    changes.findLastIndex((change) => {
      operations += change.operations.length
      return operations > mostOperations
    }) + 1,
  )
}
