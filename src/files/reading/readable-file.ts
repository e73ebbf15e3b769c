import { close, closeSync, constants, read, readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { onPath, Problem } from '#src/core/problem.ts'
import { open, openDescriptor, openSync, readlinkSync } from '#src/files/paths/disk.ts'
import { callNow, isWarm, noteRead } from '#src/files/paths/local-calls.ts'
import { isLocal } from '#src/files/paths/remote-mounts.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'

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
 * was read just now is opened, read and closed without the thread pool (`files/paths/local-calls.ts`).
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

/**
 * Fills `bytes` from `position` on. pread(2) may return fewer bytes than requested before the end of the file: network
 * and FUSE file systems do.
 *
 * @throws an error when the file ends before.
 */
export async function fill(file: ReadableFile, bytes: Buffer, position: number): Promise<void> {
  for (let filled = 0; filled < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, position + filled)
    if (bytesRead === 0) throw new Error('the file became shorter while it was being sent')
    filled += bytesRead
  }
}

/**
 * Opens a regular file that `openPath` returned, for reading.
 *
 * @throws Problem `path.folder`, `path.special`, `path.denied`.
 */
export async function openHeld(held: OpenPath): Promise<FileHandle> {
  refuseIrregular(held)
  return open(held.address, forReading).catch(onPath(held.asked))
}

// O_NONBLOCK: on systems other than Linux a pipe may have replaced the file in the meantime. Never blocks on it.
export const forReading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** @throws Problem `path.folder`, `path.special`. */
export function refuseIrregular({ stats, asked: path }: OpenPath): void {
  if (stats.isDirectory()) throw new Problem('path.folder', { path })
  if (!stats.isFile()) throw new Problem('path.special', { path })
}

/**
 * Whether a held file or folder has been neither deleted nor moved since it was opened. Always true on systems other
 * than Linux: there, its address is its path, and the next system call on it fails.
 */
export function isStillThere({ address, real }: OpenPath): boolean {
  return process.platform !== 'linux' || readlinkSync(address) === real
}
