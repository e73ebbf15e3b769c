import { api } from '#web/api/client.ts'
import { isAt } from '#web/features/files/state/files-state.ts'
import { announceChange, announceFiles } from '#web/shared/changes.ts'
import { setNextCursor } from '#web/shared/lists/last-positions.ts'
import { currentAddress, navigateTo, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'
import { createdText } from '#web/shared/undo/change-text.ts'
import { recorded } from '#web/shared/undo/history.ts'

/** The name of a new item, and where it is to be. */
export interface NewTarget {
  /** Decoded, with a closing slash. */
  folder: string
  name: string
  /** The page showed no folder when the user started. */
  hasNoFolder: boolean
}

/**
 * Creates a folder. Then opens it if the user settings say so, otherwise selects it. Stops there if the user has left
 * the page.
 *
 * @throws ApiProblem when the name is invalid or the permission is missing.
 */
export async function createFolder({ folder, name, hasNoFolder }: NewTarget): Promise<void> {
  const path = `${folder}${name}/`
  const isStillHere = watchPage({ folder, hasNoFolder })
  await recorded({ text: createdText(name, true) }, (onOperation) =>
    api('POST /api/resources/*', { params: { '*': path }, query: {} }, { onOperation }),
  )
  const opens = isStillHere() && (session.user?.redirectAfterCopyMove ?? false)
  await announceFiles({ folders: [folder], ...(!opens && isStillHere() && { results: [path] }) })
  if (opens) return navigateTo(paths.files(path))
  if (!hasNoFolder || !isStillHere()) return
  setNextCursor(folder, name)
  navigateTo(paths.files(folder))
}

/**
 * Creates an empty file and opens it, unless the user has left the page.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the permission is missing.
 */
export async function createFile({ folder, name, hasNoFolder }: NewTarget): Promise<void> {
  const path = folder + name
  const isStillHere = watchPage({ folder, hasNoFolder })
  await recorded({ text: createdText(name, false) }, (onOperation) =>
    api('POST /api/resources/*', { params: { '*': path }, query: {} }, { bytes: '', onOperation }),
  )
  announceChange(folder)
  if (isStillHere()) navigateTo(paths.files(path))
}

/**
 * Returns a function that checks whether the user is still on the same page: in the folder, or on the page without one.
 */
function watchPage({ folder, hasNoFolder }: Omit<NewTarget, 'name'>): () => boolean {
  const address = currentAddress()
  return () => (hasNoFolder ? currentAddress() === address : isAt(folder))
}
