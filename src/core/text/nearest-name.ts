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
      const isSame = a[at] === b[to - 1]
      const isSwapped = at > 0 && a[at] === b[to - 2] && a[at - 1] === b[to - 1]
      const replaced = stepsAt(row, to - 1) + Number(!isSame)
      const swapped = stepsAt(isSwapped ? before : [], to - 2) + 1
      next.push(Math.min(replaced, swapped, stepsAt(row, to) + 1, stepsAt(next, to - 1) + 1))
    }
    ;[before, row] = [row, next]
  }
  return stepsAt(row, b.length)
}

function stepsAt(row: readonly number[], at: number): number {
  return row[at] ?? Number.POSITIVE_INFINITY
}
