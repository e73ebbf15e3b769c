/** Characters that some systems treat as a path separator or as a terminal control code. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression replaces control characters
const unsafe = /[\\\u0000-\u001f\u007f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const mayBeUnsafe = /[\\\u0000-\u001f\u007f]|^[A-Za-z]:|^\.{0,2}$/

/**
 * Returns a name from the disk as a safe name for an archive: a single path component on every system, which cannot
 * lead out of the folder. Replaces backslashes, control characters and the colon of a drive letter with `_`.
 */
export function entryName(name: string): string {
  if (!mayBeUnsafe.test(name)) return name
  const plain = name.replace(unsafe, '_').replace(/^([A-Za-z]):/, '$1_')
  return plain === '' || plain === '.' || plain === '..' ? '_' : plain
}

/** Returns `name`. If it is taken, adds a number before the extension. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? []
  let free = name
  for (let number = 1; isTaken(free); number++) free = `${stem} (${number})${extension}`
  return free
}
