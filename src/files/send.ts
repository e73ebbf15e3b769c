import type { FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { borrow, giveBack, largeBytes, writeOff } from './buffer-pool.ts'
import { readerOf } from './departure.ts'

// A thousand slow readers cost one of these each.
const smallBytes = 64 * 1024
// A reader that takes a buffer within this time keeps up: 64 KiB are then more than 1 MB/s, 512 KiB more than 10.
const promptMs = 50

/** Bytes in memory on their way out. `owned` tells that `buffer` belongs to the common pool. */
interface Chunk {
  readonly buffer: Buffer
  readonly length: number
  readonly pooled: boolean
}

/**
 * Sends the bytes `[range.start, range.end)` of `file` to `out` and leaves both open. Reads ahead while it writes as
 * long as the reader keeps up; a slow one holds a single small buffer. `out` must have let go of a chunk when it calls
 * back, as sockets and HTTP replies do: its memory is used again.
 *
 * @throws the signal's reason; the stream's error or `ECONNRESET` when the reader leaves; an error when the file ends
 * before the range does. Some bytes may then be out already, so the only honest end is to cut the connection.
 */
export async function send(
  file: FileHandle,
  range: { start: number; end: number },
  out: Writable,
  signal: AbortSignal,
): Promise<void> {
  const reader = readerOf(out, signal)
  const small = new SmallBuffer()
  let position = range.start
  let ahead: Promise<Chunk> | undefined
  try {
  } finally {
    reader.release()
  }
}
