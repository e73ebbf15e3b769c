/** What a file system tells of its size, as statfs(2) does. */
interface DiskSize {
  blocks: number
  bavail: number
  bsize: number
}

// What uploads, copies and caches leave for everything else on the disk: so much, or on a small one a hundredth.
const mostReserve = 64 * 1024 * 1024

/** Bytes of a disk that uploads, copies and caches leave free. */
export function reserveOf({ blocks, bsize }: DiskSize): number {
  return Math.min(mostReserve, Math.floor((blocks * bsize) / 100))
}

/** Bytes that may be written before only the reserve is left; undefined for disks that do not tell their size. */
export function roomBeyondReserve(disk: DiskSize): number | undefined {
  // Some network disks say nothing about their size.
  if (disk.blocks === 0) return undefined
  return disk.bavail * disk.bsize - reserveOf(disk)
}
