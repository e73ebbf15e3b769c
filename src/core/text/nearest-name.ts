// Longer names are no misspelt ones, and the comparison takes length × length steps.
const mostLength = 64

/**
 * Returns the name of `known` that differs least from `given`. Undefined: each differs in more than a third of its
 * characters.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > mostLength) return undefined
  const [best] = known
    .map((name) => ({ name, distance: distanceOf(given, name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance)
  return best?.name
}

/** The number of characters to insert, remove, replace or swap with the next one (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let at = 0; at < a.length; at++) {
    const next = [at + 1]
    for (let to = 1; to <= b.length; to++) {
      const isSwapped = at > 0 && to > 1 && a[at] === b[to - 2] && a[at - 1] === b[to - 1]
      const steps = [
        (row[to - 1] ?? 0) + (a[at] === b[to - 1] ? 0 : 1),
        (row[to] ?? 0) + 1,
        (next[to - 1] ?? 0) + 1,
        ...(isSwapped ? [(before[to - 2] ?? 0) + 1] : []),
      ]
      next.push(Math.min(...steps))
    }
    ;[before, row] = [row, next]
  }
  return row[b.length] ?? 0
}
