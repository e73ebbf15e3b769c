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
