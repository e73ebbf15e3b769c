import { Problem } from '#src/core/problem.ts'

/**
 * Returns the key by which user names are compared. Ignores case, compatibility forms and surrounding spaces
 * (contract/README.md#sessions).
 */
export function userNameKey(name: string): string {
  // Upper case first, because lower case alone does not join `ß` with `SS`, nor the two small sigmas.
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').trim()
}

// UTS #39 §5.2: a name with one Cyrillic letter looks like another name. Chinese, Arabic and other letters do not look
// like Latin.
const latinLookalikes = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

/**
 * Returns a user name in the form in which it is stored.
 *
 * @throws Problem `user.name` when it is empty, longer than 64 characters, begins with `-`, has invisible characters,
 * or mixes Latin letters with those of an alphabet that has the same shapes.
 */
export function checkUserName(written: string): string {
  const name = written.normalize('NFC').trim()
  const isValid = name !== '' && [...name].length <= 64 && !/[\p{C}\p{Zl}\p{Zp}\ufffd]/u.test(name)
  const isMixed = /\p{Script=Latin}/u.test(name) && latinLookalikes.test(name)
  // Programs that get the name as an argument would treat it as an option.
  const isOption = name.startsWith('-')
  if (!isValid || isMixed || isOption || name === '.' || name === '..') throw new Problem('user.name')
  return name
}

/**
 * Returns the name of a user's home folder (contract/compatibility.md#rules-and-scopes): removes `..`, replaces each
 * character outside `0-9 A-Z a-z @ _ - .` with `-`, and joins runs of `-` into one.
 *
 * @throws Problem `user.name` when nothing is left.
 */
export function homeFolderName(username: string): string {
  const cleaned = username
    .trim()
    .replaceAll('..', '')
    .replace(/[^0-9A-Za-z@_.-]/g, '-')
    .replace(/-+/g, '-')
  if (['', '-', '.'].includes(cleaned)) throw new Problem('user.name')
  return cleaned
}
