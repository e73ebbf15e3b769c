import { ref } from 'valtio'
import type { Received, ShareOffer } from '#contract/shares.ts'
import { ApiProblem } from '#web/api/client.ts'
import { isLocked } from '#web/api/link-address.ts'
import { origin, type Share } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import type { UploadRequest } from '#web/api/uploads/gather.ts'
import { needsPieces } from '#web/api/uploads/piece-size.ts'
import { page } from '#web/shared/page.ts'
import { nameOf } from '#web/shared/paths.ts'
import {
  forgetTries,
  isReachable,
  isReadable,
  mayRetry,
  waitForRetry,
  wakeWhenReachable,
} from '#web/shared/uploads/connectivity.ts'
import { restoreProxyLimit } from '#web/shared/uploads/resume-memory.ts'
import { loadLater } from '#web/ui/loading/load-later.ts'
import { refusalOf } from './refusal.ts'
import { type HoldReason, isUnfinished, type SentFile, sending } from './visit-state.ts'
import { keepVisit, readVisit } from './visits.ts'

/** Number of files that are sent at once. */
const atOnce = 3

const controllers = new Map<number, AbortController>()
let shown: Share | undefined
let nextId = 1
let waking = new AbortController()
let isWatching = false

/** @throws ApiProblem `network.lost` when the code cannot be fetched. */
async function loadSending() {
  return loadLater(() => import('#web/app/chunks/later-send.ts')).catch((error: unknown) => {
    throw new ApiProblem(0, 'network.lost', String(error))
  })
}

/** Shows the files of this visit of `link`. Stops sending files to another one. */
export function showVisit(link: Share): void {
  if (shown === link) return
  waking.abort()
  for (const controller of controllers.values()) controller.abort('left')
  shown = link
  sending.hash = link.hash
  sending.hold = undefined
  sending.files = readVisit(link.hash).files.map((received) => ({
    ...{ id: nextId++, path: received.path, body: undefined, size: received.size, sent: received.size },
    ...{ inPieces: false, status: 'done', code: undefined, received },
  }))
}

/**
 * Adds files to those that are sent. Empty folders are left out.
 *
 * @param folder the folder in the share, with a slash at its end
 */
export function send(folder: string, requests: readonly UploadRequest[]): void {
  watch()
  const { offer } = origin.link ?? {}
  for (const { path, body } of requests) if (body) sending.files.push(fileOf(folder + path, body, offer))
  sendNext()
}

function watch(): void {
  if (isWatching) return
  isWatching = true
  restoreProxyLimit()
  addEventListener('offline', () => {
    if (!sending.hold && sending.files.some(isUnfinished)) holdSending('offline')
  })
}

function fileOf(path: string, body: Blob, offer: ShareOffer | undefined): SentFile {
  const { size } = body
  const code = refusalOf({ name: nameOf(path), size }, offer)
  const inPieces = needsPieces(size, page.TusSettings.chunkSize)
  const status = code ? 'failed' : 'waiting'
  return { id: nextId++, path, body: ref(body), size, sent: 0, inPieces, status, code, received: undefined }
}

/** Cancels a file. The server deletes what has arrived of it. */
export function cancelSending(id: number): void {
  const file = fileWith(id)
  if (!file || !isUnfinished(file)) return
  // A file that is being sent deletes what has arrived itself, after it has stopped.
  if (!controllers.has(id)) void deleteArrived(file)
  stop(file, 'cancelled')
  sendNext()
}

/** Pauses a file. Unless it is sent in pieces, it starts over when it is resumed. */
export function pauseSending(id: number): void {
  const file = fileWith(id)
  if (file?.status === 'sending') stop(file, 'paused')
}

/** Resumes a paused file. */
export function resumeSending(id: number): void {
  const file = fileWith(id)
  if (file?.status === 'paused') file.status = 'waiting'
  sendNext()
}

/** Resumes everything, also files that were paused one by one. */
export function resumeAll(): void {
  for (const file of sending.files) if (file.status === 'paused') file.status = 'waiting'
  continueSending()
}

/** Sends a file that was cancelled or has failed again. */
export function sendAgain(id: number): void {
  const file = fileWith(id)
  if (!file?.body) return
  forgetTries(file)
  Object.assign(file, fileOf(file.path, file.body, origin.link?.offer), { id, inPieces: file.inPieces })
  sendNext()
}

