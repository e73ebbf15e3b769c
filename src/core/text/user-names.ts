import { Problem } from '#src/core/problem.ts'

/** What two user names must differ in: case, compatibility forms and surrounding space do not count (contract/README.md#sessions). */
export function nameKey(name: string): string {
  // Lower case alone keeps apart what full case folding joins: `ß` and `SS`, the two small sigmas.
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').trim()
}

// UTS #39 §5.2: a name with one Cyrillic letter passes for another. Chinese, Arabic and others beside Latin do not.
const shapesOfLatin = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/**
 * A user name as it is stored.
 *
 * @throws Problem `user.name` when it is empty, longer than 64 characters, begins with `-`, has characters that cannot be
 * seen, or mixes Latin letters with those of an alphabet that has the same shapes.
 */
export function checkName(written: string): string {
  const name = written.normalize('NFC').trim()
  const isFit = name !== '' && [...name].length <= 64 && !/[\p{C}\p{Zl}\p{Zp}\ufffd]/u.test(name)
  const isMixed = /\p{Script=Latin}/u.test(name) && shapesOfLatin.test(name)
  // Programs that are told the name would take it for one of their options.
  const isOption = name.startsWith('-')
  if (!isFit || isMixed || isOption || name === '.' || name === '..') throw new Problem('user.name')
  return name
}

/**
 * The name of a user's own folder (contract/compatibility.md#rules-and-scopes): `..` is dropped, each character outside `0-9 A-Z a-z @ _ - .` becomes
 * `-`, runs of `-` become one.
 *
 * @throws Problem `user.name` when nothing is left.
 */
export function homeName(username: string): string {
  const cleaned = username
    .trim()
    .replaceAll('..', '')
    .replace(/[^0-9A-Za-z@_.-]/g, '-')
    .replace(/-+/g, '-')
  if (['', '-', '.'].includes(cleaned)) throw new Problem('user.name')
  return cleaned
}
