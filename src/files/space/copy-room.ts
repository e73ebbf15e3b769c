import { errnoOf } from '#src/core/errno.ts'
import { statfsSync } from '#src/files/paths/disk.ts'
import { roomBeyondReserve } from './disk-reserve.ts'

/** Takes room for `bytes` more and what a name costs. Answers false when by then only the reserve would be left. */
export type CopyRoom = (bytes: number) => boolean

const askAgainMs = 1000
// A folder, a link or an empty file takes a block for itself or for its name, as disks usually have them.
const blockBytes = 4096

/**
 * Keeps on the disk of `folder` what uploads keep there, for a thread that copies. The disk is asked when what it said last
 * is used up, and when that is a second old.
 */
export function createCopyRoom(folder: string): CopyRoom {
  let left = 0
  let askedAt = Number.NEGATIVE_INFINITY
  return (bytes) => {
    const needed = bytes + blockBytes
    if (needed > left || performance.now() - askedAt > askAgainMs) {
      left = roomIn(folder)
      askedAt = performance.now()
    }
    if (needed > left) return false
    left -= needed
    return true
  }
}

function roomIn(folder: string): number {
  try {
    return roomBeyondReserve(statfsSync(folder)) ?? Number.POSITIVE_INFINITY
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return Number.POSITIVE_INFINITY // the next write tells what is wrong with the disk
  }
}
