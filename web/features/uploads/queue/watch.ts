import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { subscribe } from 'valtio'
import { renew } from '#web/api/client.ts'
import { session } from '#web/shared/session.ts'
import { restoreProxyLimit } from '#web/shared/uploads/resume-memory.ts'
import { type HoldReason, uploads } from './uploads-state.ts'

/** The functions of the queue that events call. */
interface Queue {
  hold(why: HoldReason): void
  release(): void
  clear(): void
}

/** Interval for renewing the session during uploads, in milliseconds. One large file may take hours. */
const renewMs = 15 * 60_000

let owner: number | undefined
let isWatching = false
let renewing: ReturnType<typeof setInterval> | undefined

/** Binds the queue to the signed-in user, and asks before the page closes during uploads. */
export function watchUploads(queue: Queue): void {
  owner = session.user?.id
  if (isWatching) return
  isWatching = true
  restoreProxyLimit()
  subscribe(session, () => onSession(queue))
  subscribe(uploads, onQueue)
  addEventListener('offline', () => {
    if (uploads.isActive && !uploads.hold) queue.hold('offline')
  })
}

function onSession({ hold, release, clear }: Queue): void {
  const id = session.user?.id
  if (id === undefined) {
    if (uploads.isActive) hold('signed-out')
  } else if (id !== owner) {
    // Another user has signed in, who must neither see nor send the files of the previous user.
    owner = id
    clear()
  } else if (uploads.hold === 'signed-out') release()
}

function onQueue(): void {
  if (uploads.isActive === (renewing !== undefined)) return
  if (uploads.isActive) {
    addEventListener('beforeunload', warn)
    renewing = setInterval(() => void (session.user && renew()), renewMs)
  } else {
    removeEventListener('beforeunload', warn)
    clearInterval(renewing)
    renewing = undefined
  }
}

/** Current browsers show their own text, older ones this one. */
function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
  event.returnValue = i18n._(msg`Files are being uploaded.`)
}
