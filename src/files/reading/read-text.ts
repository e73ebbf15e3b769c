import { isUtf8 } from 'node:buffer'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import { onPath } from '#src/core/problem.ts'
import { looksBinary, maxTextBytes, sampleBytes, typeByName } from '#src/files/listing/entry.ts'
import { smallFileBytes } from '#src/files/paths/local-calls.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { nameOf } from '#src/files/paths/user-path.ts'
import { smallTextBytes } from '#src/files/space/memory-budget.ts'
import { openReadable, type ReadableFile } from './readable-file.ts'

/**
 * Returns the type of a held file, by its name and its first bytes, and its content if it is text of at most 10 MiB. An
 * unreadable or special file is a `blob`.
 *
 * @param reserveMemory called before a text of more than 256 KiB is read
 * @throws the error of `reserveMemory`.
 */
export async function readText(
  held: OpenPath,
  reserveMemory: (bytes: number) => Promise<unknown>,
): Promise<{ type: ResourceType; content?: string }> {
  const typeOfName = typeByName(nameOf(held.path))
  if (!held.stats.isFile()) return { type: 'blob' }
  if (typeOfName && typeOfName !== 'text' && typeOfName !== 'blob') return { type: typeOfName }
  if (held.stats.size > maxTextBytes) return { type: 'blob' }
  const file = await openReadable(held).catch(() => undefined) // unreadable files are shown without their text
  if (file === undefined) return { type: 'blob' }
  try {
    const { size } = held.stats
    const first = Buffer.allocUnsafe(size <= smallTextBytes ? size : sampleBytes)
    const { bytesRead } = await file.read(first, 0, size <= smallFileBytes ? size : sampleBytes, 0)
    if (looksBinary(first.subarray(0, Math.min(bytesRead, sampleBytes)))) return { type: 'blob' }
    const bytes = await readRest(file, await whole(first, size, reserveMemory), bytesRead)
    // If the text had replacement characters, an editor would destroy the original bytes on saving.
    return isUtf8(bytes) ? { type: 'text', content: bytes.toString('utf8') } : { type: 'blob' }
  } catch (error) {
    return onPath(held.asked)(error)
  } finally {
    await file.close()
  }
}

/** A buffer for the whole file. It begins with the bytes that were read already. */
async function whole(
  first: Buffer,
  size: number,
  reserveMemory: (bytes: number) => Promise<unknown>,
): Promise<Buffer> {
  if (first.length === size) return first
  await reserveMemory(size)
  const buffer = Buffer.allocUnsafe(size)
  first.copy(buffer)
  return buffer
}

/** Fills `buffer` from `from` on, and returns it without what a file that has become shorter does not have. */
export async function readRest(file: ReadableFile, buffer: Buffer, from: number): Promise<Buffer> {
  let filled = from
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled)
    if (bytesRead === 0) break // truncated in the meantime: the text ends here
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
