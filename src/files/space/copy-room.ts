import { errnoOf } from '#src/core/problem.ts'
import { statfsSync } from '#src/files/paths/disk.ts'
import { freeBeyondReserve } from './disk-reserve.ts'

/** Reserves disk space for `bytes` and for a name. Returns false when only the disk's reserve would be left. */
export type ReserveCopySpace = (bytes: number) => boolean

const refreshMs = 1000
// A folder, a symbolic link or an empty file takes one block, of the usual size on disks.
const blockBytes = 4096

/**
 * Keeps the reserve free on the disk of `folder`, for a worker thread that copies. Queries the disk again when the last
 * result is used up or a second old.
 */
export function createCopyReservation(folder: string): ReserveCopySpace {
  let left = 0
  let refreshedAt = Number.NEGATIVE_INFINITY
  return (bytes) => {
    const needed = bytes + blockBytes
    if (needed > left || performance.now() - refreshedAt > refreshMs) {
      left = freeSpaceIn(folder)
      refreshedAt = performance.now()
    }
    if (needed > left) return false
    left -= needed
    return true
  }
}

function freeSpaceIn(folder: string): number {
  try {
    return freeBeyondReserve(statfsSync(folder)) ?? Number.POSITIVE_INFINITY
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return Number.POSITIVE_INFINITY // the next write reports the error of the disk
  }
}
