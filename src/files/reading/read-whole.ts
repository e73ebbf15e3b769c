import { onPath } from '#src/core/problem.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { openHeld } from './readable-file.ts'

/**
 * Returns the content of a held file of at most `maxBytes` bytes, for small files that are cached or sent in one
 * piece. Undefined when the file is larger or not a regular file.
 *
 * @throws Problem `path.denied` when it cannot be read.
 */
export async function readWhole(held: OpenPath, maxBytes: number): Promise<Buffer | undefined> {
  const { stats, asked } = held
  if (!stats.isFile() || stats.size > maxBytes) return undefined
  const file = await openHeld(held)
  try {
    const buffer = Buffer.alloc(stats.size)
    for (let filled = 0; filled < buffer.length; ) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled)
      if (bytesRead === 0) return buffer.subarray(0, filled) // truncated in the meantime
      filled += bytesRead
    }
    return buffer
  } catch (error) {
    return onPath(asked)(error)
  } finally {
    await file.close()
  }
}
