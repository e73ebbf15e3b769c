import { Problem } from '#src/core/problem.ts'
import { statfs } from '#src/files/paths/disk.ts'
import { identifyOpen, type OpenedFile } from '#src/files/paths/local-calls.ts'
import { reserveOf } from './disk-reserve.ts'

/** Disk space that is reserved for a file that is being received. */
export interface DiskReservation extends Disposable {
  /** Counts received bytes. @throws Problem `disk.full` when only the reserve is left. */
  count(bytes: number): void
}

// A statfs result is used for this long, and only while it leaves this much beyond the reserve.
const refreshMs = 1000
const marginBytes = 8 * 1024 * 1024

/** The state of one disk, in bytes. */
interface Disk {
  /** The free space that the system reported, minus the bytes received since. */
  free: number
  reserve: number
  /** The bytes that running uploads have announced but not yet sent. */
  announced: number
  refreshedAt: number
}

const disks = new Map<number, Disk>()

/**
 * Reserves disk space for a file before it is received. Space that other running uploads have reserved is not
 * available. Small files count as well, because a thousand of them fill a disk. An empty file needs no space.
 *
 * @param about.path the path as the user knows it, for the error
 * @param about.expected the announced number of bytes; undefined: unknown, then only received bytes are counted
 * @throws Problem `disk.full`
 */
export async function takeRoom(
  file: OpenedFile,
  { path, expected = 0 }: { path: string; expected?: number | undefined },
): Promise<DiskReservation> {
  const refuse = () => new Problem('disk.full', { path })
  const disk = await cachedDiskOf(file, expected)
  let outstanding = disk ? expected : 0
  if (disk && expected > 0 && disk.announced + expected > disk.free - disk.reserve) throw refuse()
  if (disk) disk.announced += outstanding

  /** Queries the disk again after a while. The caller does not wait for it. */
  function refresh(cached: Disk): void {
    if (performance.now() - cached.refreshedAt < refreshMs) return
    cached.refreshedAt = performance.now()
    void diskOf(file).catch(() => undefined) // the next write reports the error of the disk
  }

  return {
    count(bytes) {
      if (!disk) return
      refresh(disk)
      const announced = Math.min(bytes, outstanding)
      outstanding -= announced
      disk.announced -= announced
      disk.free -= bytes
      if (disk.free < disk.reserve) throw refuse()
    },
    [Symbol.dispose]() {
      if (disk) disk.announced -= outstanding
      outstanding = 0
    },
  }
}

/**
 * The disk of an open file: cached if this is recent and leaves ample space for `bytes` more, otherwise queried
 * again.
 */
async function cachedDiskOf(file: OpenedFile, bytes: number): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined
  const { dev } = await identifyOpen(file)
  const cached = disks.get(dev)
  const isFresh = cached && performance.now() - cached.refreshedAt < refreshMs
  if (isFresh && cached.free - cached.announced - cached.reserve > bytes + marginBytes) return cached
  return diskOf(file)
}

/** The current state of the disk of an open file; undefined where the system does not report it. */
async function diskOf(file: OpenedFile): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined
  const [{ dev }, stats] = await Promise.all([identifyOpen(file), statfs(`/proc/self/fd/${file.fd}`)])
  const { bavail, blocks, bsize } = stats
  if (blocks === 0) return undefined // some network disks do not report their size
  const reserve = reserveOf(stats)
  const disk = disks.get(dev) ?? { free: 0, reserve, announced: 0, refreshedAt: 0 }
  disks.set(dev, Object.assign(disk, { free: bavail * bsize, reserve, refreshedAt: performance.now() }))
  return disk
}

// The memory limit of one upload, and the lower one while all uploads together use more than `crowdedBytes`.
const limitBytes = 4 * 1024 * 1024
const crowdedLimitBytes = 256 * 1024
const crowdedBytes = 64 * 1024 * 1024

let usedByAll = 0

/** The bytes of all uploads that are in memory: received but not yet written. */
export function uploadBytesInMemory(): number {
  return usedByAll
}

/** The memory account of one upload. */
export interface UploadMemory {
  /** Counts bytes that were received, or with a negative number bytes that were written. */
  count(bytes: number): void
  isFull(): boolean
  /** Whether at most half of the limit is used, so that the upload may continue to receive. */
  hasRoom(): boolean
}

/** Creates the account of one upload: 4 MiB, less while many uploads wait for the disk. */
export function createUploadMemory(): UploadMemory {
  let used = 0
  const limit = () => (usedByAll > crowdedBytes ? crowdedLimitBytes : limitBytes)
  return {
    count(bytes) {
      used += bytes
      usedByAll += bytes
    },
    isFull: () => used >= limit(),
    hasRoom: () => used <= limit() / 2,
  }
}
