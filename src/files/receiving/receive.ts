import { IncomingMessage } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { errnoOf, Problem, problemOf } from '#src/core/problem.ts'
import { createUploadMemory, type DiskReservation, takeRoom } from '#src/files/space/upload-room.ts'
import { createSink } from './sink.ts'
import { type Pieces, type WritableFile, writeAll } from './writable-file.ts'

/** What is known about a body before it is received. */
export interface ReceiveOptions {
  /** The user's path, for problems only. */
  readonly path: string
  /** How many bytes the sender announced. */
  readonly expected?: number
  /** The maximum number of bytes. */
  readonly limit?: number
  /** The offset in the file where the body starts, in bytes. Undefined: 0. */
  readonly from?: number
  /** Called when bytes have arrived that are not refused. */
  readonly arrived?: () => void
  /** Called from time to time with the offset up to which the file is flushed to the disk. */
  readonly flushed?: (position: number) => void
  /** Called at the end, also after an error, with the offset up to which the file was written without a gap. */
  readonly ended?: (position: number) => void
  readonly signal: AbortSignal
}

/**
 * Writes all of `body` to `file` with bounded memory and flushes it to the disk. Returns the number of bytes. `file`
 * stays open. After a refusal the rest of the body is read and discarded, because most clients read the response only
 * after they have sent everything.
 *
 * @throws Problem `request.cut` when the length of the body is wrong, `request.large`, `disk.full` or another
 *   problem of the disk; the signal's reason. The file then holds a part of the body.
 */
export async function receive(body: Readable, file: WritableFile, options: ReceiveOptions): Promise<number> {
  const { path, expected, limit = Number.POSITIVE_INFINITY, signal, from = 0, flushed, ended } = options
  if (options.from === undefined && isSmall(expected))
    return receiveSmall(body, file, { ...options, expected })
  const end = endOf(body, signal)
  const listener = {
    room: () => void body.resume(),
    failure: end.refuse,
    ...(flushed && { flushed }),
  }
  // The parser of HTTP copies each piece into memory of its own. Other streams may use the memory of a piece again.
  const sink = createSink(file, listener, { start: from, ownsPieces: body instanceof IncomingMessage })
  let received = 0
  let room: DiskReservation | undefined
  const count = (bytes: number) => {
    received += bytes
    if (received > limit) throw new Problem('request.large', { limit })
    room?.count(bytes)
    options.arrived?.()
  }
  const onData = (piece: Buffer) => {
    try {
      count(piece.length)
    } catch (error) {
      return end.refuse(error)
    }
    sink.push(piece)
    if (sink.isFull()) body.pause()
  }
  try {
    if (expected !== undefined && expected > limit) throw new Problem('request.large', { limit })
    // Checked before the first byte, so that a client does not upload for hours to a disk without space.
    room = await takeRoom(file, { path, expected })
    body.on('data', onData).resume()
    await end.reached
    if (expected !== undefined && received !== expected) throw new Problem('request.cut')
    await sink.end()
    return received
  } catch (error) {
    throw asReason(error, { path, signal })
  } finally {
    end.unwatch()
    body.off('data', onData)
    // An upload that can be resumed keeps everything that has arrived of a body that broke off.
    if (ended) await sink.drain()
    room?.[Symbol.dispose]()
    await sink.stop()
    ended?.(sink.written())
    body.resume()
  }
}

async function receiveSmall(
  body: Readable,
  file: WritableFile,
  options: ReceiveOptions & { expected: number },
): Promise<number> {
  const { path, expected, limit = Number.POSITIVE_INFINITY, signal } = options
  try {
    if (expected > limit) throw new Problem('request.large', { limit })
    using room = await takeRoom(file, { path, expected })
    using content = await collectSmall(body, { signal, most: expected })
    if (content?.bytes !== expected) throw new Problem('request.cut')
    return await writeSmall(content, file, room)
  } catch (error) {
    throw asReason(error, { path, signal })
  } finally {
    body.resume()
  }
}

/**
 * Writes a body that was collected before to `file`, and flushes it to the disk. Returns the number of bytes. `file` stays
 * open.
 *
 * @throws Problem `request.large`, `disk.full` or another problem of the disk; the signal's reason.
 */
