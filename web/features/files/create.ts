import { api } from '#web/api/client.ts'
import { announceChange } from '#web/app/changes.ts'
import { go, paths } from '#web/app/paths.ts'
import { files, refresh, reveal } from './files-state.ts'

/**
 * Creates a folder in `folder` (decoded, closing slash) and marks it, if that is still the one that is shown.
 *
 * @throws ApiProblem when the name cannot be used or the right is missing.
 */
export async function createFolder(folder: string, name: string): Promise<void> {
  await api('POST /api/resources/*', { params: { '*': `${folder}${name}/` }, query: {} })
  announceChange(folder)
  if (files.path !== folder) return
  await refresh()
  if (files.path === folder) reveal([name])
}

/**
 * Creates an empty file in `folder` (decoded, closing slash), and opens it, if nobody has gone elsewhere.
 *
 * @throws ApiProblem `path.exists` when the name is taken, or when the right is missing.
 */
export async function createFile(folder: string, name: string): Promise<void> {
  const path = folder + name
  await api('POST /api/resources/*', { params: { '*': path }, query: {} }, { bytes: '' })
  announceChange(folder)
  if (files.path === folder) go(paths.files(path))
}
