import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { errnoOf, problemOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { type DiskReservation, takeRoom } from '#src/files/space/disk-room.ts'
import { endOf } from './body-end.ts'
import { createSink, writeAll } from './sink.ts'
import { collectSmall, isSmall, type SmallBody } from './small-body.ts'
import type { WritableFile } from './writable-file.ts'

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
