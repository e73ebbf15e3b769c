import { closeSync, constants, fsyncSync } from 'node:fs'
import { lazyLibc } from '#src/core/libc.ts'
import { errnoOf } from '#src/core/problem.ts'
import { openSync } from '#src/files/paths/disk.ts'
import type { Address } from './descent.ts'

const load = lazyLibc({ syncfs: { arguments: ['int32'], return: 'int32' } })

/**
 * Flushes everything that was written to the disk of a folder, with one call: for many small files this is much faster
 * than a flush of each. Synchronous, for worker threads.
 *
 * @returns false when the system has no such call, or when it failed
 */
export function flushDisk(folder: Address): boolean {
  const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants
  const libc = load()
  if (!libc) return false
  const fd = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    return libc.syncfs(fd) === 0
  } finally {
    closeSync(fd)
  }
}

/** Flushes a file or folder, as far as it can be opened. Does nothing on Windows. Synchronous, for worker threads. */
export function flushEntry(address: Address): void {
  if (process.platform === 'win32') return
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  let fd: number
  try {
    fd = openSync(address, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    // A copy may have permission bits with which its owner cannot read it.
    if (errnoOf(error) === 'EACCES') return
    throw error
  }
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
