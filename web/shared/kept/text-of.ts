/**
 * Decodes the bytes of a text in UTF-8; undefined if they are no such text. Without `isWhole`, an incomplete character
 * at the end is left out.
 */
export function textOf(bytes: Uint8Array, isWhole: boolean): string | undefined {
  // No text contains a null character.
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
  } catch {
    return undefined
  }
}
