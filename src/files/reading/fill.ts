import { setImmediate as immediate } from 'node:timers/promises'
import { smallFileBytes } from '#src/files/paths/warm-files.ts'
import { readCached } from './cached-read.ts'
import type { ReadableFile } from './readable-file.ts'

/**
 * Fills `bytes` from `position` on.
 *
 * @throws an error when the file ends before.
 */
export async function fill(
  file: Pick<ReadableFile, 'fd' | 'read'>,
  bytes: Buffer,
  position: number,
): Promise<void> {
  if ((await readUpTo(file, bytes, position)) < bytes.length)
    throw new Error('the file became shorter while it was being sent')
}

/**
 * Fills `bytes` from `position` on, and returns how many bytes there are before the end of the file. What is in the page
 * cache is read without the thread pool: a busy machine needs milliseconds to switch threads. pread(2) may return fewer bytes
 * than requested before the end of the file: network and FUSE file systems do.
 */
export async function readUpTo(
  file: Pick<ReadableFile, 'fd' | 'read'>,
  bytes: Buffer,
  position: number,
): Promise<number> {
  let filled = 0
  if (bytes.length > smallFileBytes) {
    filled = readCached(file.fd, bytes, position)
    // A client that takes all bytes at once would not leave the event loop to others.
    if (filled === bytes.length) await immediate()
  }
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
