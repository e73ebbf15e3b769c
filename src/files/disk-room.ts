import { type FileHandle, statfs } from 'node:fs/promises'
import { Problem } from '#src/core/problem.ts'
import { reserveOf } from './disk-reserve.ts'

/** Room on a disk for a file that is being received. */
export interface DiskRoom extends Disposable {
  /** Counts bytes that came. @throws Problem `disk.full` when by now only the reserve is left. */
  count(bytes: number): void
}

// Below this nobody asks: a thousand small files are stored sooner than the disk is asked a thousand times.
const smallBytes = 1024 * 1024
const askAgainMs = 1000

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
 * Takes room for a file that somebody is about to send, if the disk has it beside what others have announced before.
 * Bodies of up to 1 MiB are not asked about, nor is any on systems without names for open files.
 *
 * @param about.path the user's, for the refusal
 * @param about.expected how many bytes were announced; undefined: nobody knows, and they are looked at as they come
 * @throws Problem `disk.full`
 */
export async function takeRoom(
  file: FileHandle,
  { path, expected = 0 }: { path: string; expected?: number | undefined },
): Promise<DiskRoom> {
  let seen = 0
  let disk = expected > smallBytes ? await diskOf(file) : undefined
  let outstanding = disk ? expected : 0
  const refuse = () => new Problem('disk.full', { path })
  if (disk && disk.promised + expected > disk.free - disk.reserve) throw refuse()
  if (disk) disk.promised += outstanding

  /** Asks in the meantime; what is known until then will do. */
  function ask(): void {
    if (disk && performance.now() - disk.askedAt < askAgainMs) return
    if (disk) disk.askedAt = performance.now()
    void diskOf(file).then(
      (found) => {
        disk ??= found
      },
      () => undefined, // the next write tells what is wrong with the disk
    )
  }

  return {
    count(bytes) {
      const before = seen
      seen += bytes
      if (seen <= smallBytes) return
      if (disk || before <= smallBytes) ask()
      if (!disk) return
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
