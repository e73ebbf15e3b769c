import { ref, subscribe } from 'valtio'
import { api } from '#web/api/client.ts'
import { onChange } from '#web/shared/changes.ts'
import { onLiveChange } from '#web/shared/live/live-changes.ts'
import { shareMarks } from '#web/shared/marks/share-marks.ts'
import { mayShare, readyUserId, session } from '#web/shared/session.ts'
import { shareChanges } from './share-state.ts'

/** Delay after a change of files before the links are requested again, in milliseconds. */
const delayMs = 500

/** Delay before another request when a link should have ended, but has not. */
const laterMs = 60_000

/** The longest delay of a timer, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Tells the other tabs of this browser that the links have changed. */
const tabs = new BroadcastChannel('coffer-shares')

/** Marks what the user has shared, as it is on the server: links follow moved and deleted files, and end. Called once. */
export function followShares(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const loadAfter = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(load, ms)
  }
  const loadSoon = () => loadAfter(delayMs)
  let user = readyUserId()

  async function load(): Promise<void> {
    const expire = await loadMarks()
    if (expire === undefined) return
    const restMs = expire - Date.now()
    // The clock of the server may be slower than the one of this device.
    loadAfter(restMs > 0 ? Math.min(maxTimerMs, Math.max(delayMs, restMs)) : laterMs)
  }

  subscribe(session, () => {
    if (readyUserId() === user) return
    user = readyUserId()
    shareMarks.paths = ref(new Set())
    if (user !== undefined) void load()
  })
  subscribe(shareChanges, () => {
    tabs.postMessage('changed')
    void load()
  })
  onChange(loadSoon)
  onLiveChange(({ folder }) => {
    if ([...shareMarks.paths].some((path) => path.startsWith(folder))) loadSoon()
  })
  tabs.addEventListener('message', loadSoon)
  if (user !== undefined) void load()
}

/** Counts the requests. The response to an older one must not replace that to a newer one. */
let requests = 0

/**
 * Loads the marks. Without them the list still works, so an error changes nothing. Returns the time at which the first
 * link ends, in milliseconds; undefined: none ends.
 */
async function loadMarks(): Promise<number | undefined> {
  const { user } = session
  // The server refuses the list to others.
  if (!user || !mayShare(user.perm)) return undefined
  const request = ++requests
  const all = await api('GET /api/shares').catch(() => undefined)
  if (!all || request !== requests || session.user?.id !== user.id) return undefined
  // Administrators also get the links of other users.
  const own = all.filter(({ userID }) => userID === user.id)
  shareMarks.paths = ref(new Set(own.map(({ path }) => path.replace(/\/$/, ''))))
  const ends = own.flatMap(({ expire }) => (expire > 0 ? expire * 1000 : []))
  return ends.length > 0 ? Math.min(...ends) : undefined
}
