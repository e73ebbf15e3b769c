import { api } from '#web/api/client.ts'
import { isAt, pointLater, refresh, reveal } from '#web/features/files/state/files-state.ts'
import { announceChange } from '#web/shared/changes.ts'
import { go, here, paths } from '#web/shared/paths.ts'
import { session } from '#web/shared/session.ts'

/** What is made, and where. */
export interface NewPlace {
  /** Decoded, with a closing slash. */
  folder: string
  name: string
  /** The page showed no folder when it was asked for. */
  isAway: boolean
}

/**
 * Creates a folder. Then opens it if the profile says so, otherwise selects it. Does nothing more if the person has left
 * the page.
 *
 * @throws ApiProblem when the name cannot be used or the right is missing.
 */
export async function createFolder({ folder, name, isAway }: NewPlace): Promise<void> {
  const path = `${folder}${name}/`
  const stays = watchPlace({ folder, isAway })
  await api('POST /api/resources/*', { params: { '*': path }, query: {} })
  announceChange(folder)
  if (!stays()) return
  if (session.user?.redirectAfterCopyMove) return go(paths.files(path))
  if (isAway) {
    pointLater(folder, name)
    go(paths.files(folder))
  }
  if (!isAt(folder)) return
  await refresh()
  if (isAt(folder)) reveal([name])
}

/**
 * Creates an empty file and opens it, if nobody has gone elsewhere meanwhile.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the right is missing.
 */
export async function createFile({ folder, name, isAway }: NewPlace): Promise<void> {
  const path = folder + name
  const stays = watchPlace({ folder, isAway })
  await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { bytes: '' })
  announceChange(folder)
  if (stays()) go(paths.files(path))
}

/** Tells later whether the person is still where they asked: in the folder, or on the page that shows none. */
function watchPlace({ folder, isAway }: Omit<NewPlace, 'name'>): () => boolean {
  const address = here()
  return () => (isAway ? here() === address : isAt(folder))
}
