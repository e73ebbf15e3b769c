import { estimateStrength } from '#src/core/access/easy-to-guess.ts'
import { Problem } from '#src/core/problem.ts'
import { userNameKey } from '#src/core/text/user-names.ts'
import { newSettings } from '#src/state/defaults.ts'

// A password with fewer unpredictable letters can be guessed within a day, with lists of leaked passwords.
const leastToGuess = 4

/**
 * Rejects a password that is too short or easy to guess: common words, sequences, repetitions or the user name, also
 * with characters that replace letters, and with digits and symbols around them.
 *
 * @param minimum length in characters
 * @throws Problem `password.weak`, `password.common`.
 */
export function checkPassword(password: string, minimum: number, username: string): void {
  const { length } = [...password]
  if (length < minimum) throw new Problem('password.weak', { minimum })
  const left = estimateStrength(password, [username])
  // A password that is short because an administrator allows it is not common for that reason alone.
  const isCommon = left < leastToGuess && left < length
  if (isCommon || userNameKey(password) === userNameKey(username)) throw new Problem('password.common')
}

/**
 * Checks a password from the command line with the settings of a new instance. Returns the problem as a sentence, or
 * undefined if there is none. It is only a warning, so that existing scripts continue to work.
 */
export function passwordWarning(password: string, username: string): string | undefined {
  try {
    checkPassword(password, newSettings().minimumPasswordLength, username)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return `The ${error.message}.`
  }
}
