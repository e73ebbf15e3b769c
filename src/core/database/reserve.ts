import type { Logger } from '#src/core/log/log.ts'
import { createSpareFile } from '#src/core/storage/spare-file.ts'
import { type Fault, mayBeFull } from './file/fault.ts'

/** Size of the file that is removed when the disk is full, half of it at least: the rest allows further writes. */
const reserveBytes = 512 * 1024
/** Milliseconds between two attempts to create that file again. */
const reserveEveryMs = 30_000

export type Reserve = ReturnType<typeof createReserve>

/** A spare file beside the database. Removing it gives a full disk room for some more writes. */
export function createReserve(file: string) {
  const spare = createSpareFile(`${file}.spare`)
  let triedAt = Number.NEGATIVE_INFINITY
  let keeping = Promise.resolve()
  return {
    /** Removes the spare file when the disk may be full. Returns whether another attempt can succeed. */
    async removeIfFull(fault: Fault, log: Logger): Promise<boolean> {
      if (!mayBeFull(fault)) return false
      await keeping
      triedAt = performance.now()
      const isRemoved = await spare.remove()
      if (isRemoved)
        log.warn({ fault: fault.message }, 'the disk of the history is full; its reserve was used')
      return isRemoved
    },
    /** Creates the spare file if it is missing, in the background and not too often. */
    keepSoon(): void {
      if (performance.now() < triedAt + reserveEveryMs) return
      triedAt = performance.now()
      keeping = spare.keep(reserveBytes).catch(() => {})
    },
    close: () => keeping,
  }
}
