import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

const pieceBytes = 256 * 1024

/** Reads an open file and hashes it. Each piece is valid until the next one. */
export function hashedContent(file: Pick<FileHandle, 'read'>) {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(pieceBytes)
  let hashed = 0

  /** Reads from an offset to the end, and hashes what was not read before. */
  async function* from(start: number): AsyncGenerator<Buffer> {
    for (let at = start; ; ) {
      const { bytesRead } = await file.read(buffer, 0, pieceBytes, at)
      if (bytesRead === 0) return
      const piece = buffer.subarray(0, bytesRead)
      const end = at + bytesRead
      if (end > hashed) hash.update(piece.subarray(hashed - at))
      hashed = Math.max(hashed, end)
      at = end
      yield piece
    }
  }

  return {
    /** The pieces from the beginning. */
    pieces: () => from(0),
    /** Reads the rest. Returns the number of bytes of the file and their SHA-256 in hexadecimal digits. */
    async facts(signal: AbortSignal): Promise<{ size: number; sha256: string }> {
      for await (const _piece of from(hashed)) signal.throwIfAborted()
      return { size: hashed, sha256: hash.digest('hex') }
    },
  }
}
