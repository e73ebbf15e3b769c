import type { Readable } from 'node:stream'
import { Problem } from '#src/core/problem.ts'
import type { BodyRoom } from './body-room.ts'

/** How a body is collected. */
export interface Collecting {
  /** Bytes that it may have. */
  limit: number
  /** Milliseconds until it has to be there. */
  withinMs: number
  room: BodyRoom
  /** Whose body it is: a user or a network. */
  who: string
}

const firstBytes = 1024

/**
 * Reads a body whole, as UTF-8. It grows in one piece of memory, so that it costs what it counts, however small the
 * pieces are in which it comes; when it is refused, that memory is given back at once and the rest is thrown away.
 *
 * @throws Problem `request.large`, `request.slow`, `request.cut`, `server.busy`.
 */
export function collect(stream: Readable, { limit, withinMs, room, who }: Collecting): Promise<string> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    let length = 0
    const end = (settle: () => void) => {
      clearTimeout(timer)
      stream.off('data', onData).off('end', onEnd).off('error', fail).off('close', onClose)
      hold[Symbol.dispose]()
      settle()
      bytes = Buffer.alloc(0)
    }
    const fail = (error: unknown) => {
      end(() => reject(error))
      if (!stream.destroyed) stream.resume()
    }
    const onData = (piece: Buffer) => {
      try {
        bytes = grown(bytes, length + piece.length, { limit, hold })
        length += piece.copy(bytes, length)
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = () => end(() => resolve(bytes.toString('utf8', 0, length)))
    const onClose = () => fail(new Problem('request.cut'))
    const timer = setTimeout(() => fail(new Problem('request.slow')), withinMs)
    const hold = room.hold(who, fail)
    stream.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose)
  })
}

/** Memory for `length` bytes that begins with what is there. @throws Problem `request.large`, `server.busy`. */
function grown(
  bytes: Buffer,
  length: number,
  { limit, hold }: { limit: number; hold: { grow(bytes: number): void } },
): Buffer {
  if (length > limit) throw new Problem('request.large', { limit })
  if (length <= bytes.length) return bytes
  const size = Math.min(limit, Math.max(length, 2 * bytes.length, firstBytes))
  hold.grow(size - bytes.length)
  const larger = Buffer.allocUnsafeSlow(size)
  bytes.copy(larger)
  return larger
}
