import type { Item } from '#contract/resources.ts'

/** The names of the folders among the items of a folder that can be opened. */
export function folderNames(items: readonly Pick<Item, 'name' | 'isDir' | 'type'>[]): string[] {
  return items.flatMap(({ name, isDir, type }) => (isDir && type === '' ? name : []))
}
