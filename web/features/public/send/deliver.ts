import type { Received } from '#contract/shares.ts'
import { addressOf } from '#web/api/client.ts'
import { publicPath, shareToken, takeTicket } from '#web/api/link-address.ts'
import type { Share } from '#web/api/origin.ts'
import { codeOf } from '#web/api/problems/problem-text.ts'
import { modifiedMs } from '#web/api/uploads/modified.ts'
import type { PieceTarget } from '#web/api/uploads/pieces.ts'
import { type Answer, transmit } from '#web/api/uploads/upload.ts'
import { storedUploadOf } from '#web/shared/uploads/resume-memory.ts'
import { deleteIncomplete, type IncompleteUpload, sendFile } from '#web/shared/uploads/send-file.ts'
import type { SentFile } from './visit-state.ts'

/** A file of a visitor that is being sent. */
export interface Delivery {
  file: SentFile
  body: Blob
  link: Share
  /** The reason `cancelled` deletes what has arrived. */
  signal: AbortSignal
}

/**
 * Sends a file to a share, in one request or in pieces. Returns its receipt.
 *
 * @throws ApiProblem when the server refuses it, cannot be reached, or `signal` aborts.
 */
export async function deliver({ file, body, link, signal }: Delivery): Promise<Received> {
  const upload = incompleteUpload(file.path, body, link)
  const onProgress = (sent: number) => {
    if (!signal.aborted) file.sent = Math.min(sent, file.size)
  }
  const common = { body, signal, onProgress }
  try {
    const answer = await sendFile({
      ...{ ...common, ...upload, inPieces: file.inPieces },
      // No other file of this page is sent to this path now. One that a page before has begun is replaced.
      wasBroken: true,
      onResume: onProgress,
      onOperation: () => {},
      sendWhole: () => sendWhole(file.path, link, common),
    })
    takeTicket(link, answer.getResponseHeader('X-Visit'))
    return receiptIn(answer)
  } catch (error) {
    if (signal.reason === 'cancelled') await deleteIncomplete([upload])
    // All of it has arrived. It is not visible yet.
    if (codeOf(error) === 'scan.held') return { path: file.path, size: file.size, sha256: '', held: true }
    throw error
  }
}

/** Deletes on the server what has arrived of a file that is not being sent. */
export function deleteArrived({ path }: SentFile, body: Blob, link: Share): Promise<void> {
  return deleteIncomplete([incompleteUpload(path, body, link)])
}

function sendWhole(
  path: string,
  link: Share,
  how: Pick<Delivery, 'body' | 'signal'> & { onProgress(sent: number): void },
): Promise<Answer> {
  const modified = modifiedMs(how.body)
  return transmit({
    method: 'POST',
    address: addressOf('/api/public/resources/*', publicPath(link, path), shareToken(link)),
    more: {
      ...visitHeader(link),
      ...(modified !== undefined && { 'X-OC-Mtime': String(modified / 1000) }),
    },
    ...how,
  })
}

/** The receipt of a file in one request is the body of the answer, that of a file in pieces a header. */
function receiptIn(answer: Answer): Received {
  const header = answer.getResponseHeader('X-Received')
  return JSON.parse(header === null ? answer.responseText : decodeURIComponent(header))
}

function incompleteUpload(path: string, body: Blob, link: Share): IncompleteUpload {
  const target: PieceTarget = {
    path,
    address: () => addressOf('/api/public/tus/*', publicPath(link, path), shareToken(link)),
    headers: () => visitHeader(link),
    onBegin: (answer) => takeTicket(link, answer.getResponseHeader('X-Visit')),
  }
  // Only this visit can continue it.
  return { target, stored: storedUploadOf([link.hash, link.visit, path], body) }
}

function visitHeader({ visit }: Share): Record<string, string> {
  return visit ? { 'X-Visit': visit } : {}
}
