import { read } from 'node:fs'
import { promisify } from 'node:util'
import { borrow, giveBack, largeBytes, writeOff } from '#src/files/reading/buffer-pool.ts'

const readAt = promisify(read)

/**
 * Hands the first `size` bytes of an open file to `take`, in order, in pieces of memory that is used again as soon as
 * `take` is done with one. The next piece is read meanwhile. Where the file ends early, zeros follow, so that whatever
 * announced its size stays true.
 *
 * @returns how many bytes were made up.
 * @throws what `take` throws, the signal's reason, or the system's error.
 */
export async function readThrough(
  { fd, size }: { fd: number; size: number },
  take: (piece: Buffer) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  let position = 0
  let missing = 0
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
  let ahead = quiet(load())
  try {
    for (;;) {
      const piece = await ahead
      if (!piece) return missing
      ahead = quiet(load())
      if (signal.aborted) piece.giveBack()
      signal.throwIfAborted()
      await take(piece.bytes).catch((error: unknown) => {
        // The system may still be reading from a piece whose taker gave up.
        piece.writeOff()
        throw error
      })
      piece.giveBack()
    }
  } finally {
    // The file is its owner's to close as soon as this ends, so no read may be under way.
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
  const large = borrow()
  if (!large) return { bytes: Buffer.allocUnsafeSlow(length), giveBack() {}, writeOff() {} }
  let isLent = true
  const end = (how: () => void) => () => {
    if (isLent) how()
    isLent = false
  }
  return { bytes: large.subarray(0, length), giveBack: end(() => giveBack(large)), writeOff: end(writeOff) }
}

/** Answers how many bytes were not there. A disk that fails to read is the same to the archive as a file that ends. */
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

// A read-ahead that fails is told when it is awaited; until then its failure must not end the process.
function quiet<T>(ahead: Promise<T>): Promise<T> {
  ahead.catch(() => undefined)
  return ahead
}
