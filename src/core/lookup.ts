/** A key of a table: text, or the id of a record. */
type Key = string | number

/**
 * Returns the entry of `table` under `key`. Undefined when the table has no own entry. Inherited properties such as
 * `constructor` and `__proto__` are not entries, because keys come from requests and files.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, key: Key): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** Sets an entry. Uses `defineProperty`, because an assignment to `__proto__` would change the prototype instead. */
export function setEntry<T>(table: Record<string, T>, key: Key, value: T): void {
  Object.defineProperty(table, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Removes an entry, if it exists. */
export function removeEntry(table: Record<string, unknown>, key: Key): void {
  delete table[key]
}
