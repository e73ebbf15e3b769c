/**
 * The own property `key` of `table`; undefined if there is none. Inherited properties such as `constructor` are
 * ignored, because keys come from addresses, keyboards and the server.
 */
export function ownEntry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
