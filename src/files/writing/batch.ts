// A batch grows while data come fast, so that a slow sender holds little memory.
const smallestBytes = 64 * 1024
const largestBytes = 1024 * 1024
const fastMs = 20
// writev(2) takes 1024 pieces at once.
const mostPieces = 1024

/** Pieces that are written with one system call. */
export interface Batch {
  readonly pieces: Buffer[]
  readonly bytes: number
}

/** Collects small pieces into batches that are worth a system call. */
export interface Batches {
  add(piece: Buffer): void
  /** Bytes collected so far. */
  readonly bytes: number
  /** Whether what was collected is worth writing. */
  isDue(): boolean
  /** Hands out what was collected and starts anew. */
  take(): Batch
}

/** Starts with nothing collected. A batch is due at 64 KiB, and at up to 1 MiB for a fast sender. */
export function createBatches(): Batches {
  let pieces: Buffer[] = []
  let bytes = 0
  let dueBytes = smallestBytes
  let begun = performance.now()
  return {
    add(piece) {
      pieces.push(piece)
      bytes += piece.length
    },
    get bytes() {
      return bytes
    },
    isDue: () => bytes >= dueBytes || pieces.length >= mostPieces,
    take() {
      const taken = { pieces, bytes }
      const now = performance.now()
      dueBytes = now - begun < fastMs ? Math.min(2 * dueBytes, largestBytes) : smallestBytes
      begun = now
      pieces = []
      bytes = 0
      return taken
    },
  }
}
