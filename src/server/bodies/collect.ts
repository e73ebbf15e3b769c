import type { Readable } from 'node:stream'
import { Problem } from '#src/core/problem.ts'
import type { BodyMemory } from './body-room.ts'

/** The options for reading a body. */
export interface BodyReadOptions {
  /** The maximum size, in bytes. */
  limit: number
  /** The time within which it must be complete, in milliseconds. */
  withinMs: number
  memory: BodyMemory
  /** The sender of the body: a user or a network. */
  sender: string
}

const firstBytes = 1024

/**
 * Reads a body completely, as UTF-8. Uses one buffer that grows, so that the body needs exactly the memory that it
 * counts, even if it arrives in many small chunks. When it is refused, the memory is released at once and the rest is
 * discarded.
 *
 * @throws Problem `request.large`, `request.slow`, `request.cut`, `server.busy`.
 */
export function readBody(
  stream: Readable,
  { limit, withinMs, memory: room, sender: who }: BodyReadOptions,
): Promise<string> {
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
    const onData = (chunk: Buffer) => {
      try {
        bytes = grown(bytes, length + chunk.length, { limit, hold })
        length += chunk.copy(bytes, length)
      } catch (error) {
        fail(error)
      }
    }
    const onEnd = () => end(() => resolve(bytes.toString('utf8', 0, length)))
    const onClose = () => fail(new Problem('request.cut'))
    const timer = setTimeout(() => fail(new Problem('request.slow')), withinMs)
    const hold = room.openAccount(who, fail)
    stream.on('data', onData).on('end', onEnd).on('error', fail).on('close', onClose)
  })
}

/** Returns a buffer for `length` bytes with the content of `bytes`. @throws Problem `request.large`, `server.busy`. */
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
