import { randomBytes } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { writeFlushed } from './write-flushed.ts'

/**
 * Removes the spare of the state in `file`, so that its inode can be another's on a disk that has no other. Answers whether
 * there was one; the next write of the state makes it again.
 */
export const giveUpSpare = (file: string) => spareFile(`${file}.spare`).giveUp()

/**
 * A file that is only there to be removed when the disk is full: its blocks and its inode let the state be written once
 * more. The state before is then free, and room for the next spare comes from that.
 */
export function spareFile(file: string) {
  let size: number | undefined
  return {
    /** Makes the spare, if it is missing or too small for a state of `bytes`; on a full disk the next write tries again. */
    async keep(bytes: number): Promise<void> {
      size ??= await stat(file).then(
        (stats) => stats.size,
        () => 0,
      )
      if (size >= bytes + smallestSpare / 2) return
      const wanted = Math.max(smallestSpare, 2 * bytes)
      // Random bytes: file systems that compress, or that store zeros as a hole, would keep no room.
      const isKept = await writeFlushed(file, randomBytes(wanted)).then(
        () => true,
        () => false,
      )
      if (!isKept) await rm(file, { force: true }).catch(() => {}) // half a spare would take the room that is missing
      size = isKept ? wanted : 0
    },
    /** Removes it. Answers whether there was one. */
    async giveUp(): Promise<boolean> {
      size = 0
      return rm(file).then(
        () => true,
        () => false,
      )
    },
  }
}

const smallestSpare = 64 * 1024
