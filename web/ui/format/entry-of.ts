/**
 * The entry of `table` under `key`; undefined when the table has none of its own. What every object inherits, such as
 * `constructor`, is no entry: keys come from addresses, keyboards and the server.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
