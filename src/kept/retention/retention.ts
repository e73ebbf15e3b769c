/** What the choice of items to delete needs to know. Sizes in bytes, times in milliseconds since 1970. */
export interface SpaceNeed {
  now: number
  /** How many bytes must be freed; 0 or less: none. */
  excess: number
  /** Whether the disk is nearly full. Then the newest items are not spared. */
  isDiskShort: boolean
}

// Everybody can undo a mistake in this time, even if it is larger than the share of the disk.
const sparedMs = 60 * 60_000

/**
 * Chooses the items to delete so that the rest takes its share of the disk at most. Items of the last hour stay, unless
 * the disk is nearly full.
 *
 * @param rows counted items: first those that are larger than the share, because the others could not make room for
 *   them, then the oldest
 */
export function chooseForSpace<R extends { time: number; size: number | null }>(
  rows: readonly R[],
  { now, excess, isDiskShort }: SpaceNeed,
): R[] {
  const chosen: R[] = []
  let left = excess
  for (const row of rows) {
    if (left <= 0) break
    if (!isDiskShort && row.time > now - sparedMs) continue
    chosen.push(row)
    left -= row.size ?? 0
  }
  return chosen
}

const dayMs = 24 * 60 * 60_000
const monthMs = 30 * dayMs
const yearMs = 365 * dayMs

/**
 * Chooses the versions of one file to delete: all of the last day stay, the last of each day for a month, the last of
 * each week for a year.
 *
 * @param versions of one file, the oldest first
 */
export function chooseForAge<V extends { time: number }>(versions: readonly V[], now: number): V[] {
  const seen = new Set<string>()
  const chosen: V[] = []
  for (const version of versions.toReversed()) {
    const age = now - version.time
    if (age < dayMs) continue
    const period =
      age < monthMs
        ? `day ${Math.floor(version.time / dayMs)}`
        : `week ${Math.floor(version.time / (7 * dayMs))}`
    if (age < yearMs && !seen.has(period)) seen.add(period)
    else chosen.push(version)
  }
  return chosen
}
