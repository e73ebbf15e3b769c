import { ApiProblem, addressOf, api, type FailureCode } from './client.ts'
import { halve, pieceSize } from './piece-size.ts'
import { transmit, type Upload } from './upload.ts'

/** An upload in pieces: how large they are, and what this device remembers of it. */
export interface InPieces extends Upload {
  /** Size of a piece in bytes; pieces are smaller after a proxy has refused this size. */
  chunkSize: number
  /** The id of the upload that was begun with this very file; undefined: there is none. */
  known: string | undefined
  /** Told the id of the upload that is under way; undefined: there is none to go on with any more. */
  onKnown(id: string | undefined): void
  /** Told how many bytes had come before anything is sent now. */
  onResume(offset: number): void
}

/**
 * Sends one file in pieces (contract/compatibility.md#uploads-in-pieces), from where an earlier upload of it stopped.
 *
 * @throws ApiProblem as `upload` does; `request.cut` when the server knows nothing of the upload any more: then it can be
 * begun anew.
 */
export async function uploadInPieces(upload: InPieces): Promise<void> {
  const { path, body, known, onKnown } = upload
  let at = known === undefined ? undefined : await find(upload, known)
  const wasKnown = at !== undefined
  at ??= await begin(upload)
  onKnown(at.id)
  upload.onResume(at.offset)
  try {
    do at.offset = await send(upload, at)
    while (at.offset < body.size)
  } catch (error) {
    const code = codeOf(error)
    // All had come, and there is nothing to finish: the answer to the last piece was lost on its way.
    const isThere = wasKnown && at.offset === body.size && code === 'upload.unknown'
    if (code === 'hook.after') onKnown(undefined) // the file is whole: there is nothing to go on with
    if (!isThere) throw code === 'upload.unknown' ? lost(path) : error
  }
  onKnown(undefined)
}

/** Gives an upload up: the server throws away what has come. Where that fails, the server does so after a day. */
export async function giveUp(path: string): Promise<void> {
  await api('DELETE /api/tus/*', { params: { '*': path } }).catch(() => undefined)
}

interface Place {
  id: string
  /** Bytes that the server has. */
  offset: number
}

async function begin({ path, body, override, signal }: InPieces): Promise<Place> {
  const address = addressOf('/api/tus/*', { '*': path }, { override: String(override) })
  const more = { 'Upload-Length': String(body.size) }
  const header = await transmit({ method: 'POST', address, more, signal })
  return { id: header('Upload-Id') ?? '', offset: 0 }
}

/** How far the upload is; undefined when there is none of this id and length. */
async function find({ path, body, signal }: InPieces, id: string): Promise<Place | undefined> {
  try {
    const address = addressOf('/api/tus/*', { '*': path })
    const header = await transmit({ method: 'GET', address, more: { 'Upload-Id': id }, signal })
    const isIt = header('Upload-Id') === id && Number(header('Upload-Length')) === body.size
    return isIt ? { id, offset: Number(header('Upload-Offset')) } : undefined
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}

/** Sends the next piece, a smaller one when it is refused as too large, and answers where the one after it begins. */
async function send(upload: InPieces, place: Place): Promise<number> {
  for (;;) {
    const { offset } = place
    const piece = upload.body.slice(offset, offset + pieceSize(upload.chunkSize))
    try {
      await sendPiece(upload, place, piece)
      return offset + piece.size
    } catch (error) {
      if (!isTooLarge(error) || !halve(piece.size)) throw error
    }
  }
}

function codeOf(error: unknown): FailureCode | undefined {
  return error instanceof ApiProblem ? error.code : undefined
}

/** Whether something refused the body of a call for its size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 413
}

async function sendPiece({ path, signal, onProgress }: InPieces, { id, offset }: Place, piece: Blob) {
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
  })
}

function lost(path: string): ApiProblem {
  return new ApiProblem(404, 'request.cut', `the upload to ${path} is no longer known`)
}
