const isAscii = /^[\x20-\x7e]*$/
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Returns the same text for all spellings that some disk treats as the same name. Ignores case, Unicode normal forms
 * and invisible characters. It joins more spellings than any single disk does, so that two names with different results
 * differ on every disk.
 */
export function foldName(name: string): string {
  if (isAscii.test(name)) return name.toLowerCase()
  const plain = name.normalize('NFKD').replace(invisible, '')
  // Upper case as a step, because it joins `ß` with `ss`, the long `ſ` with `s`, and the dotless `ı` with `i`.
  const lower = plain.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD')
  // `İ` is an `i` with a dot. The Turkish tables of Windows treat it as `i`.
  return lower.replaceAll('i\u0307', 'i')
}

/**
 * Folds a path to compare it with denied paths where a name has several spellings. Disks with Windows' rules also
 * ignore dots and spaces at the end of a name, and treat `name:stream` as part of `name`.
 */
export function foldPath(path: string): string {
  return path.split('/').map(foldWindowsName).join('/')
}

function foldWindowsName(name: string): string {
  const colon = name.indexOf(':', 1)
  const whole = colon < 0 ? name : name.slice(0, colon)
  return foldName(whole.replace(/(?<=[^. ])[. ]+$/, ''))
}
