// Batches grow only while data arrive fast, so that a slow sender uses little memory.
const smallestBytes = 64 * 1024
const largestBytes = 1024 * 1024
const fastMs = 20
// writev(2) accepts at most 1024 buffers (IOV_MAX).
const mostPieces = 1024

/** Pieces that are written with one system call. */
export interface Batch {
  readonly pieces: Buffer[]
  readonly bytes: number
}

/** Collects small pieces into batches, to make fewer system calls. */
export interface Batches {
  add(piece: Buffer): void
  /** Bytes collected so far. */
  readonly bytes: number
  /** Whether the batch is large enough to write. */
  isDue(): boolean
  /** Returns the batch and starts an empty one. */
  take(): Batch
}

/** Creates an empty collector. A batch is due at 64 KiB, or at up to 1 MiB for a fast sender. */
export function createBatches(): Batches {
  let pieces: Buffer[] = []
  let bytes = 0
  let dueBytes = smallestBytes
  let batchStart = performance.now()
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
      dueBytes = now - batchStart < fastMs ? Math.min(2 * dueBytes, largestBytes) : smallestBytes
      batchStart = now
      pieces = []
      bytes = 0
      return taken
    },
  }
}
