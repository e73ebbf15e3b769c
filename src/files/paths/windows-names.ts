/** The names of devices. Windows opens the device in every folder, also with an extension: `NUL`, `con.txt`. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i

/**
 * Why Windows would not open the entry of this name; undefined if it would. Windows changes such a name, or opens
 * something else, so that a rule for the entry would not apply. The name is one segment of a path.
 */
export function windowsFault(name: string): string | undefined {
  // A control character is never part of a name. A colon begins a drive (`C:`) or a stream of a file (`a.txt:b`). A backslash separates names.
  if (/[\\:*?"<>|]/.test(name) || [...name].some((character) => character < ' '))
    return 'it contains a character that names cannot contain'
  if (/[. ]$/.test(name)) return 'a name ends with a dot or a space'
  const [beforeDot = ''] = name.split('.')
  if (device.test(beforeDot.trimEnd())) return `${name} is the name of a device`
  return undefined
}
