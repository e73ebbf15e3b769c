/**
 * Returns the source of a regular expression that matches exactly `text`, with any flags. It may stand beside other
 * parts of an expression, but not inside of a character class.
 */
export function literalPattern(text: string): string {
  // Only these characters: with the flags `u` and `v`, an escaped character without a special meaning is a syntax error.
  return text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')
}
