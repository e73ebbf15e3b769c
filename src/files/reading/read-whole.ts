import { onPath } from '#src/core/errno.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { openHeld } from './open-held.ts'

/**
 * The bytes of a held file of at most `most` bytes, for small files that are kept or sent in one piece; undefined when it
 * is larger or no regular file.
 *
 * @throws Problem `path.denied` when it may not be read.
 */
export async function readWhole(held: OpenPath, most: number): Promise<Buffer | undefined> {
  const { stats, asked } = held
  if (!stats.isFile() || stats.size > most) return undefined
  const file = await openHeld(held)
  try {
    const buffer = Buffer.alloc(stats.size)
    for (let filled = 0; filled < buffer.length; ) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled)
      if (bytesRead === 0) return buffer.subarray(0, filled) // it was cut short meanwhile
      filled += bytesRead
    }
    return buffer
  } catch (error) {
    return onPath(asked)(error)
  } finally {
    await file.close()
  }
}
