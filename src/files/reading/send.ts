import type { Writable } from 'node:stream'
import { acquireBuffer, discardBuffer, releaseBuffer } from './buffer-pool.ts'
import { fill, type ReadableFile } from './readable-file.ts'
import { createChunkWriter } from './reader.ts'

// Each slow client needs one of these.
const smallBytes = 64 * 1024
// A client that takes a buffer within this time keeps up: 1.3 MB/s with a small buffer, 10 MB/s with a large one.
const promptMs = 50

/** The next bytes of the file; `large` is the large buffer that contains them, if any. */
interface Chunk {
  readonly bytes: Buffer
  readonly large: Buffer | undefined
}

/**
 * Sends the bytes `[range.start, range.end)` of `file` to `out` and leaves both open. Reads ahead into a second large
 * buffer while the client keeps up; a slow client uses one small buffer. `out` must not use a chunk after it has called
 * back, as sockets and HTTP responses do: the memory is used again.
 *
 * @throws the reason of the signal; the error of the stream, or `ECONNRESET`, when the client disconnects; an error
 * when the file ends before the range does. Some bytes may have been sent by then, so the caller must close the
 * connection.
 */
export async function send(
  file: ReadableFile,
  range: { start: number; end: number },
  out: Writable,
  signal: AbortSignal,
): Promise<void> {
  const reader = createChunkWriter(out, signal)
  const load = loader(file, range)
  let writing: Chunk | undefined
  let ahead: Promise<Chunk> | undefined
  let keepsUp = false
  try {
    for (;;) {
      writing = await (ahead ?? load(keepsUp))
      ahead = undefined
      if (writing.bytes.length === 0) return
      const begun = performance.now()
      const written = reader.write(writing.bytes)
      // Only with a large buffer: there is only one small buffer, and it may be the one that is being written.
      if (writing.large) ahead = handled(load(true))
      await written
      release(writing)
      writing = undefined
      keepsUp = performance.now() - begun < promptMs
    }
  } finally {
    reader.unwatch()
    // The system may still be reading from the buffer of an aborted write.
    if (writing?.large) discardBuffer()
    // The caller may close the file as soon as this function ends, so no read may be pending.
    if (ahead) await ahead.then(release, () => undefined)
  }
}

function loader(file: ReadableFile, range: { start: number; end: number }) {
  let position = range.start
  let small: Buffer | undefined
  return async (keepsUp: boolean): Promise<Chunk> => {
    const left = range.end - position
    const large = keepsUp && left > smallBytes ? acquireBuffer() : undefined
    small ??= Buffer.allocUnsafeSlow(Math.min(smallBytes, left))
    const buffer = large ?? small
    const bytes = buffer.subarray(0, Math.min(buffer.length, left))
    try {
      await fill(file, bytes, position)
    } catch (error) {
      if (large) releaseBuffer(large)
      throw error
    }
    position += bytes.length
    return { bytes, large }
  }
}

function release(chunk: Chunk): void {
  if (chunk.large) releaseBuffer(chunk.large)
}

// A failed read-ahead is reported when it is awaited. Until then it must not be an unhandled rejection.
function handled(ahead: Promise<Chunk>): Promise<Chunk> {
  ahead.catch(() => undefined)
  return ahead
}