/** Continues after the password of the link was entered again. */
export function continueUnlocked(): void {
  if (sending.hold === 'locked') continueSending()
}

/** Stops sending until `continueSending`. Files in progress continue later, or start over if they are in one request. */
export function holdSending(why: HoldReason): void {
  sending.hold = why
  waking.abort()
  // A request that has begun goes on without the password.
  if (why !== 'locked') for (const file of sending.files) if (controllers.has(file.id)) stop(file, 'waiting')
  if (why === 'offline') waking = wakeWhenReachable(continueSending)
}

/** Continues after `holdSending`. */
export function continueSending(): void {
  waking.abort()
  sending.hold = undefined
  sendNext()
}

function sendNext(): void {
  if (!sending.files.some(isUnfinished)) sending.hold = undefined
  while (!sending.hold && controllers.size < atOnce) {
    const next = nextFile()
    const link = origin.link
    if (!next?.body || !link) return
    const controller = new AbortController()
    controllers.set(next.id, controller)
    void transfer(next, next.body, link, controller.signal).finally(() => {
      controllers.delete(next.id)
      sendNext()
    })
  }
}

/** The next file that waits. A visit has one upload to a path, so a file waits for an earlier one to the same path. */
function nextFile(): SentFile | undefined {
  const earlier = new Set<string>()
  for (const file of sending.files) {
    const isBusy = controllers.has(file.id)
    if (file.status === 'waiting' && !isBusy && !earlier.has(file.path)) return file
    if (isBusy || isUnfinished(file)) earlier.add(file.path)
  }
  return undefined
}

async function transfer(file: SentFile, body: Blob, link: Share, signal: AbortSignal): Promise<void> {
  Object.assign(file, { status: 'sending', code: undefined })
  try {
    if (isLocked(link)) throw new ApiProblem(401, 'share.password', 'the hour of the password is over')
    const { deliver } = await loadSending()
    const received = await deliver({ file, body, link, signal })
    // After a new visit, the file belongs to the old one.
    if (shown === link) arrive(file, link, received)
  } catch (error) {
    // Otherwise it has the status with which it was stopped.
    if (!signal.aborted) await fail(file, body, { code: codeOf(error), signal })
  }
}

function arrive(file: SentFile, link: Share, received: Received): void {
  Object.assign(file, { status: 'done', sent: file.size, received })
  keepVisit(
    link,
    sending.files.flatMap((one) => one.received ?? []),
  )
}

interface Failure {
  code: ReturnType<typeof codeOf>
  signal: AbortSignal
}

/** Fails the file with a refusal. After a lost connection or without the password of the link, it waits instead. */
async function fail(file: SentFile, body: Blob, { code, signal }: Failure): Promise<void> {
  if (code === 'share.password') return askPassword(file)
  if (!mayRetry(code)) return finish(file, 'failed', code)
  if (!(await isReadable(body))) return finish(file, 'failed', 'file.unreadable')
  // The server keeps what arrives of it, should the connection break again.
  if (code === 'network.lost') file.inPieces ||= file.size > 0
  const isThere = await isReachable()
  if (signal.aborted) return
  if (!isThere) return holdSending('offline')
  const isAgain = await waitForRetry(file, signal)
  if (!signal.aborted) finish(file, isAgain ? 'waiting' : 'failed', code)
}

function askPassword(file: SentFile): void {
  finish(file, 'waiting')
  if (sending.hold === 'locked') return
  holdSending('locked')
  origin.onLocked()
}

async function deleteArrived(file: SentFile): Promise<void> {
  const link = origin.link
  if (!file.body || !link || !file.inPieces) return
  // If it fails, the server does so after a day.
  const loaded = await loadSending().catch(() => undefined)
  await loaded?.deleteArrived(file, file.body, link)
}

/** Stops a file if it is being sent, and sets its status. */
function stop(file: SentFile, status: 'waiting' | 'paused' | 'cancelled'): void {
  controllers.get(file.id)?.abort(status)
  finish(file, status)
}

function finish(file: SentFile, status: SentFile['status'], code?: SentFile['code']): void {
  Object.assign(file, { status, code })
  if ((status === 'waiting' || status === 'paused') && !file.inPieces) file.sent = 0
}

const fileWith = (id: number) => sending.files.find((one) => one.id === id)
