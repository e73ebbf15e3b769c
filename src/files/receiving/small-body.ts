import type { Readable } from 'node:stream'
import { createUploadMemory } from '#src/files/space/upload-memory.ts'
import type { Batch } from './batch.ts'
import { endOf } from './body-end.ts'

/** Bodies up to this size are collected, and written and flushed with one call, in bytes. */
export const smallBytes = 64 * 1024

/** Whether a body of this size is collected. Not an empty one: no write would flush its file. */
export function isSmall(bytes: number | undefined): bytes is number {
  return bytes !== undefined && bytes > 0 && bytes <= smallBytes
}

// A client may send a body byte by byte. Each piece needs about 150 bytes beside its content.
const mostPieces = 64

/** A whole body in memory. Disposing it removes it from the account of all uploads. */
export interface SmallBody extends Batch, Disposable {}

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
