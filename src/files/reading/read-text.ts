import { isUtf8 } from 'node:buffer'
import { close, read } from 'node:fs'
import { promisify } from 'node:util'
import type { ResourceType } from '#contract/resources.ts'
import { onPath } from '#src/core/errno.ts'
import { looksBinary, mostText, sampleSize, typeByName } from '#src/files/listing/media-type.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { nameOf } from '#src/files/paths/user-path.ts'
import { smallText } from '#src/files/space/memory-budget.ts'
import { openHeldDescriptor } from './open-held.ts'

/**
 * What a held file is, by its name and its first bytes, and its text when it is text of at most 10 MiB. An unreadable
 * or special file is a `blob`.
 *
 * @throws what `room` does for a text of more than 256 KiB.
 */
export async function readText(
  held: OpenPath,
  room: (bytes: number) => Promise<unknown>,
): Promise<{ type: ResourceType; content?: string }> {
  const named = typeByName(nameOf(held.path))
  if (!held.stats.isFile()) return { type: 'blob' }
  if (named && named !== 'text' && named !== 'blob') return { type: named }
  if (held.stats.size > mostText) return { type: 'blob' }
  const file = await openHeldDescriptor(held).catch(() => undefined) // may not be read: shown all the same, without its text
  if (file === undefined) return { type: 'blob' }
  try {
    const { size } = held.stats
    const first = Buffer.allocUnsafe(size <= smallText ? size : sampleSize)
    const { bytesRead } = await readAt(file, first, 0, Math.min(sampleSize, size), 0)
    if (looksBinary(first.subarray(0, bytesRead))) return { type: 'blob' }
    const bytes = await readRest(file, await whole(first, size, room), bytesRead)
    // An editor that saved replacement characters would destroy what it could not show.
    return isUtf8(bytes) ? { type: 'text', content: bytes.toString('utf8') } : { type: 'blob' }
  } catch (error) {
    return onPath(held.asked)(error)
  } finally {
    await closeDescriptor(file)
  }
}

const readAt = promisify(read)
const closeDescriptor = promisify(close)

/** A buffer for the whole file that begins with what was read. */
async function whole(
  first: Buffer,
  size: number,
  room: (bytes: number) => Promise<unknown>,
): Promise<Buffer> {
  if (first.length === size) return first
  await room(size)
  const buffer = Buffer.allocUnsafe(size)
  first.copy(buffer)
  return buffer
}

async function readRest(file: number, buffer: Buffer, from: number): Promise<Buffer> {
  let filled = from
  while (filled < buffer.length) {
    const { bytesRead } = await readAt(file, buffer, filled, buffer.length - filled, filled)
    if (bytesRead === 0) break // it was cut short meanwhile: what is there is the text
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
