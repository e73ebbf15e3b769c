import type { FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { borrow, giveBack, writeOff } from './buffer-pool.ts'
import { readerOf } from './reader.ts'

// A thousand slow readers cost one of these each.
const smallBytes = 64 * 1024
// Who takes a buffer within this time keeps up: that is 1.3 MB/s with a small buffer, 10 MB/s with a large one.
const promptMs = 50

/** The next bytes of the file in memory; `large` is the lent buffer they lie in, if they lie in one. */
interface Chunk {
  readonly bytes: Buffer
  readonly large: Buffer | undefined
}

/**
 * Sends the bytes `[range.start, range.end)` of `file` to `out` and leaves both open. Reads ahead into a second large
 * buffer while the reader keeps up; a slow reader holds one small one. `out` must have let go of a chunk when it calls
 * back, as sockets and HTTP replies do: its memory is used again.
 *
 * @throws the signal's reason; the stream's error, or `ECONNRESET`, when the reader leaves; an error when the file ends
 * before the range does. Some bytes may be out by then, so the caller must cut the connection.
 */
export async function send(
  file: FileHandle,
  range: { start: number; end: number },
  out: Writable,
  signal: AbortSignal,
): Promise<void> {
  const reader = readerOf(out, signal)
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
      // Only beside a large buffer: there is but one small one, and it may be the one being written.
      if (writing.large) ahead = quiet(load(true))
      await written
      release(writing)
      writing = undefined
      keepsUp = performance.now() - begun < promptMs
    }
  } finally {
    reader.unwatch()
    // The system may still be reading from the buffer of a write that was given up.
    if (writing?.large) writeOff()
    // The file is its owner's to close as soon as this ends, so no read may be under way.
    if (ahead) await ahead.then(release, () => undefined)
  }
}

function loader(file: FileHandle, range: { start: number; end: number }) {
  let position = range.start
  let small: Buffer | undefined
  return async (keepsUp: boolean): Promise<Chunk> => {
    const left = range.end - position
    const large = keepsUp && left > smallBytes ? borrow() : undefined
    small ??= Buffer.allocUnsafeSlow(Math.min(smallBytes, left))
    const buffer = large ?? small
    const bytes = buffer.subarray(0, Math.min(buffer.length, left))
    try {
      await fill(file, bytes, position)
    } catch (error) {
      if (large) giveBack(large)
      throw error
    }
    position += bytes.length
    return { bytes, large }
  }
}

// pread(2) may answer less than was asked for without being at the end: network and FUSE file systems do.
async function fill(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let got = 0; got < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, got, bytes.length - got, position + got)
    if (bytesRead === 0) throw new Error('the file became shorter while it was being sent')
    got += bytesRead
  }
}

function release(chunk: Chunk): void {
  if (chunk.large) giveBack(chunk.large)
}

// A read-ahead that fails is told when it is awaited; until then its failure must not end the process.
function quiet(ahead: Promise<Chunk>): Promise<Chunk> {
  ahead.catch(() => undefined)
  return ahead
}
