import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { open, readlinkSync } from '#src/files/paths/disk.ts'
import type { OpenPath } from '#src/files/paths/scope.ts'

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
