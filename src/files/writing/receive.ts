import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { errnoOf, problemOf } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { type DiskRoom, takeRoom } from '#src/files/space/disk-room.ts'
import { createSink } from './sink.ts'

/** What is known of a body before it comes. */
export interface Receiving {
  /** The user's path, for problems only. */
  readonly path: string
  /** How many bytes the sender announced. */
  readonly expected?: number
  /** How many bytes are accepted at most. */
  readonly limit?: number
  /** Where in the file the body begins, in bytes; undefined: at its start. */
  readonly from?: number
  /** Told now and then up to which byte of the file the disk has everything. */
  readonly flushed?: (position: number) => void
  /** Told at the end, also a bad one, up to which byte the file was written without a gap. */
  readonly ended?: (position: number) => void
  readonly signal: AbortSignal
}

/**
 * Writes all of `body` to `file` at bounded memory, and waits until the disk has it; answers the number of bytes. `file` stays open. After a refusal what still comes is thrown away, since most senders read the
 * answer only once they have sent everything.
 *
 * @throws Problem `request.cut` when the body ends early, `request.large`, `disk.full` and what else the disk refuses;
 * the signal's reason. The file then holds a part of the body.
 */
export async function receive(body: Readable, file: FileHandle, options: Receiving): Promise<number> {
  const { path, expected, limit = Number.POSITIVE_INFINITY, signal, from, flushed, ended } = options
  const refusal = new AbortController()
  const listener = {
    room: () => void body.resume(),
    failure: (error: unknown) => refusal.abort(error),
    ...(flushed && { flushed }),
  }
  const sink = createSink(file, listener, from)
  let received = 0
  let room: DiskRoom | undefined
  const onData = (piece: Buffer) => {
    received += piece.length
    try {
      if (received > limit) throw new Problem('request.large', { limit })
      room?.count(piece.length)
    } catch (error) {
      return refusal.abort(error)
    }
    sink.push(piece)
    if (sink.isFull()) body.pause()
  }
  try {
    if (expected !== undefined && expected > limit) throw new Problem('request.large', { limit })
    // Refused before the first byte is taken: nobody sends for hours what cannot be kept.
    room = await takeRoom(file, { path, expected })
    body.on('data', onData).resume()
    await finished(body, { writable: false, signal: AbortSignal.any([signal, refusal.signal]) })
    if (expected !== undefined && received !== expected) throw new Problem('request.cut')
    await sink.end()
    return received
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw told(refusal.signal.aborted ? refusal.signal.reason : error, path)
  } finally {
    body.off('data', onData)
    room?.[Symbol.dispose]()
    await sink.stop()
    ended?.(sink.written())
    body.resume()
  }
}

function told(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown }).code
  if (code === 'ERR_STREAM_PREMATURE_CLOSE' || errnoOf(error) === 'ECONNRESET') {
    return new Problem('request.cut', {}, { cause: error })
  }
  return problemOf(error, path) ?? error
}
