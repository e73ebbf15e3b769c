/** The smallest piece, in bytes. If a proxy refuses this size, the upload fails. */
const smallest = 256 * 1024

let largest = Number.POSITIVE_INFINITY

/** Bytes a piece may have: as the settings say, or less where a proxy has refused more since the page was loaded. */
export function pieceSize(chunkSize: number): number {
  return Math.min(chunkSize, largest)
}

/**
 * Notes that a body of this size was refused as too large. From now on pieces have half of it, at least 256 KiB. Answers
 * whether it is worth trying again.
 */
export function halve(refused: number): boolean {
  if (refused <= smallest) return false
  largest = Math.max(smallest, Math.min(largest, Math.floor(refused / 2)))
  return true
}
