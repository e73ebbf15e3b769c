import { createHash, randomInt, timingSafeEqual } from 'node:crypto'

// Crockford's Base32: without I, L, O and U, which are mistaken for other characters.
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a one-time code of 60 random bits for people to type, as in `7K2M-X0QD-93HB`. */
export function createSetupCode(): string {
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return [group(), group(), group()].join('-')
}

/**
 * Returns a function that compares a typed code with `code` in constant time. Case, dashes and spaces do not matter, and
 * O, I and L count as the digits that they look like. Keeps only the hash of `code`.
 */
export function setupCodeCheck(code: string): (typed: string) => boolean {
  const expected = digestOf(code)
  return (typed) => timingSafeEqual(digestOf(typed), expected)
}

function digestOf(code: string): Buffer {
  const plain = code
    .toUpperCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
  return createHash('sha256').update(plain).digest()
}
