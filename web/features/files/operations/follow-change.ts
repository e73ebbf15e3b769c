import { files, isAt, refreshFolder, selectByName } from '#web/features/files/state/files-state.ts'
import { selection } from '#web/features/files/state/selection.ts'
import { leaveSequence } from '#web/features/files/state/sequence.ts'
import { type FilesChange, isWithin, pathAfter } from '#web/shared/changes.ts'
import { nameOf, navigateTo, parentOf, paths } from '#web/shared/paths.ts'

/**
 * The address, the list and the selection follow a change that this page has made: an open file or folder is shown where
 * it is now, or its parent folder if it is gone. The list loads again at once if the user waits for a result. After other
 * changes, such as uploads, it loads again by itself a moment later.
 */
export async function followChange(change: FilesChange): Promise<void> {
  const shown = files.path
  // Another page is shown, such as the trash, or a share.
  if (!isAt(shown)) return
  const next = addressAfter(shown, change)
  if (next !== undefined) return navigateTo(next, { replace: true })
  const { folders, removed, results, replaces } = change
  const isAwaited = removed !== undefined || results !== undefined
  if (!isAwaited || !shown.endsWith('/') || !mayConcern(shown, folders)) return
  await refreshFolder()
  if (!results || !isAt(shown)) return
  const isFree = !replaces || [...selection.names].every((name) => replaces.has(name))
  if (isFree) selectByName(results.filter((path) => parentOf(path) === shown).map(nameOf))
}

/** Whether the list of `shown` may be another after a change in `folders`, also if a folder in it is new. */
function mayConcern(shown: string, folders: readonly string[] | undefined): boolean {
  return folders === undefined || folders.some((folder) => folder.startsWith(shown))
}

/** The address to go to when what is `shown` was moved or is gone; undefined if it is still there. */
function addressAfter(
  shown: string,
  { moved, removed = [], turnsOn = false }: FilesChange,
): string | undefined {
  const now = pathAfter(shown, moved)
  const gone = removed.find((path) => isWithin(now, path))
  if (now === shown && gone === undefined) return undefined
  const { file } = files
  const target = gone === undefined ? now : parentOf(gone)
  if (turnsOn && file?.path === shown) return leaveSequence(file, parentOf(gone ?? now))
  return paths.files(target)
}
