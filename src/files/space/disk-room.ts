import type { FileHandle } from 'node:fs/promises'
import { Problem } from '#src/core/problem.ts'
import { statfs } from '#src/files/paths/disk.ts'
import { reserveOf } from './disk-reserve.ts'

/** Room on a disk for a file that is being received. */
export interface DiskRoom extends Disposable {
  /** Counts bytes that came. @throws Problem `disk.full` when by now only the reserve is left. */
  count(bytes: number): void
}

// The last answer of statfs is used for so long, and only while so much is left beyond the reserve.
const askAgainMs = 1000
const closeBytes = 8 * 1024 * 1024

/** What is known of one disk, in bytes. */
interface Disk {
  /** What the system says is free, less what came since. */
  free: number
  reserve: number
  /** What uploads under way have announced and not yet sent. */
  promised: number
  askedAt: number
}

const disks = new Map<number, Disk>()

/**
 * Reserves room on the disk for a file before it is received. Other uploads under way keep the room that they announced.
 * Small files count as well: a thousand of them fill a disk. An empty file takes no room.
 *
 * @param about.path the user's, for the refusal
 * @param about.expected how many bytes were announced; undefined: nobody knows, and they are looked at as they come
 * @throws Problem `disk.full`
 */
export async function takeRoom(
  file: FileHandle,
  { path, expected = 0 }: { path: string; expected?: number | undefined },
): Promise<DiskRoom> {
  const refuse = () => new Problem('disk.full', { path })
  const disk = await knownDiskOf(file, expected)
  let outstanding = disk ? expected : 0
  if (disk && expected > 0 && disk.promised + expected > disk.free - disk.reserve) throw refuse()
  if (disk) disk.promised += outstanding

  /** Asks the disk again after a while. The caller does not wait for it. */
  function ask(known: Disk): void {
    if (performance.now() - known.askedAt < askAgainMs) return
    known.askedAt = performance.now()
    void diskOf(file).catch(() => undefined) // the next write tells what is wrong with the disk
  }

  return {
    count(bytes) {
      if (!disk) return
      ask(disk)
      const announced = Math.min(bytes, outstanding)
      outstanding -= announced
      disk.promised -= announced
      disk.free -= bytes
      if (disk.free < disk.reserve) throw refuse()
    },
    [Symbol.dispose]() {
      if (disk) disk.promised -= outstanding
      outstanding = 0
    },
  }
}

/** The disk that an open file is on: from memory when that is fresh and has ample room for `bytes` more, else asked anew. */
async function knownDiskOf(file: FileHandle, bytes: number): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined
  const { dev } = await file.stat()
  const known = disks.get(dev)
  const isFresh = known && performance.now() - known.askedAt < askAgainMs
  if (isFresh && known.free - known.promised - known.reserve > bytes + closeBytes) return known
  return diskOf(file)
}

/** The disk that an open file is on, as it is now; undefined where the system does not tell. */
async function diskOf(file: FileHandle): Promise<Disk | undefined> {
  if (process.platform !== 'linux') return undefined
  const [{ dev }, stats] = await Promise.all([file.stat(), statfs(`/proc/self/fd/${file.fd}`)])
  const { bavail, blocks, bsize } = stats
  if (blocks === 0) return undefined // some network disks say nothing about their size
  const reserve = reserveOf(stats)
  const disk = disks.get(dev) ?? { free: 0, reserve, promised: 0, askedAt: 0 }
  disks.set(dev, Object.assign(disk, { free: bavail * bsize, reserve, askedAt: performance.now() }))
  return disk
}
