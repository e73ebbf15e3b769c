/** Control characters, and those that change the direction of the text: marks, embeddings, overrides and isolates. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * The name of a file as it is shown: each control character is a sign, so that a name with a line break stays on one line,
 * so that the name `Icon␍` of macOS differs from `Icon`, and so that `evil`, a right-to-left override and `gnp.txt` do
 * not look like a picture. For texts only, not for paths.
 */
export function shownName(name: string): string {
  return name.replace(unseen, (character) => String.fromCharCode(signOf(character.charCodeAt(0))))
}

/** The picture of a control character (Unicode block “Control Pictures”), or one for all without a picture. */
function signOf(code: number): number {
  if (code < 0x20) return 0x2400 + code
  return code === 0x7f ? 0x2421 : 0x2426
}
