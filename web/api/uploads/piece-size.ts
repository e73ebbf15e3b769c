/** The smallest chunk, in bytes. If a proxy refuses this size, the upload fails. */
const smallest = 256 * 1024

let largest = Number.POSITIVE_INFINITY

/** The chunk size in bytes: as in the settings, or smaller after a proxy has refused a larger one. */
export function chunkSizeFor(chunkSize: number): number {
  return Math.min(chunkSize, largest)
}

/**
 * Call this when a body of this size was refused as too large. Halves the chunk size, to at least 256 KiB. Returns
 * whether a retry makes sense.
 */
export function halveChunkSize(refused: number): boolean {
  if (refused <= smallest) return false
  largest = Math.max(smallest, Math.min(largest, Math.floor(refused / 2)))
  return true
}
