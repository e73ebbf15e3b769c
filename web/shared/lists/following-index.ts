/**
 * The index in `rows` of the row that is at `index` in `before`. If that one has gone: of the next one that is still
 * there, else of the last.
 */
export function followingIndex<Row>(
  index: number,
  rows: readonly Row[],
  before: readonly Row[],
  idOf: (row: Row) => string,
): number {
  const places = new Map(rows.map((row, at) => [idOf(row), at]))
  for (const row of before.slice(index)) {
    const place = places.get(idOf(row))
    if (place !== undefined) return place
  }
  return Math.max(0, Math.min(index, rows.length - 1))
}
