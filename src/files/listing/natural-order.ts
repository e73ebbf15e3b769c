const collators = new Map<string, Intl.Collator>()

/** The collator of `language`, a tag such as `sv-se`. Ignores case, and accents unless they make a different letter. */
function collatorOf(language: string): Intl.Collator {
  const cached = collators.get(language)
  if (cached) return cached
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  collators.set(language, collator)
  return collator
}

/**
 * Compares names in the natural order of a language: ignoring case, numbers by value, equal names by their code units.
 * `keys` are the `naturalKey`s of the two names. If one of them is missing, the collator of the language compares.
 */
export function naturalOrder(language: string) {
  const { compare } = collatorOf(language)
  return (a: string, b: string, keys?: { a: string | undefined; b: string | undefined }): number => {
    const { a: first, b: second } = keys ?? {}
    if (first === undefined || second === undefined) return compare(a, b) || byUnits(a, b)
    return first === second ? byUnits(a, b) : first < second ? -1 : 1
  }
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a !== b)
}

const ascii = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at))
const digit = { zero: 0x30, nine: 0x39 }
// All digits have the same rank. In a key it is followed by the length of the number, then the number.
const { compare: compareEnglish } = collatorOf('en')
const ranks = ranksOf(ascii.filter((char) => !/[1-9]/.test(char)))
const maxDigits = 200

/**
 * The rank of each character in the order of the collator, by code. Characters that differ only in case share a rank.
 */
function ranksOf(chars: string[]): Uint8Array {
  const ranks = new Uint8Array(0x80)
  const sorted = chars.toSorted(compareEnglish)
  let rank = 0
  sorted.forEach((char, at) => {
    const before = sorted[at - 1]
    if (before === undefined || compareEnglish(before, char) !== 0) rank++
    ranks[char.charCodeAt(0)] = rank
  })
  return ranks
}

/**
 * A sort key for a name of ASCII characters. The order of keys by code units is the order of the collators of all
 * languages of Coffer, but comparing two of them is ten times faster. Undefined for other names.
 */
export function naturalKey(name: string): string | undefined {
  let key = ''
  for (let at = 0; at < name.length; ) {
    const code = name.charCodeAt(at)
    if (code < 0x20 || code >= 0x7f) return undefined
    if (code < digit.zero || code > digit.nine) {
      key += String.fromCharCode(ranks[code] ?? 0)
      at++
      continue
    }
    const end = endOfDigits(name, at)
    const number = name.slice(startOfNumber(name, at, end), end)
    if (number.length > maxDigits) return undefined
    key += String.fromCharCode(ranks[digit.zero] ?? 0, number.length) + number
    at = end
  }
  return key
}

function endOfDigits(name: string, from: number): number {
  let at = from
  while (name.charCodeAt(at) >= digit.zero && name.charCodeAt(at) <= digit.nine) at++
  return at
}

/** The index after the leading zeros of a number. The last digit always counts as the number. */
function startOfNumber(name: string, from: number, end: number): number {
  let at = from
  while (at < end - 1 && name.charCodeAt(at) === digit.zero) at++
  return at
}
