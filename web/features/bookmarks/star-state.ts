import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { ref } from 'valtio'
import type { Bookmark } from '#contract/history/bookmarks.ts'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { onChange, pathAfter } from '#web/shared/changes.ts'
import { followMarks } from '#web/shared/marks/follow-marks.ts'
import { stars } from '#web/shared/marks/stars.ts'
import { nameOf, navigateTo, paths, withoutBase } from '#web/shared/paths.ts'
import { readyUserId } from '#web/shared/session.ts'
import { quoted } from '#web/shared/undo/change-text.ts'
import { changeKey } from '#web/shared/undo/history.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** Tells the other tabs of this browser that the stars have changed. */
const tabs = new BroadcastChannel('coffer-stars')

const withoutSlash = (path: string) => path.replace(/\/$/, '')

/** Adds stars, or removes them. Shows a notice with Undo, or an error. Returns whether all of it was done. */
export async function setStars(items: readonly string[], isOn: boolean): Promise<boolean> {
  const address = isOn ? 'PUT /api/starred/*' : 'DELETE /api/starred/*'
  const changed = items.map(withoutSlash).filter((path) => stars.paths.has(path) !== isOn)
  try {
    for (const path of changed) {
      await api(address, { params: { '*': path } })
      const next = new Set(stars.paths)
      if (isOn) next.add(path)
      else next.delete(path)
      stars.paths = ref(next)
      stars.folders = ref(stars.folders.filter((folder) => next.has(folder)))
    }
    // Which of the new ones are folders, the server knows.
    if (isOn && changed.length > 0) void loadStars()
    if (changed.length > 0) showNotice(changed, isOn)
    return true
  } catch (error) {
    showToast('error', i18n._(problemText(codeOf(error))))
    return false
  } finally {
    tabs.postMessage('changed')
  }
}

function showNotice(changed: readonly string[], isOn: boolean): void {
  const undo = { label: i18n._(msg`Undo`), run: () => setStars(changed, !isOn) }
  const show = { label: i18n._(msg`Show`), run: () => navigateTo(paths.starred) }
  const isShown = withoutBase(location.pathname) === paths.starred
  showToast('success', isOn ? addedText(changed) : removedText(changed), '', {
    key: changeKey,
    actions: isOn && !isShown ? [undo, show] : [undo],
  })
}

/** “Added notes.txt to Starred”, or the number of items. */
function addedText(changed: readonly string[]): string {
  const [one, count] = [quoted(nameOf(changed[0] ?? '')), changed.length]
  return count === 1
    ? i18n._(msg`Added ${one} to Starred`)
    : plural(count, { one: 'Added # item to Starred', other: 'Added # items to Starred' })
}

function removedText(changed: readonly string[]): string {
  const [one, count] = [quoted(nameOf(changed[0] ?? '')), changed.length]
  return count === 1
    ? i18n._(msg`Removed ${one} from Starred`)
    : plural(count, { one: 'Removed # item from Starred', other: 'Removed # items from Starred' })
}

/** Keeps the stars as they are on the server: they follow moved and deleted files. Called once. */
export function followStars(): void {
  // The server does the same. Until it has answered, no star disappears from what was renamed or moved.
  onChange(({ moved }) => {
    if (moved) stars.paths = ref(new Set([...stars.paths].map((path) => pathAfter(path, moved))))
  })
  followMarks({ paths: () => stars.paths, load: loadStars, forget: () => showStars([]), tabs })
}

/** Loads the stars. Without them the list still works, so an error changes nothing. */
async function loadStars(): Promise<undefined> {
  const user = readyUserId()
  if (user === undefined) return undefined
  const before = stars.paths
  const items = await api('GET /api/starred').catch(() => undefined)
  if (!items || readyUserId() !== user) return undefined
  // The response may be older than a star that was added or removed meanwhile.
  if (stars.paths !== before) return loadStars()
  showStars(items)
  return undefined
}

/** Shows these stars in lists and in the sidebar. */
export function showStars(items: readonly Bookmark[]): void {
  stars.paths = ref(new Set(items.map(({ path }) => path)))
  stars.folders = ref(items.flatMap(({ path, isDir, exists }) => (isDir && exists ? path : [])))
}
