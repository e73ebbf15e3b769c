/** A key of a table: a word, or the id of a record. */
type Key = string | number

/**
 * The entry of `table` under `key`; undefined when the table has none of its own. What every object inherits, such as
 * `constructor` and `__proto__`, is no entry: keys come from requests and files.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, key: Key): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Sets an entry. Defines it, because an assignment to `__proto__` would change what the table inherits instead. */
export function setEntry<T>(table: Record<string, T>, key: Key, value: T): void {
  Object.defineProperty(table, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Removes an entry, if there is one. */
export function removeEntry(table: Record<string, unknown>, key: Key): void {
  delete table[key]
}
