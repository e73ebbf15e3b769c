import { constants, open as openFile, readlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import type { Held } from './jail.ts'

const openDescriptor = promisify(openFile)

/**
 * Opens a held regular file for reading.
 *
 * @throws Problem `path.folder`, `path.special`, `path.denied`.
 */
export async function openHeld(held: Held): Promise<FileHandle> {
  refuseIrregular(held)
  return open(held.address, forReading).catch(onPath(held.asked))
}

/** As `openHeld`, for one short read: a plain descriptor, which the caller closes. */
export async function openHeldDescriptor(held: Held): Promise<number> {
  refuseIrregular(held)
  return openDescriptor(held.address, forReading).catch(onPath(held.asked))
}

// O_NONBLOCK: on systems without descriptors' names a pipe may have taken the file's place; never wait for it.
const forReading = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

function refuseIrregular({ stats, asked: path }: Held): void {
  if (stats.isDirectory()) throw new Problem('path.folder', { path })
  if (!stats.isFile()) throw new Problem('path.special', { path })
}

/**
 * Whether a held thing is still where it was when it was held: neither deleted nor moved since. Where descriptors have no
 * names its address is its path, and whatever is done with it fails by itself.
 */
export function isStillThere({ address, real }: Held): boolean {
  return process.platform !== 'linux' || readlinkSync(address) === real
}
