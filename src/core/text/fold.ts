const isAscii = /^[\x20-\x7e]*$/
const ignored = /\p{Default_Ignorable_Code_Point}/gu

/**
 * The same text for every spelling of a name that some disk takes for one name: case, Unicode forms and characters that
 * cannot be seen do not count. It joins more than any single disk does, so two names that differ here differ everywhere.
 */
export function fold(name: string): string {
  if (isAscii.test(name)) return name.toLowerCase()
  const plain = name.normalize('NFKD').replace(ignored, '')
  // Upper case on the way: it joins `ß` with `ss`, the long `ſ` with `s`, and the dotless `ı` with `i`.
  const lower = plain.toLowerCase().toUpperCase().toLowerCase().normalize('NFKD')
  // `İ` is an `i` with a dot on it. Turkish tables of Windows take it for an `i`.
  return lower.replaceAll('i\u0307', 'i')
}

/**
 * A path for comparing it with what must not be reached, where a name has many spellings. Disks that know Windows' names
 * also drop dots and spaces at the end, and read `name:stream` as a part of `name`.
 */
export function foldPath(path: string): string {
  return path.split('/').map(foldWide).join('/')
}

function foldWide(name: string): string {
  const colon = name.indexOf(':', 1)
  const whole = colon < 0 ? name : name.slice(0, colon)
  return fold(whole.replace(/(?<=[^. ])[. ]+$/, ''))
}
