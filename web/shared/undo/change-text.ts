import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { nameOf } from '#web/shared/paths.ts'
import { shownName } from '#web/ui/format/shown-name.ts'

/** Characters of a name in a sentence. Longer ones are cut in the middle. */
const maxLength = 40

/** A name inside a sentence, in its own text direction, and not too long. */
export function quoted(name: string): string {
  const letters = [...shownName(name)]
  const half = maxLength / 2
  const short =
    letters.length > maxLength
      ? [...letters.slice(0, half), '…', ...letters.slice(-half)].join('')
      : letters.join('')
  // First strong isolate, and its end: a name never changes the order of the words around it.
  return `\u2068${short}\u2069`
}

/** The name of a folder inside a sentence. `path` is decoded. */
export function quotedFolder(path: string): string {
  return quoted(nameOf(path) || i18n._(msg`My files`))
}

/** “Moved notes.txt to Letters”, or the number of items. */
export function movedText(names: readonly string[], folder: string): string {
  const [name = ''] = names
  const [one, to, count] = [quoted(name), quotedFolder(folder), names.length]
  return count === 1
    ? i18n._(msg`Moved ${one} to ${to}`)
    : plural(count, { one: `Moved # item to ${to}`, other: `Moved # items to ${to}` })
}

/** “Copied notes.txt to Letters”, or the number of items. */
export function copiedText(names: readonly string[], folder: string): string {
  const [name = ''] = names
  const [one, to, count] = [quoted(name), quotedFolder(folder), names.length]
  return count === 1
    ? i18n._(msg`Copied ${one} to ${to}`)
    : plural(count, { one: `Copied # item to ${to}`, other: `Copied # items to ${to}` })
}

/** “Uploaded notes.txt to Letters”, or the number of items. */
export function uploadedText(names: readonly string[], folder: string): string {
  const [name = ''] = names
  const [one, to, count] = [quoted(name), quotedFolder(folder), names.length]
  return count === 1
    ? i18n._(msg`Uploaded ${one} to ${to}`)
    : plural(count, { one: `Uploaded # item to ${to}`, other: `Uploaded # items to ${to}` })
}

/** “Created notes.txt”, or a folder. */
export function createdText(name: string, isFolder: boolean): string {
  const one = quoted(name)
  return isFolder ? i18n._(msg`Created the folder ${one}`) : i18n._(msg`Created ${one}`)
}

/** “Renamed notes.txt to old.txt”. */
export function renamedText(before: string, after: string): string {
  const [one, to] = [quoted(before), quoted(after)]
  return i18n._(msg`Renamed ${one} to ${to}`)
}

/** “Saved notes.txt”. */
export function savedText(name: string): string {
  const one = quoted(name)
  return i18n._(msg`Saved ${one}`)
}

/** What happens to deleted items. */
export type DeletionKind = 'trash' | 'permanent' | 'unknown'

/** “Moved notes.txt to the trash”, or the number of items. */
export function deletedText(names: readonly string[], kind: DeletionKind): string {
  const [name = ''] = names
  const [one, count] = [quoted(name), names.length]
  if (kind === 'trash')
    return count === 1
      ? i18n._(msg`Moved ${one} to the trash`)
      : plural(count, { one: 'Moved # item to the trash', other: 'Moved # items to the trash' })
  if (kind === 'permanent')
    return count === 1
      ? i18n._(msg`Deleted ${one} permanently`)
      : plural(count, { one: 'Deleted # item permanently', other: 'Deleted # items permanently' })
  return count === 1
    ? i18n._(msg`Deleted ${one}`)
    : plural(count, { one: 'Deleted # item', other: 'Deleted # items' })
}

/** “Rotated holiday.jpg”. */
export function rotatedText(name: string): string {
  const one = quoted(name)
  return i18n._(msg`Rotated ${one}`)
}
