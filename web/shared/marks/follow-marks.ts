import { subscribe } from 'valtio'
import { onChange } from '#web/shared/changes.ts'
import { onLiveChange } from '#web/shared/live/live-changes.ts'
import { readyUserId, session } from '#web/shared/session.ts'

/** Delay after a change of files before marks are requested again, in milliseconds. */
const delayMs = 500

/** The longest delay of a timer, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** One kind of marks in lists, such as stars. */
interface Marks {
  /** The marked paths. */
  paths(): ReadonlySet<string>
  /** Loads the marks. Returns the delay until they must be loaded again, in milliseconds; undefined: until a change. */
  load(): Promise<number | undefined>
  /** Removes the marks, because another user has signed in. */
  forget(): void
  /** The other tabs of this browser send a message when they have changed the marks. */
  tabs: BroadcastChannel
}

/**
 * Keeps marks as they are on the server, which follows moved and deleted files. Call it once for each kind. Returns the
 * function that loads them now.
 */
export function followMarks({ paths, load, forget, tabs }: Marks): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const loadAfter = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(loadNow, Math.min(maxTimerMs, Math.max(delayMs, ms)))
  }
  const loadSoon = () => loadAfter(delayMs)
  async function loadNow(): Promise<void> {
    const againMs = readyUserId() === undefined ? undefined : await load()
    if (againMs !== undefined) loadAfter(againMs)
  }
  let user = readyUserId()
  subscribe(session, () => {
    if (readyUserId() === user) return
    user = readyUserId()
    forget()
    void loadNow()
  })
  onChange(loadSoon)
  onLiveChange(({ folder }) => {
    if ([...paths()].some((path) => path.startsWith(folder))) loadSoon()
  })
  tabs.addEventListener('message', loadSoon)
  void loadNow()
  return () => void loadNow()
}
