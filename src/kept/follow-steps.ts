import type { Database, Statement } from '#src/core/database/database.ts'
import type { Logger } from '#src/core/log/log.ts'
import { randomId } from '#src/core/secret.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import { goneFolder, placesMoved, trashPath, versionsMoved } from '#src/kept/records/kept-rows.ts'
import type { DoneStep } from '#src/operations/operation-records.ts'

interface FollowOptions {
  database: Pick<Database, 'write'>
  /** Real path of the served folder. */
  root: string
  /** The keys of all places that hold items. */
  usedPlaces(): readonly string[]
  /** Called when versions without a file are to be deleted. */
  onGone(): void
  /** Further statements for a step, whose paths are relative to the served folder. */
  furtherStatements(step: Pick<DoneStep, 'do' | 'path' | 'to' | 'item'>): Statement[]
  log: Logger
}

/** Creates the listener of steps that lets versions follow moved, deleted and restored files and folders. */
export function createFollower({ database, root, usedPlaces, onGone, log, ...rest }: FollowOptions) {
  const toServed = (real: string) => servedPath(root, real)

  /** A disk that is mounted in a moved folder moves with it. */
  const holdsPlace = (path: string) =>
    usedPlaces().some((key) => key.startsWith('/') && key !== '/' && isWithin(key, path))

  function movedStatements(from: string, to: string): Statement[] {
    return [versionsMoved(from, to), ...(holdsPlace(from) ? [placesMoved(from, to)] : [])]
  }

  function statementsOf({ do: kind, path: real, to, item }: DoneStep): Statement[] {
    const path = toServed(real)
    if (kind === 'move' && to !== undefined) return movedStatements(path, toServed(to))
    if (kind === 'restore' && item !== undefined) return [versionsMoved(trashPath(item), path)]
    if (kind !== 'remove') return []
    return [versionsMoved(path, item === undefined ? `${goneFolder}/${randomId()}` : trashPath(item))]
  }

  /** The statements for versions and for other rows that follow files. */
  function allStatementsOf(step: DoneStep): Statement[] {
    const { do: kind, path, to, item } = step
    const served = { do: kind, path: toServed(path), ...(to !== undefined && { to: toServed(to) }), item }
    return [...statementsOf(step), ...rest.furtherStatements(served)]
  }

  return async (steps: readonly DoneStep[]): Promise<void> => {
    const statements = steps.flatMap((step) => {
      const own = step.isRecorded ? [] : allStatementsOf(step)
      return own.length > 0 && step.recorded ? [...own, step.recorded()] : own
    })
    if (statements.length === 0) return
    try {
      await database.write(statements)
    } catch (err) {
      // The file is where it should be. Its old contents are still kept, under its old path.
      log.error({ err }, 'old contents and stars of a moved or deleted file could not follow it')
      return
    }
    if (steps.some((step) => step.do === 'remove' && step.item === undefined)) onGone()
  }
}
