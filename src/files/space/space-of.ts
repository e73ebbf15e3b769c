import type { Stats } from 'node:fs'

// Files that are smaller may be stored without blocks, and disks allocate blocks within this time.
const smallBytes = 64 * 1024
const settledAfterMs = 60_000

/**
 * The bytes that a file takes: its size, or what is allocated for a file with holes. The blocks of a file that was
 * written just now may not be allocated yet, and those of a small file are part of its inode.
 */
export function spaceOf({ size, blocks, mtimeMs }: Stats): number {
  const isSettled = Math.abs(Date.now() - mtimeMs) > settledAfterMs
  return size > smallBytes && isSettled && blocks > 0 ? Math.min(size, blocks * 512) : size
}
