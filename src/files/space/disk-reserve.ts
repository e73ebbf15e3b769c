/** The size of a file system, as statfs(2) returns it. */
interface DiskSize {
  blocks: number
  bavail: number
  bsize: number
}

// The disk space that uploads, copies and caches leave free: this much, or one percent of a small disk.
const maxReserveBytes = 64 * 1024 * 1024

/** The bytes of a disk that uploads, copies and caches leave free. */
export function reserveOf({ blocks, bsize }: DiskSize): number {
  return Math.min(maxReserveBytes, Math.floor((blocks * bsize) / 100))
}

/** The bytes that may be written before only the reserve is left; undefined for disks that do not report their size. */
export function freeBeyondReserve(disk: DiskSize): number | undefined {
  // Some network disks do not report their size.
  if (disk.blocks === 0) return undefined
  return disk.bavail * disk.bsize - reserveOf(disk)
}
