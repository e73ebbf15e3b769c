import { ApiProblem, addressOf, type FailureCode } from '#web/api/client.ts'
import { modifiedMs } from './modified.ts'
import { chunkSizeFor, halveChunkSize } from './piece-size.ts'
import { transmit, type Upload } from './upload.ts'

/** A resumable upload: its chunk size, and the state stored on this device. */
export interface ResumableUpload extends Upload {
  /** Chunk size in bytes. It is reduced after a proxy has refused this size. */
  chunkSize: number
  /** The id of the earlier upload of this very file; undefined if there is none. */
  knownId: string | undefined
  /** An earlier attempt ended without a response, so the server may know an upload whose id this device never got. */
  wasBroken: boolean
  /** Called with the id of the running upload; undefined if it cannot be resumed any more. */
  onIdChange(id: string | undefined): void
  /** Called with the number of bytes that the server already has, before anything is sent. */
  onResume(offset: number): void
}

/**
 * Sends one file in chunks (contract/compatibility.md#uploads-in-pieces). Resumes an earlier upload of it.
 *
 * @throws ApiProblem as `upload` does; `request.cut` when the server no longer knows the upload, which can then be
 * started again.
 */
export async function uploadResumable(upload: ResumableUpload): Promise<void> {
  const { path, body, knownId, onIdChange } = upload
  let position = knownId === undefined ? undefined : await find(upload, knownId)
  const wasKnown = position !== undefined
  position ??= await beginOrReplace(upload)
  onIdChange(position.id)
  upload.onResume(position.offset)
  try {
    do position.offset = await send(upload, position)
    while (position.offset < body.size)
  } catch (error) {
    const code = codeOf(error)
    // All bytes had arrived and the upload is finished. Only the response to the last chunk was lost.
    const isComplete = wasKnown && position.offset === body.size && code === 'upload.unknown'
    if (code === 'hook.after') onIdChange(undefined) // the file is complete: there is nothing to resume
    if (!isComplete) throw code === 'upload.unknown' ? lost(path) : error
  }
  onIdChange(undefined)
}

/**
 * Cancels an upload: the server deletes the bytes received. If this call fails, the server does so after a day.
 *
 * @param id undefined: the upload to `path` that this session began
 */
export async function cancelUpload(path: string, id: string | undefined): Promise<void> {
  const signal = new AbortController().signal
  const more = id === undefined ? {} : { 'Upload-Id': id }
  const address = addressOf('/api/tus/*', { '*': path })
  await transmit({ method: 'DELETE', address, more, signal }).catch(() => undefined)
}

interface Position {
  id: string
  /** Bytes that the server has. */
  offset: number
}

/** Begins an upload. If only the response to an earlier attempt was lost, replaces the upload that it began. */
async function beginOrReplace(upload: ResumableUpload): Promise<Position> {
  try {
    return await begin(upload)
  } catch (error) {
    if (!upload.wasBroken || codeOf(error) !== 'upload.running') throw error
    await cancelUpload(upload.path, undefined)
    return begin(upload)
  }
}

async function begin({ path, body, override, signal }: ResumableUpload): Promise<Position> {
  const address = addressOf('/api/tus/*', { '*': path }, { override: String(override) })
  const modified = modifiedMs(body)
  const more = {
    'Upload-Length': String(body.size),
    ...(modified !== undefined && { 'Upload-Metadata': `mtime ${btoa(String(modified))}` }),
  }
  const response = await transmit({ method: 'POST', address, more, signal })
  return { id: response.getResponseHeader('Upload-Id') ?? '', offset: 0 }
}

/** The offset of the upload; undefined if there is none with this id and length. */
async function find({ path, body, signal }: ResumableUpload, id: string): Promise<Position | undefined> {
  try {
    const address = addressOf('/api/tus/*', { '*': path })
    const response = await transmit({ method: 'GET', address, more: { 'Upload-Id': id }, signal })
    const isIt =
      response.getResponseHeader('Upload-Id') === id &&
      Number(response.getResponseHeader('Upload-Length')) === body.size
    return isIt ? { id, offset: Number(response.getResponseHeader('Upload-Offset')) } : undefined
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}

/** Sends the next chunk, a smaller one if it is refused as too large. Returns the offset of the following one. */
async function send(upload: ResumableUpload, start: Position): Promise<number> {
  for (;;) {
    const { offset } = start
    const piece = upload.body.slice(offset, offset + chunkSizeFor(upload.chunkSize))
    try {
      await sendPiece(upload, start, piece)
      return offset + piece.size
    } catch (error) {
      if (!isTooLarge(error) || !halveChunkSize(piece.size)) throw error
    }
  }
}

function codeOf(error: unknown): FailureCode | undefined {
  return error instanceof ApiProblem ? error.code : undefined
}

/** Whether the body of a call was refused for its size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 413
}

async function sendPiece(
  { path, body, signal, onProgress, onOperation }: ResumableUpload,
  { id, offset }: Position,
  piece: Blob,
) {
  await transmit({
    method: 'PATCH',
    address: addressOf('/api/tus/*', { '*': path }),
    more: {
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
      'Upload-Id': id,
    },
    body: piece,
    signal,
    onProgress: (sent) => onProgress(offset + sent),
    // Only the last piece changes a file.
    ...(offset + piece.size >= body.size && { onOperation }),
  })
}

function lost(path: string): ApiProblem {
  return new ApiProblem(404, 'request.cut', `the upload to ${path} is no longer known`)
}
