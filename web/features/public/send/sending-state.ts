import { ref } from 'valtio'
import type { Received, ShareOffer } from '#contract/shares.ts'
import { ApiProblem, addressOf } from '#web/api/client.ts'
import { isLocked, publicPath, shareToken, takeTicket } from '#web/api/link-address.ts'
import { origin, type Share } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import type { UploadRequest } from '#web/api/uploads/gather.ts'
import { modifiedMs } from '#web/api/uploads/modified.ts'
import { transmit } from '#web/api/uploads/upload.ts'
import { nameOf } from '#web/shared/paths.ts'
import { refusalOf } from './refusal.ts'
import { type SentFile, sending } from './visit-state.ts'
import { keepVisit, readVisit } from './visits.ts'

/** Number of files that are sent at once. */
const atOnce = 3

const controllers = new Map<number, AbortController>()
let shown: Share | undefined
let nextId = 1

/** Shows the files of this visit of `link`. Aborts those that are sent to another one. */
export function showVisit(link: Share): void {
  if (shown === link) return
  for (const controller of controllers.values()) controller.abort()
  shown = link
  sending.hash = link.hash
  sending.files = readVisit(link.hash).files.map((received) => ({
    ...{ id: nextId++, path: received.path, body: undefined, size: received.size, sent: received.size },
    ...{ status: 'done', code: undefined, received },
  }))
}

/**
 * Adds files to those that are sent. Empty folders are left out.
 *
 * @param folder the folder in the share, with a slash at its end
 */
export function send(folder: string, requests: readonly UploadRequest[]): void {
  const { offer } = origin.link ?? {}
  for (const { path, body } of requests) if (body) sending.files.push(fileOf(folder + path, body, offer))
  sendNext()
}

function fileOf(path: string, body: Blob, offer: ShareOffer | undefined): SentFile {
  const code = refusalOf({ name: nameOf(path), size: body.size }, offer)
  const status = code ? 'failed' : 'waiting'
  return { id: nextId++, path, body: ref(body), size: body.size, sent: 0, status, code, received: undefined }
}

/** Cancels a file. */
export function cancelSending(id: number): void {
  const file = sending.files.find((one) => one.id === id)
  if (file) file.status = 'cancelled'
  controllers.get(id)?.abort()
  sendNext()
}

/** Sends a file that was cancelled or has failed again. */
export function sendAgain(id: number): void {
  const file = sending.files.find((one) => one.id === id)
  if (!file?.body) return
  Object.assign(file, fileOf(file.path, file.body, origin.link?.offer), { id })
  sendNext()
}

function sendNext(): void {
  while (controllers.size < atOnce) {
    const next = sending.files.find(({ id, status }) => status === 'waiting' && !controllers.has(id))
    const link = origin.link
    if (!next || !link) return
    const controller = new AbortController()
    controllers.set(next.id, controller)
    void transfer(next, link, controller.signal).finally(() => {
      controllers.delete(next.id)
      sendNext()
    })
  }
}

async function transfer(file: SentFile, link: Share, signal: AbortSignal): Promise<void> {
  file.status = 'sending'
  try {
    const received = await deliver(file, link, signal)
    // After a new visit, the file belongs to the old one.
    if (shown !== link) return
    Object.assign(file, { status: 'done', sent: file.size, received })
    keepVisit(
      link,
      sending.files.flatMap((one) => one.received ?? []),
    )
  } catch (error) {
    const code = codeOf(error)
    Object.assign(file, code === 'network.aborted' ? { status: 'cancelled' } : { status: 'failed', code })
  }
}

/** @throws ApiProblem when the server refuses, cannot be reached, or `signal` aborts. */
async function deliver(file: SentFile, link: Share, signal: AbortSignal): Promise<Received> {
  const { path, body } = file
  if (isLocked(link)) {
    origin.onLocked()
    throw new ApiProblem(401, 'share.password', 'the hour of the password is over')
  }
  const modified = body && modifiedMs(body)
  const answer = await transmit({
    method: 'POST',
    address: addressOf('/api/public/resources/*', publicPath(link, path), shareToken(link)),
    more: {
      ...(link.visit && { 'X-Visit': link.visit }),
      ...(modified !== undefined && { 'X-OC-Mtime': String(modified / 1000) }),
    },
    ...(body && { body }),
    signal,
    onProgress: (sent) => {
      file.sent = sent
    },
  })
  takeTicket(link, answer.getResponseHeader('X-Visit'))
  return JSON.parse(answer.responseText)
}
