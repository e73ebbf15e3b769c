/**
 * The name of a file as it is shown: each control character is a sign, so that a name with a line break stays on one line,
 * and so that the name `Icon␍` of macOS differs from `Icon`. For texts only, not for paths.
 */
export function shownName(name: string): string {
  return name.replace(/\p{Cc}/gu, (character) => String.fromCharCode(signOf(character.charCodeAt(0))))
}

/** The picture of a control character (Unicode block “Control Pictures”). */
function signOf(code: number): number {
  if (code < 0x20) return 0x2400 + code
  return code === 0x7f ? 0x2421 : 0x2426
}
