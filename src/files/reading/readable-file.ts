import { close, closeSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { onPath } from '#src/core/errno.ts'
import { openDescriptor, openSync } from '#src/files/paths/disk.ts'
import { isLocal } from '#src/files/paths/remote-mounts.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'
import { callNow, isWarm, noteRead } from '#src/files/paths/warm-files.ts'
import { forReading, refuseIrregular } from './open-held.ts'

/** A file that is open for reading. A `FileHandle` of Node is one, too. */
export interface ReadableFile {
  readonly fd: number
  /** Reads up to `length` bytes at `position` into `buffer` at `offset`. */
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
  close(): Promise<void>
}

const readAt = promisify(read)
const closeDescriptor = promisify(close)

/**
 * Opens a regular file that `openPath` returned, for reading. Costs less than a `FileHandle`. A small local file that
 * was read just now is opened, read and closed without the thread pool (`warm-files.ts`).
 *
 * @param onClosed called once, when the file is closed
 * @throws Problem `path.folder`, `path.special`, `path.denied`.
 */
export async function openReadable(held: OpenPath, onClosed = () => {}): Promise<ReadableFile> {
  refuseIrregular(held)
  const { address, real, stats, asked } = held
  // Also decides about the first file of a disk that was mounted meanwhile: its state is unknown.
  const isQuick = isWarm(real, stats) && isLocal(real)
  const fd = await openNow(address, isQuick).catch(onPath(asked))
  let isClosed = false
  return {
    fd,
    async read(buffer, offset, length, position) {
      if (isQuick)
        return {
          bytesRead: callNow(() => readSync(fd, buffer, offset, length, position)),
        }
      const found = await readAt(fd, buffer, offset, length, position)
      if (position === 0 && found.bytesRead === stats.size) noteRead(real, stats)
      return found
    },
    async close() {
      if (isClosed) return
      isClosed = true
      try {
        // Nothing was written, so there is nothing to flush.
        if (isQuick) closeSync(fd)
        else await closeDescriptor(fd)
      } finally {
        onClosed()
      }
    },
  }
}

async function openNow(address: string, isQuick: boolean): Promise<number> {
  return isQuick ? callNow(() => openSync(address, forReading)) : openDescriptor(address, forReading)
}
