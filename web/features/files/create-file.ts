import { api } from '#web/api/client.ts'
import { announceChange } from '#web/app/changes.ts'
import { go, paths } from '#web/app/paths.ts'
import { files } from './files-state.ts'

/**
 * Creates an empty file in the folder that is shown, and opens it.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the right is missing.
 */
export async function createFile(name: string): Promise<void> {
  const folder = files.folder?.path ?? '/'
  const path = folder + name
  await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { bytes: '' })
  announceChange(folder)
  go(paths.files(path))
}
