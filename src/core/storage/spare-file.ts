import { randomBytes } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { writeFlushed } from './write-flushed.ts'

/**
 * Removes the spare file of the state in `file`, to free its inode on a full disk. Returns whether it existed. The next
 * write of the state creates it again.
 */
export const removeSpareFile = (file: string) => createSpareFile(`${file}.spare`).remove()

/**
 * A file that is removed when the disk is full. Its blocks and its inode then allow one more write of the state. That
 * write frees the previous state, which makes room for the next spare file.
 */
export function createSpareFile(file: string) {
  let size: number | undefined
  return {
    /**
     * Creates the spare file if it is missing or too small for a state of `bytes`. On a full disk, the next write tries
     * again.
     */
    async keep(bytes: number): Promise<void> {
      size ??= await stat(file).then(
        (stats) => stats.size,
        () => 0,
      )
      if (size >= bytes + minSize / 2) return
      const targetSize = Math.max(minSize, 2 * bytes)
      // Random bytes, because file systems that compress data or store zeros as holes would reserve no space.
      const isWritten = await writeFlushed(file, randomBytes(targetSize)).then(
        () => true,
        () => false,
      )
      if (!isWritten) await rm(file, { force: true }).catch(() => {}) // frees the space again
      size = isWritten ? targetSize : 0
    },
    /** Removes the spare file. Returns whether it existed. */
    async remove(): Promise<boolean> {
      size = 0
      return rm(file).then(
        () => true,
        () => false,
      )
    },
  }
}

const minSize = 64 * 1024
