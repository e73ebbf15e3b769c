import type { Statement } from '#src/core/database/database.ts'
import { randomId } from '#src/core/secret.ts'
import { servedPath } from '#src/files/paths/path-access.ts'
import { isWithin } from '#src/files/paths/user-path.ts'
import type { Follower, KeptChange } from '#src/operations/followers.ts'
import type { DoneStep } from '#src/operations/operation-records.ts'
import {
  goneFolder,
  rowAdded,
  rowRemoved,
  storesMoved,
  trashPath,
  versionsDeleted,
  versionsMoved,
} from './records/kept-rows.ts'
import type { Keeper } from './retention/keeper.ts'

interface FollowOptions {
  /** Real path of the served folder. */
  root: string
  /** Undefined: no server runs. */
  keeper?: Pick<Keeper, 'usedStores' | 'runSoon' | 'added'> | undefined
}

/** Keeps the rows of kept items. Lets versions follow moved, deleted and restored files and folders. */
export function createKeptFollower({ root, keeper }: FollowOptions): Follower {
  return {
    step: {
      rows: (step) => versionsFollow(step, { root, usedStores: () => keeper?.usedStores() ?? [] }),
      after(steps) {
        // Versions without a file are to be deleted.
        if (steps.some(({ do: verb, item }) => verb === 'remove' && item === undefined)) keeper?.runSoon()
      },
    },
    kept: {
      rows: ({ added = [], restored = [], deleted = [] }) => [
        ...added.map(rowAdded),
        ...[...restored, ...deleted].map(({ id }) => rowRemoved(id)),
        ...deleted.flatMap(({ id, kind }) => (kind === 'trash' ? [versionsDeleted(id)] : [])),
      ],
      after: (changes) => changes.forEach(tellKeeper),
    },
  }

  function tellKeeper({ added = [], deleted = [] }: KeptChange): void {
    for (const item of added) keeper?.added(item)
    if (deleted.some(({ kind }) => kind === 'trash')) keeper?.runSoon()
  }
}

/** The statements that give the versions of a moved, deleted or restored entry, and of everything in it, its new path. */
function versionsFollow(
  { do: verb, path: real, to: realTo, item, stats }: DoneStep,
  { root, usedStores }: { root: string; usedStores(): readonly string[] },
): Statement[] {
  const path = servedPath(root, real)
  if (verb === 'move' && realTo !== undefined) {
    const to = servedPath(root, realTo)
    // A disk that is mounted in a moved folder moves with it.
    const holdsStore =
      stats?.isDirectory() !== false &&
      usedStores().some((key) => key.startsWith('/') && key !== '/' && isWithin(key, path))
    return [versionsMoved(path, to), ...(holdsStore ? [storesMoved(path, to)] : [])]
  }
  if (verb === 'restore' && item !== undefined) return [versionsMoved(trashPath(item), path)]
  if (verb !== 'remove') return []
  return [versionsMoved(path, item === undefined ? `${goneFolder}/${randomId()}` : trashPath(item))]
}
