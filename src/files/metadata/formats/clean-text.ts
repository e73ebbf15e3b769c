/** The longest text from a file that is sent, in UTF-16 code units. */
const maxLength = 500

// Control characters, and those that change the direction of the text around them.
const unwanted = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]+/gu

/**
 * Returns a text from a file in a form that can be shown in one line: without control characters, and not longer than
 * 500 characters. Undefined when it is no text or nothing is left.
 */
export function cleanText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value
    .slice(0, maxLength * 2)
    .replace(unwanted, ' ')
    .trim()
    .slice(0, maxLength)
  return text.toWellFormed() || undefined
}

/** Returns the number if it is between the limits. Undefined for anything else. */
export function numberWithin(value: unknown, least: number, most: number): number | undefined {
  return typeof value === 'number' && value >= least && value <= most ? value : undefined
}
