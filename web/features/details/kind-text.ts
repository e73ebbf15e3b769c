import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Item } from '#contract/resources.ts'
import { fileKindOf } from '#web/ui/file-icon.tsx'

const names = {
  folder: msg`Folder`,
  image: msg`Image`,
  video: msg`Video`,
  audio: msg`Audio`,
  text: msg`Text`,
  code: msg`Code`,
  pdf: msg`PDF`,
  archive: msg`Archive`,
  document: msg`Document`,
  sheet: msg`Spreadsheet`,
  slides: msg`Presentation`,
  font: msg`Font`,
  book: msg`E-book`,
  disk: msg`Disk image`,
  database: msg`Database`,
  program: msg`Program`,
  calendar: msg`Calendar`,
  contact: msg`Contact`,
  key: msg`Key or certificate`,
  link: msg`Broken link`,
  other: msg`File`,
} as const

type KindProps = Pick<Item, 'name' | 'isDir' | 'type'>

/** The kind of an item in words. */
export function kindText({ name, isDir, type }: KindProps): string {
  return i18n._(names[fileKindOf(name, isDir, type)])
}

/** How many of the items have the same kind, the most frequent kind first. */
export function countKinds(items: readonly KindProps[]): [kind: string, count: number][] {
  const counts = new Map<string, number>()
  for (const item of items) {
    const kind = kindText(item)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a)
}
