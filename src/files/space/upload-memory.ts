// What one upload may hold, and what it may hold while all together hold more than `crowdedBytes`.
const roomBytes = 4 * 1024 * 1024
const crowdedRoomBytes = 256 * 1024
const crowdedBytes = 64 * 1024 * 1024

let heldByAll = 0

/** Bytes of all uploads that are in memory, received and not yet written. */
export function heldBytes(): number {
  return heldByAll
}

/** The share of one upload. */
export interface Share {
  /** Counts bytes that came in, or with a negative number those that went out. */
  count(bytes: number): void
  isFull(): boolean
  /** Whether so little is held that more should come. */
  hasRoom(): boolean
}

/** Opens the account of one upload: 4 MiB, less while many uploads wait for the disk. */
export function createShare(): Share {
  let held = 0
  const limit = () => (heldByAll > crowdedBytes ? crowdedRoomBytes : roomBytes)
  return {
    count(bytes) {
      held += bytes
      heldByAll += bytes
    },
    isFull: () => held >= limit(),
    hasRoom: () => held <= limit() / 2,
  }
}
