/** A condition of a statement in SQL, and the values of its parameters. */
interface Condition {
  sql: string
  values: string[]
}

/** The condition that `column` is `path` or a path below it. Not for the served folder itself. */
export function atOrBelow(column: 'path' | 'place', path: string): Condition {
  // `0` is the character after `/`.
  return {
    sql: `(${column} = ? OR (${column} >= ? AND ${column} < ?))`,
    values: [path, `${path}/`, `${path}0`],
  }
}
