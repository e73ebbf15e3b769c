import { api } from '#web/api/client.ts'
import { publicPath, shareToken } from '#web/api/link-address.ts'
import { origin, type Share } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { files, refreshFolder, selectByName } from '#web/features/files/state/files-state.ts'
import { navigateTo, pageOf, parentOf } from '#web/shared/paths.ts'
import { type OperationError, showOperationErrors } from './refusals.ts'

// What a visitor changes in a share that can be edited. The server has no undo for visitors.

/** Renames the entry at `path` of the shown share in its folder, and selects it. @throws ApiProblem `path.exists`. */
export async function renameShared(path: string, name: string): Promise<void> {
  const link = shownShare()
  const destination = parentOf(path) + name
  await api('PATCH /api/public/resources/*', {
    params: publicPath(link, path),
    query: { ...shareToken(link), destination },
  })
  if (files.path === path) navigateTo(pageOf(destination), { replace: true })
  else await refreshFolder()
  selectByName([name])
}

/** Deletes these entries of the shown share. Reports those that cannot be deleted. Returns whether all were deleted. */
export async function deleteShared(items: readonly { path: string; name: string }[]): Promise<boolean> {
  const link = shownShare()
  const refusals: OperationError[] = []
  for (const { path, name } of items) {
    try {
      await api('DELETE /api/public/resources/*', { params: publicPath(link, path), query: shareToken(link) })
    } catch (error) {
      refusals.push({ name, code: codeOf(error) })
    }
  }
  const opened = items.find(({ path }) => files.path === path)
  if (opened && refusals.length === 0) navigateTo(pageOf(parentOf(opened.path)), { replace: true })
  else await refreshFolder()
  showOperationErrors(refusals)
  return refusals.length === 0
}

function shownShare(): Share {
  const { link } = origin
  if (!link) throw new Error('no share is shown')
  return link
}
