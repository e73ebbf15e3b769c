import type { ChangedPath } from '#contract/history/operations.ts'
import { api } from '#web/api/client.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { files, isAt, refreshFolder, selectByName, showPath } from '#web/features/files/state/files-state.ts'
import { announceChange } from '#web/shared/changes.ts'
import { nameOf, navigateTo, parentOf, paths, resourceIn } from '#web/shared/paths.ts'
import type { Reversal } from '#web/shared/undo/reverse-change.ts'

/**
 * Shows what undo, or redo, has changed: refreshes the folder and selects what is there again. If the open file or folder
 * has moved, follows it; if it is gone, opens its parent folder.
 */
export async function showReversal({ done, made }: Reversal): Promise<void> {
  if (made.length === 0) return
  const changed = done.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))
  for (const folder of new Set(changed.map(parentOf))) announceChange(folder)
  // A command that runs afterwards has failed, so the paths are unknown.
  if (done.length === 0) announceChange(undefined)
  // Another page is shown, such as the trash.
  if (resourceIn(location.pathname) === undefined) return
  const shown = files.path
  const next = await placeAfter(shown, done)
  if (!isAt(shown)) return
  if (next !== shown) return navigateTo(paths.files(next), { replace: true })
  // The editor loads its text itself.
  if (files.file) return files.file.kind === 'editor' ? undefined : showPath(shown)
  await refreshFolder()
  const there = done.map(({ path, to }) => to ?? path).filter((path) => parentOf(path) === shown)
  if (isAt(shown)) selectByName(there.map(nameOf))
}

/** The path to show after these changes instead of `shown`; the same if it is still there. */
async function placeAfter(shown: string, done: readonly ChangedPath[]): Promise<string> {
  let place = shown
  for (const { path, to } of done) {
    const trimmed = path.replace(/\/$/, '')
    const isInside = place === trimmed || place.startsWith(`${trimmed}/`)
    if (!isInside) continue
    if (to !== undefined) place = to.replace(/\/$/, '') + place.slice(trimmed.length)
    else if (await isGone(trimmed)) place = parentOf(trimmed)
  }
  return place
}

async function isGone(path: string): Promise<boolean> {
  try {
    await api('GET /api/resources/*', { params: { '*': path }, query: {} })
    return false
  } catch (error) {
    return codeOf(error) === 'path.unknown'
  }
}
