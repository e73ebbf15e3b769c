import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { files, isAt, showPath } from '#web/features/files/state/files-state.ts'
import { announceFiles, foldersOf, isWithin, moveOf, pathAfter } from '#web/shared/changes.ts'
import type { Reversal } from '#web/shared/undo/reverse-change.ts'

/** Shows what undo, or redo, has changed. */
export async function showReversal({ done, made }: Reversal): Promise<void> {
  if (made.length === 0) return
  const changed = done.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
  const moved = done.flatMap(({ path, to }) => (to === undefined ? [] : moveOf(path, to)))
  const shown = files.path
  const now = pathAfter(shown, moved)
  const around = done.flatMap(({ path, to }) => (to === undefined && isWithin(now, path) ? path : []))
  const removed = isAt(shown) ? await goneOf(around) : []
  await announceFiles({
    // A command that runs afterwards has failed, so the paths are unknown.
    folders: done.length === 0 ? undefined : foldersOf(changed),
    moved,
    removed,
    results: done.map(({ path, to }) => to ?? path),
  })
  const isThere = isAt(shown) && now === shown && removed.length === 0
  // The editor loads its text itself.
  if (isThere && files.file && files.file.kind !== 'editor') await showPath(shown)
}

/** The items among these that are not on the server any more. */
async function goneOf(items: readonly string[]): Promise<readonly string[]> {
  const gone: string[] = []
  for (const path of items) if (await isGone(path)) gone.push(path)
  return gone
}

async function isGone(path: string): Promise<boolean> {
  try {
    await api('GET /api/resources/*', { params: { '*': path }, query: {} })
    return false
  } catch (error) {
    return codeOf(error) === 'path.unknown'
  }
}
