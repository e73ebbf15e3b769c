import { lazyLibc } from '#src/core/libc.ts'

const load = lazyLibc({
  posix_fadvise: { arguments: ['int32', 'int64', 'int64', 'int32'], return: 'int32' },
})
// posix_fadvise(2): the content from the first byte to the last will be needed. The call does not wait for it.
const willNeed = 3
const [start, toEnd] = [0n, 0n]

/** A read of a small file that takes longer has waited for the disk. */
const slowMs = 0.05
/** After so many quick reads, the next files are assumed to be in the memory of the system. */
const quickReads = 64

/**
 * Reading ahead in one thread that reads many small files. While their content comes from the disk, it is requested for
 * many files before the first of them is read: a disk reads many files at once much faster than one after the other.
 */
export function createReadAhead() {
  /** The number of quick reads since the last slow one. */
  let quick = quickReads

  return {
    /** Requests the content of open files that will be read next. Costs nothing if the last reads were quick. */
    request(fds: Iterable<number>): void {
      if (quick < quickReads) for (const fd of fds) load()?.posix_fadvise(fd, start, toEnd, willNeed)
    },

    /** Calls `read`, which reads one file, and measures it. */
    measure<T>(read: () => T): T {
      const begin = performance.now()
      const result = read()
      quick = performance.now() - begin > slowMs ? 0 : quick + 1
      return result
    },
  }
}
