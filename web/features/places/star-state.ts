import { i18n } from '@lingui/core'
import { ref, subscribe } from 'valtio'
import { api } from '#web/api/client.ts'
import { codeOf, problemText } from '#web/api/problems/problem-text.ts'
import { onChange } from '#web/shared/changes.ts'
import { stars } from '#web/shared/lists/stars.ts'
import { onLiveChange } from '#web/shared/live/live-changes.ts'
import { session } from '#web/shared/session.ts'
import { showToast } from '#web/ui/toasts/toasts.ts'

/** Delay after a change of files before the stars are requested again, in milliseconds. */
const delayMs = 500

/** Tells the other tabs of this browser that the stars have changed. */
const tabs = new BroadcastChannel('coffer-stars')

const withoutSlash = (path: string) => path.replace(/\/$/, '')

/** Adds stars, or removes them. Shows an error, and returns whether all of it was done. */
export async function setStars(paths: readonly string[], isOn: boolean): Promise<boolean> {
  const address = isOn ? 'PUT /api/starred/*' : 'DELETE /api/starred/*'
  try {
    for (const path of paths.map(withoutSlash)) {
      await api(address, { params: { '*': path } })
      const next = new Set(stars.paths)
      if (isOn) next.add(path)
      else next.delete(path)
      stars.paths = ref(next)
    }
    return true
  } catch (error) {
    showToast('error', i18n._(problemText(codeOf(error))))
    return false
  } finally {
    tabs.postMessage('changed')
  }
}

/** Keeps the stars as they are on the server: they follow moved and deleted files. Called once. */
export function followStars(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const loadSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(loadStars, delayMs)
  }
  let user = session.user?.id
  subscribe(session, () => {
    if (session.user?.id === user) return
    user = session.user?.id
    stars.paths = ref(new Set())
    if (user !== undefined) void loadStars()
  })
  onChange(loadSoon)
  onLiveChange(({ folder }) => {
    if ([...stars.paths].some((path) => path.startsWith(folder))) loadSoon()
  })
  tabs.addEventListener('message', loadSoon)
  if (user !== undefined) void loadStars()
}

/** Loads the stars. Without them the list still works, so an error changes nothing. */
async function loadStars(): Promise<void> {
  const user = session.user?.id
  if (user === undefined) return
  const items = await api('GET /api/starred').catch(() => undefined)
  if (items && session.user?.id === user) stars.paths = ref(new Set(items.map(({ path }) => path)))
}
