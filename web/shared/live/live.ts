import { subscribe } from 'valtio'
import type { ShownFolder } from '#contract/history/events.ts'
import type { ServerEvent } from '#web/api/history/events.ts'
import { page } from '#web/shared/page.ts'
import { readyUserId, session } from '#web/shared/session.ts'
import { announceLiveChange, announceTrashChange, announceUnread } from './live-changes.ts'
import { shareConnection } from './shared-connection.ts'

// Without a connection or a watch, the page asks as often as this while it is visible, in milliseconds.
const pollMs = 30_000

/** The server's view of a shown folder, by its path with a closing slash. */
const shown = new Map<string, ShownFolder>()
let isConnected = false
let folders: readonly string[] = []
let connection: ReturnType<typeof shareConnection> | undefined
let owner: number | undefined
/** The id of the last connection. */
let lastId: string | undefined

/** When the folder at `path` (closing slash) was changed last, if the server watches it since. */
export function watchedSince(path: string): string | undefined {
  return isConnected ? shown.get(path)?.modified : undefined
}

/** Sets the folders that this tab shows (decoded, closing slash). */
export function setShownFolders(next: readonly string[]): void {
  folders = next
  connection?.show(next.map(withoutSlash))
}

/** Starts to receive changes while a user is signed in. Calls `onWatched` when the server watches the shown folders. */
export function startLive(onWatched: () => void): void {
  const follow = () => {
    const id = readyUserId()
    if (id === owner) return
    connection?.stop()
    connection = undefined
    owner = id
    lastId = undefined
    onLost()
    if (id === undefined) return
    const name = `coffer-live ${page.BaseURL} ${id}`
    connection = shareConnection(name, { onEvent, onConnected, onLost, onShown: onShown(onWatched) })
    setShownFolders(folders)
  }
  subscribe(session, follow)
  follow()
  setInterval(poll, pollMs)
}

function onEvent(event: ServerEvent): void {
  if (event.event === 'watch') shown.set(withSlash(event.folder), event)
  if (event.event === 'notice') announceUnread(event.unread)
  if (event.event === 'trash' || event.event === 'lost') announceTrashChange()
  if (event.event !== 'change' && event.event !== 'lost') return
  const names = event.event === 'change' ? event.names : undefined
  announceLiveChange({ folder: withSlash(event.folder), names, isDeep: event.event === 'lost' })
}

function onConnected(id: string): void {
  const before = lastId
  isConnected = true
  lastId = id
  // Also at first: the list of the trash and the notices may be older than the connection.
  if (before !== id) {
    announceTrashChange()
    announceUnread()
  }
  // Changes during an interruption are unknown.
  if (before !== undefined && before !== id)
    announceLiveChange({ folder: '/', names: undefined, isDeep: true })
}

function onLost(): void {
  isConnected = false
  shown.clear()
}

const onShown = (onWatched: () => void) => (all: readonly ShownFolder[]) => {
  isConnected = true
  shown.clear()
  for (const one of all) shown.set(withSlash(one.folder), one)
  onWatched()
}

/** Announces changes that the server may not have reported: of folders that are not watched. */
function poll(): void {
  if (owner === undefined || document.visibilityState === 'hidden' || !navigator.onLine) return
  if (!isConnected) {
    announceTrashChange()
    announceUnread()
  }
  for (const folder of folders) {
    if (!isConnected || !shown.get(folder)?.isWatched)
      announceLiveChange({ folder, names: undefined, isDeep: false })
  }
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`
}

function withoutSlash(folder: string): string {
  return folder.length > 1 ? folder.replace(/\/$/, '') : folder
}
