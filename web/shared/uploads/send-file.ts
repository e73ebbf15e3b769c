import type { OnOperation } from '#web/api/client.ts'
import { halvePieces, proxyLimit } from '#web/api/uploads/piece-size.ts'
import { cancelUpload, isTooLarge, type PieceTarget, uploadResumable } from '#web/api/uploads/pieces.ts'
import type { Answer } from '#web/api/uploads/upload.ts'
import { page } from '#web/shared/page.ts'
import type { StoredUpload } from './resume-memory.ts'

/** An upload in pieces, as far as this device knows it. */
export interface IncompleteUpload {
  target: PieceTarget
  stored: StoredUpload
}

/** A file that is sent to one path. */
export interface FileToSend extends IncompleteUpload {
  body: Blob
  /** Whether to send it in pieces, which the server keeps when the upload stops. */
  inPieces: boolean
  /** An earlier attempt ended without a response, so the server may know an upload whose id this device never got. */
  wasBroken: boolean
  signal: AbortSignal
  /** Bytes sent so far. */
  onProgress(sent: number): void
  /** Called with the number of bytes that had arrived before. */
  onResume(sent: number): void
  /** Called with the id of the operation when the file has arrived. */
  onOperation: OnOperation
  /** Sends it in one request. */
  sendWhole(): Promise<Answer>
}

/**
 * Sends a file in one request or in pieces. Returns the last answer.
 *
 * @throws ApiProblem when the server refuses it, cannot be reached, or `signal` aborts.
 */
export async function sendFile(file: FileToSend): Promise<Answer> {
  // If a proxy refuses large bodies, larger files are sent in pieces.
  if (file.inPieces || file.body.size > proxyLimit.bytes) return sendInPieces(file)
  try {
    return await file.sendWhole()
  } catch (error) {
    const refused = Math.min(file.body.size, 2 * page.TusSettings.chunkSize)
    // If the server's own limit refused the file, it also refuses the upload in pieces before any data is sent.
    if (!isTooLarge(error) || !halvePieces(refused)) throw error
    file.onProgress(0)
    return sendInPieces(file)
  }
}

/** The running deletions of incomplete uploads, by path. */
const deletions = new Map<string, Promise<unknown>>()

async function sendInPieces(file: FileToSend): Promise<Answer> {
  const { target, stored } = file
  await deletions.get(target.path)
  const { chunkSize } = page.TusSettings
  return uploadResumable({ ...file, chunkSize, knownId: stored.id, onIdChange: stored.store })
}

/** Deletes the bytes of cancelled uploads to one path on the server. */
export async function deleteIncomplete(uploads: readonly IncompleteUpload[]): Promise<void> {
  const path = uploads[0]?.target.path
  if (path === undefined) return
  const deletion = Promise.all(uploads.map(deleteOne))
  deletions.set(path, deletion)
  await deletion
  if (deletions.get(path) === deletion) deletions.delete(path)
}

async function deleteOne({ target, stored }: IncompleteUpload): Promise<void> {
  const { id } = stored
  if (id === undefined) return
  stored.store(undefined)
  await cancelUpload(target, id)
}