export async function receiveCollected(
  content: SmallBody,
  file: WritableFile,
  { path, limit = Number.POSITIVE_INFINITY, signal }: Pick<ReceiveOptions, 'path' | 'limit' | 'signal'>,
): Promise<number> {
  try {
    if (content.bytes > limit) throw new Problem('request.large', { limit })
    using room = await takeRoom(file, { path, expected: content.bytes })
    signal.throwIfAborted()
    return await writeSmall(content, file, room)
  } catch (error) {
    throw asReason(error, { path, signal })
  }
}

async function writeSmall(content: SmallBody, file: WritableFile, room: DiskReservation): Promise<number> {
  room.count(content.bytes)
  if (content.bytes > 0) await writeAll(file, content, 0)
  await file.datasync()
  return content.bytes
}

/** Returns why a body was not received: the signal's reason, a Problem, or the error itself. */
function asReason(error: unknown, { path, signal }: Pick<ReceiveOptions, 'path' | 'signal'>): unknown {
  if (signal.aborted) return signal.reason
  const code = (error as { code?: unknown }).code
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || errnoOf(error) === 'ECONNRESET') {
    return new Problem('request.cut', {}, { cause: error })
  }
  return problemOf(error, path) ?? error
}

/** Bodies up to this size are collected, and written and flushed with one call, in bytes. */
export const smallBytes = 64 * 1024

/** Whether a body of this size is collected. Not an empty one: no write would flush its file. */
export function isSmall(bytes: number | undefined): bytes is number {
  return bytes !== undefined && bytes > 0 && bytes <= smallBytes
}

// A client may send a body byte by byte. Each piece needs about 150 bytes beside its content.
const mostPieces = 64

/** A whole body in memory. Disposing it removes it from the account of all uploads. */
export interface SmallBody extends Pieces, Disposable {}

const tooLong = new Error('the body is not small')

/**
 * Collects a body. Undefined for one that is longer than `most` bytes: it is paused, and what was read is put back.
 *
 * @throws the signal's reason, or the error of the body.
 */
export async function collectSmall(
  body: Readable,
  { signal, most = smallBytes }: { signal: AbortSignal; most?: number },
): Promise<SmallBody | undefined> {
  const share = createUploadMemory()
  const end = endOf(body, signal)
  const pieces: Buffer[] = []
  let bytes = 0
  const release = () => share.count(-bytes)
  const onData = (piece: Buffer) => {
    pieces.push(piece)
    bytes += piece.length
    share.count(piece.length)
    if (pieces.length > mostPieces) pieces.splice(0, pieces.length, Buffer.concat(pieces))
    if (bytes <= most) return
    // Not later: a stream that has ended refuses `unshift`.
    body.off('data', onData).pause().unshift(Buffer.concat(pieces))
    end.refuse(tooLong)
  }
  body.on('data', onData).resume()
  try {
    await end.reached
    return { pieces, bytes, [Symbol.dispose]: release }
  } catch (error) {
    release()
    if (error !== tooLong) throw error
    return undefined
  } finally {
    end.unwatch()
    body.off('data', onData)
  }
}

/**
 * Watches for the end of a body. `reached` rejects when the body fails, with the reason of the signal, or with the error
 * that was given to `refuse`. The caller calls `unwatch`. Each small file needs this. `AbortSignal.any` would cost more,
 * because it creates weak references.
 */
export function endOf(body: Readable, signal: AbortSignal) {
  const { promise: reached, resolve, reject } = Promise.withResolvers<void>()
  reached.catch(() => {}) // an error before the caller waits for it
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  let isOver = false
  const unlisten = finished(body, { writable: false }, (error) => {
    isOver = true
    if (error) reject(asSenderFault(error))
    else resolve()
  })
  const unwatch = () => {
    signal.removeEventListener('abort', onAbort)
    // A body that is over may still report an error, which needs a listener.
    if (!isOver) unlisten()
  }
  return { reached, refuse: reject, unwatch }
}

/** The parser of forms reports a form that was cut off as a plain error. */
function asSenderFault(error: Error & { code?: unknown }): Error {
  const isPlain = error.name === 'Error' && error.code === undefined && !(error instanceof Problem)
  return isPlain ? new Problem('request.cut', {}, { cause: error }) : error
}
