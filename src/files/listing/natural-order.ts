const collators = new Map<string, Intl.Collator>()

/** The order of `language`, a tag as in `sv-se`: case and accents aside unless that language counts them as letters. */
function collatorOf(language: string): Intl.Collator {
  const known = collators.get(language)
  if (known) return known
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  collators.set(language, collator)
  return collator
}

/**
 * The order of names as people of a language count them: case aside, numbers by their value, names that are the same but
 * for that by their code units. `keys` are what `naturalKey` says of the two names; without both of them the collator of
 * the language is asked.
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
// A digit's rank is every digit's: what follows it in a key is the length of the number, then the number.
const { compare: inEnglish } = collatorOf('en')
const ranks = ranksOf(ascii.filter((char) => !/[1-9]/.test(char)))
const mostDigits = 200

/** The rank of each character in the collator's order, by code; characters that differ in nothing but case share one. */
function ranksOf(chars: string[]): Uint8Array {
  const ranks = new Uint8Array(0x80)
  const sorted = chars.toSorted(inEnglish)
  let rank = 0
  sorted.forEach((char, at) => {
    const before = sorted[at - 1]
    if (before === undefined || inEnglish(before, char) !== 0) rank++
    ranks[char.charCodeAt(0)] = rank
  })
  return ranks
}

/**
 * A text whose code units order names of ASCII characters as the collators of all languages of Coffer do, which take ten
 * times as long to compare two of them. Undefined for other names.
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
    if (number.length > mostDigits) return undefined
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

/** Where the zeros in front of a number end; the last digit is a number whatever it is. */
function startOfNumber(name: string, from: number, end: number): number {
  let at = from
  while (at < end - 1 && name.charCodeAt(at) === digit.zero) at++
  return at
}
