import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { page } from '#web/shared/page.ts'

// Without characters that look alike: 0 and o; 1, i and l.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
// Larger bytes would make some characters more likely than others.
const usable = 256 - (256 % alphabet.length)

/** Explains what a new password needs. */
export function newPasswordHelp(): string {
  const minimum = page.MinimumPasswordLength
  return i18n._(
    msg`Use at least ${minimum} characters. A few words that don't belong together are easy to remember and hard to guess.`,
  )
}

/** A random password of at least four groups of four characters (79 bits), long enough for this instance. */
export function generatePassword(): string {
  const groups = Math.max(4, Math.ceil((page.MinimumPasswordLength + 1) / 5))
  const group = () => Array.from({ length: 4 }, randomCharacter).join('')
  return Array.from({ length: groups }, group).join('-')
}

function randomCharacter(): string {
  for (;;) {
    // Unlike `crypto.subtle`, this works without HTTPS.
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1))
    if (byte < usable) return alphabet.charAt(byte % alphabet.length)
  }
}
