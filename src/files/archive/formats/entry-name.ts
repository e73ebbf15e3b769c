/** What tools on some system would take for a separator or a command to the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
const unsafe = /[\\\u0000-\u001f\u007f]/g

/**
 * A name from the disk as it stands in an archive: whoever unpacks it on any system gets one plain name, never a way out
 * of the folder. Backslashes and control characters become `_`, as does the colon of what looks like a drive letter.
 */
export function entryName(name: string): string {
  const plain = name.replace(unsafe, '_').replace(/^([A-Za-z]):/, '$1_')
  return plain === '' || plain === '.' || plain === '..' ? '_' : plain
}

/** `name`, with a number before its extension when `isTaken` says that it is. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const [, stem = name, extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? []
  let free = name
  for (let number = 1; isTaken(free); number++) free = `${stem} (${number})${extension}`
  return free
}
