import type { Item } from '#contract/resources.ts'

interface Listed {
  items: readonly Pick<Item, 'name' | 'isDir' | 'type'>[]
  /** The order of the items: that of the server, or one by metadata. */
  sorting: { by: string; asc: boolean }
}

/** The names of the folders in a listing that can be opened, from A to Z in a language, as in a list by name. */
export function folderNames({ items, sorting: { by, asc } }: Listed, language: string): string[] {
  const names = items.flatMap(({ name, isDir, type }) => (isDir && type === '' ? name : []))
  // The order of the server is kept, because it knows all languages, and a browser may not. In a list by size, folders
  // are sorted by name.
  if (by === 'size') return names
  // For names, `asc: false` is A to Z.
  if (by === 'name') return asc ? names.toReversed() : names
  const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  return names.toSorted((a, b) => compare(a, b) || (a < b ? -1 : 1))
}
