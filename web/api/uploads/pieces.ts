import { ApiProblem, addressOf, type FailureCode } from '#web/api/client.ts'
import { modifiedMs } from './modified.ts'
import { createPieceSizes, halvePieces, type PieceSizes } from './piece-size.ts'
import { type Answer, transmit, type Upload } from './upload.ts'

/** Where the pieces of a file go, and in whose name. Asked for each request, because a session may change meanwhile. */
export interface PieceTarget {
  /** The decoded target path, for messages. */
  path: string
  address(step: 'begin' | 'continue'): string
  /** Headers besides those that every call sends. */
  headers(): Record<string, string>
  /** Called with the answer to the request that has begun an upload. */
  onBegin?(answer: Answer): void
}

/** The target of a user's own upload to `path` (decoded). `override`: replaces an existing file. */
export function ownTarget(path: string, override: boolean): PieceTarget {
  return {
    path,
    address: (step) =>
      addressOf('/api/tus/*', { '*': path }, step === 'begin' ? { override: String(override) } : {}),
    headers: () => ({}),
  }
}

/** A resumable upload: the size of its pieces, and the state stored on this device. */
export interface ResumableUpload extends Omit<Upload, 'path' | 'override'> {
  target: PieceTarget
  /** The size of a piece in the settings, in bytes. */
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

/** The last piece of each upload that broke off: where it began, its size, and how long it took. */
const broken = new Map<string, { offset: number; size: number; ms: number }>()

/** After these errors, the server has the whole file, or has refused it. */
const final: ReadonlySet<FailureCode | undefined> = new Set(['hook.after', 'scan.held', 'scan.infected'])

/**
 * Sends one file in pieces (contract/compatibility.md#uploads-in-pieces). Resumes an earlier upload of it.
 *
 * @returns the answer to the last piece. If that was lost, the answer that says that all bytes have arrived.
 * @throws ApiProblem as `upload` does; `request.cut` when the server no longer knows the upload, which can then be
 * started again.
 */
export async function uploadResumable(upload: ResumableUpload): Promise<Answer> {
  const { target, body, knownId, onIdChange } = upload
  const sizes = createPieceSizes(upload.chunkSize)
  let position = knownId === undefined ? undefined : await find(upload, knownId)
  if (position) learnFromBreak(position, sizes)
  const wasKnown = position !== undefined
  position ??= await beginOrReplace(upload)
  onIdChange(position.id)
  upload.onResume(position.offset)
  try {
    do position = await send(upload, position, sizes)
    while (position.offset < body.size)
  } catch (error) {
    const code = codeOf(error)
    // All bytes had arrived and the upload is finished. Only the response to the last chunk was lost.
    const isComplete = wasKnown && position.offset === body.size && code === 'upload.unknown'
    if (final.has(code)) onIdChange(undefined)
    if (!isComplete) throw code === 'upload.unknown' ? lost(target) : error
  }
  onIdChange(undefined)
  return position.answer
}

/**
 * Cancels an upload: the server deletes the bytes received. If this call fails, the server does so after a day.
 *
 * @param id undefined: the upload to this target that this session began
 */
export async function cancelUpload(target: PieceTarget, id: string | undefined): Promise<void> {
  const signal = new AbortController().signal
  const more = { ...target.headers(), ...(id !== undefined && { 'Upload-Id': id }) }
  const address = target.address('continue')
  await transmit({ method: 'DELETE', address, more, signal }).catch(() => undefined)
}

/**
 * A piece that makes no progress for this time is sent again, in milliseconds. The connection may be lost, which the
 * browser notices much later.
 */
const noProgressMs = 60_000

interface Position {
  id: string
  /** Bytes that the server has. */
  offset: number
  /** The last answer of the server. */
  answer: Answer
}

/** Begins an upload. If only the response to an earlier attempt was lost, replaces the upload that it began. */
async function beginOrReplace(upload: ResumableUpload): Promise<Position> {
  try {
    return await begin(upload)
  } catch (error) {
    if (!upload.wasBroken || codeOf(error) !== 'upload.running') throw error
    await cancelUpload(upload.target, undefined)
    return begin(upload)
  }
}

async function begin({ target, body, signal }: ResumableUpload): Promise<Position> {
  const address = target.address('begin')
  const modified = modifiedMs(body)
  const more = {
    ...target.headers(),
    'Upload-Length': String(body.size),
    ...(modified !== undefined && { 'Upload-Metadata': `mtime ${btoa(String(modified))}` }),
  }
  const answer = await transmit({ method: 'POST', address, more, signal })
  target.onBegin?.(answer)
  return { id: answer.getResponseHeader('Upload-Id') ?? '', offset: 0, answer }
}

/** The offset of the upload; undefined if there is none with this id and length. */
async function find({ target, body, signal }: ResumableUpload, id: string): Promise<Position | undefined> {
  try {
    const address = target.address('continue')
    const more = { ...target.headers(), 'Upload-Id': id }
    const answer = await transmit({ method: 'GET', address, more, signal })
    const isIt =
      answer.getResponseHeader('Upload-Id') === id &&
      Number(answer.getResponseHeader('Upload-Length')) === body.size
    return isIt ? { id, offset: Number(answer.getResponseHeader('Upload-Offset')), answer } : undefined
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined
    throw error
  }
}

/**
 * The server keeps what has arrived of a piece that broke off. If that is nothing, a proxy may store bodies and have a
 * limit for them, so the next pieces are smaller.
 */
function learnFromBreak({ id, offset }: Pick<Position, 'id' | 'offset'>, sizes: PieceSizes): void {
  const piece = broken.get(id)
  if (!piece) return
  broken.delete(id)
  if (offset > piece.offset) sizes.record(offset - piece.offset, piece.ms)
  else halvePieces(piece.size)
}

/** Sends the next piece, a smaller one if it is refused as too large. Returns where the following one begins. */
async function send(upload: ResumableUpload, start: Position, sizes: PieceSizes): Promise<Position> {
  for (;;) {
    const { id, offset } = start
    const piece = upload.body.slice(offset, offset + sizes.next())
    const begun = performance.now()
    let isMoving = false
    const onProgress = (sent: number) => {
      isMoving ||= sent > 0
      upload.onProgress(offset + sent)
    }
    try {
      const answer = await sendPiece({ ...upload, onProgress }, start, piece)
      sizes.record(piece.size, performance.now() - begun)
      return { id, offset: offset + piece.size, answer }
    } catch (error) {
      if (isMoving && codeOf(error) === 'network.lost')
        broken.set(id, { offset, size: piece.size, ms: performance.now() - begun })
      if (!isTooLarge(error) || !halvePieces(piece.size)) throw error
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

function sendPiece(
  { target, body, signal, onProgress, onOperation }: ResumableUpload,
  { id, offset }: Position,
  piece: Blob,
): Promise<Answer> {
  return transmit({
    method: 'PATCH',
    address: target.address('continue'),
    more: {
      ...target.headers(),
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
      'Upload-Id': id,
    },
    body: piece,
    signal,
    onProgress,
    noProgressMs,
    // Only the last piece changes a file.
    ...(offset + piece.size >= body.size && { onOperation }),
  })
}

function lost({ path }: PieceTarget): ApiProblem {
  return new ApiProblem(404, 'request.cut', `the upload to ${path} is no longer known`)
}
