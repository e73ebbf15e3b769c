import { read } from 'node:fs'
import { promisify } from 'node:util'
import { createSpeedCheck } from '#src/core/threads/fast-connection.ts'
import { acquireBuffer, discardBuffer, largeBytes, releaseBuffer } from '#src/files/reading/buffer-pool.ts'
import type { ContentSink } from './formats/writer.ts'
import type { ThreadReaders } from './thread-readers.ts'

const readAt = promisify(read)

/** How a file is read. */
interface ReadOptions {
  signal: AbortSignal
  readers: ThreadReaders
}

/**
 * Passes the first `size` bytes of an open file to `sink`, in pieces. The next piece is read meanwhile: of a large file
 * with a checksum by a thread, while the client is fast. If the file ends early, the rest is filled with zeros, so that the
 * announced size is kept.
 *
 * @returns the number of bytes that were filled with zeros
 * @throws what the sink throws, the signal's reason, or the system's error.
 */
export async function readThrough(
  { fd, size }: { fd: number; size: number },
  sink: ContentSink,
  { signal, readers }: ReadOptions,
): Promise<number> {
  let position = 0
  let missing = 0
  const isFast = createSpeedCheck(size)
  const load = async (): Promise<Piece | undefined> => {
    const length = Math.min(largeBytes, size - position)
    if (length === 0) return undefined
    const piece = lend(length)
    try {
      missing += await fill(fd, piece.bytes, position)
    } catch (error) {
      piece.giveBack()
      throw error
    }
    position += length
    return piece
  }
  const send = async (piece: Piece) => {
    if (signal.aborted) piece.giveBack()
    signal.throwIfAborted()
    await sink.write(piece.bytes).catch((error: unknown) => {
      // After an error the system may still be reading from this buffer, so it is not reused.
      piece.writeOff()
      throw error
    })
    piece.giveBack()
  }
  /** A thread for the rest of the file, if the sink wants its checksum and the client is fast. */
  const threadFor = ({ checksum }: ContentSink) =>
    checksum !== undefined && missing === 0 && isFast(position) ? readers.take() : undefined
  let ahead = ignoreRejection(load())
  try {
    for (;;) {
      const piece = await ahead
      if (!piece) return missing
      using thread = threadFor(sink)
      if (!thread) ahead = ignoreRejection(load())
      await send(piece)
      if (!thread) continue
      const { checksum = 0 } = sink
      position = await thread.read({ file: fd, from: position, to: size, checksum }, sink)
      ahead = ignoreRejection(load())
    }
  } finally {
    // The caller closes the file as soon as this ends, so wait for the running read.
    await ahead.then(
      (piece) => piece?.giveBack(),
      () => undefined,
    )
  }
}

interface Piece {
  bytes: Buffer
  giveBack(): void
  writeOff(): void
}

function lend(length: number): Piece {
  const large = acquireBuffer()
  if (!large) return { bytes: Buffer.allocUnsafeSlow(length), giveBack() {}, writeOff() {} }
  let isLent = true
  const end = (how: () => void) => () => {
    if (isLent) how()
    isLent = false
  }
  return {
    bytes: large.subarray(0, length),
    giveBack: end(() => releaseBuffer(large)),
    writeOff: end(discardBuffer),
  }
}

/** Reads into `bytes` and fills the rest with zeros. Returns the number of missing bytes. */
async function fill(fd: number, bytes: Buffer, position: number): Promise<number> {
  let got = 0
  while (got < bytes.length) {
    const { bytesRead } = await readAt(fd, bytes, got, bytes.length - got, position + got)
    if (bytesRead === 0) break
    got += bytesRead
  }
  bytes.fill(0, got)
  return bytes.length - got
}

// A failed read-ahead throws when it is awaited. Until then its rejection must not end the process.
function ignoreRejection<T>(ahead: Promise<T>): Promise<T> {
  ahead.catch(() => undefined)
  return ahead
}
