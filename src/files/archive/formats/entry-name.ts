import { foldName } from '#src/core/text/fold.ts'

/** Characters that some systems treat as a path separator or as a terminal control code. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression replaces control characters
const unsafe = /[\\\u0000-\u001f\u007f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const mayBeUnsafe = /[\\\u0000-\u001f\u007f]|^[A-Za-z]:|^\.{0,2}$|[. ]$/

/**
 * Returns a name from the disk as a safe name for an archive: a single path component on every system, which cannot
 * lead out of the folder. Replaces backslashes, control characters and the colon of a drive letter with `_`.
 *
 * @param forWindows also replaces dots and spaces at the end, with which Windows cannot create a file
 */
export function entryName(name: string, forWindows = false): string {
  if (!mayBeUnsafe.test(name)) return name
  const plain = name.replace(unsafe, '_').replace(/^([A-Za-z]):/, '$1_')
  if (plain === '' || plain === '.' || plain === '..') return '_'
  return forWindows ? plain.replace(/[. ]+$/, (end) => '_'.repeat(end.length)) : plain
}

/**
 * Finds names in an archive for the names of one folder: safe ones, each different from the others. For Windows, names
 * that differ only in case are not different: one file would replace the other when the archive is unpacked.
 *
 * @returns the new names of those that get another one
 */
export function changedNames(names: readonly string[], forWindows: boolean): Map<string, string> {
  const changed = new Map<string, string>()
  if (!forWindows && names.every((name) => entryName(name) === name)) return changed
  const keyOf = (name: string) => (forWindows ? foldName(name) : name)
  const taken = new Set<string>()
  // Names that can stay are settled first, so that a changed name never equals one of them.
  const others = names.filter((name) => {
    const stays = entryName(name, forWindows) === name && !taken.has(keyOf(name))
    if (stays) taken.add(keyOf(name))
    return !stays
  })
  const freeNames = createFreeNames(taken, keyOf)
  for (const name of others) changed.set(name, freeNames(entryName(name, forWindows)))
  return changed
}

/**
 * Returns a function that finds a free name for each of many, as `freeName` does, and takes it. It remembers the last
 * number of each name: many equal names would else be counted from the start for each of them.
 *
 * @param keyOf names with the same key are the same
 */
export function createFreeNames(
  taken: Set<string>,
  keyOf: (name: string) => string,
): (name: string) => string {
  const last = new Map<string, number>()
  return (name) => {
    const key = keyOf(name)
    const found = numbered(name, last.get(key) ?? 0, (each) => taken.has(keyOf(each)))
    last.set(key, found.number)
    taken.add(keyOf(found.name))
    return found.name
  }
}

/** Says in `_errors.txt` that an entry has another name on the server. Shows control characters as their pictures. */
export function changedReason(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
  const shown = name.replace(/[\u0000-\u001f\u007f]/g, (character) =>
    character === '\u007f' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
  )
  return `its name on the server is “${shown}”`
}

/** Returns `name`. If it is taken, adds a number before the extension. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  return numbered(name, 0, isTaken).name
}

/** The first free name from this number on. 0: the name without a number. */
function numbered(name: string, first: number, isTaken: (name: string) => boolean) {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? []
  for (let number = first; ; number++) {
    const free = number === 0 ? name : `${stem} (${number})${extension}`
    if (!isTaken(free)) return { name: free, number }
  }
}
