import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { subscribe } from 'valtio'
import { renew } from '#web/api/client.ts'
import { session } from '#web/shared/session.ts'
import { type Hold, uploads } from './uploads-state.ts'

/** What can be done to the queue from outside. */
interface Queue {
  hold(why: Hold): void
  release(): void
  clear(): void
}

/** How often the session is kept alive while files are on their way: one large file may take hours. In milliseconds. */
const renewMs = 15 * 60_000

let owner: number | undefined
let isWatching = false
let renewing: ReturnType<typeof setInterval> | undefined

/** Keeps the queue to whom it belongs, who is signed in now, and asks before the page is left while it is busy. */
export function watch(queue: Queue): void {
  owner = session.user?.id
  if (isWatching) return
  isWatching = true
  subscribe(session, () => onSession(queue))
  subscribe(uploads, onQueue)
  addEventListener('offline', () => {
    if (uploads.active && !uploads.hold) queue.hold('offline')
  })
}

function onSession({ hold, release, clear }: Queue): void {
  const id = session.user?.id
  if (id === undefined) {
    if (uploads.active) hold('signed-out')
  } else if (id !== owner) {
    // Whoever signs in now must neither see nor send the files of somebody else.
    owner = id
    clear()
  } else if (uploads.hold === 'signed-out') release()
}

function onQueue(): void {
  if (uploads.active === (renewing !== undefined)) return
  if (uploads.active) {
    addEventListener('beforeunload', warn)
    renewing = setInterval(() => void (session.user && renew()), renewMs)
  } else {
    removeEventListener('beforeunload', warn)
    clearInterval(renewing)
    renewing = undefined
  }
}

/** Browsers show words of their own; older ones show these. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
  event.returnValue = i18n._(msg`Files are being uploaded.`)
}
