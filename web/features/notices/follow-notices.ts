import { subscribe } from 'valtio'
import { onUnreadChange } from '#web/shared/live/live-changes.ts'
import { readyUserId, session } from '#web/shared/session.ts'
import { noteVisibility, showOnDevice } from './device-notices.ts'
import { forgetList, loadNotices, newestNotice, notices } from './notices-state.ts'

/** Delay that groups changes into one request, in milliseconds. */
const delayMs = 300

/** The id of the newest notice that is known; undefined until the first answer. */
let newest: number | undefined

/** Keeps the number of unread notices, and a shown list, as they are on the server. Called once. */
export function followNotices(): void {
  noteVisibility()
  let isWaiting = false
  const loadSoon = () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      void load()
    }, delayMs)
  }
  let user = readyUserId()
  subscribe(session, () => {
    if (readyUserId() === user) return
    user = readyUserId()
    newest = undefined
    notices.unread = 0
    forgetList()
    loadSoon()
  })
  onUnreadChange((unread) => {
    if (unread !== undefined) notices.unread = unread
    loadSoon()
  })
  subscribe(notices, markPage)
  loadSoon()
}

async function load(): Promise<void> {
  if (readyUserId() === undefined) return
  if (notices.items) void loadNotices()
  const page = await newestNotice()
  if (!page) return
  notices.unread = page.unread
  const [first] = page.items
  const before = newest
  newest = Math.max(newest ?? 0, first?.id ?? 0)
  // What was there before the page was opened is no news.
  if (first && !first.isRead && before !== undefined && first.id > before) await showOnDevice(first)
}

/** On narrow screens the style sheet marks the button of the drawer, because the bell is inside. */
function markPage(): void {
  document.documentElement.toggleAttribute('data-unread', notices.unread > 0)
}
