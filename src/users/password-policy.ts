import { Problem } from '#src/core/problem.ts'
import { newSettings } from '#src/core/state/state.ts'
import { nameKey } from '#src/core/text/user-names.ts'
import { leftToGuess } from './easy-to-guess.ts'

// Fewer letters than these, and what lists of stolen passwords hold, is tried within a day.
const leastToGuess = 4

/**
 * Refuses a password that is too short or among the first that anybody tries: well-known words, runs, repeats or the
 * user's own name, with signs for letters or not, and with whatever digits and signs around them.
 *
 * @param minimum length in characters
 * @throws Problem `password.weak`, `password.common`.
 */
export function checkPassword(password: string, minimum: number, username: string): void {
  const { length } = [...password]
  if (length < minimum) throw new Problem('password.weak', { minimum })
  const left = leftToGuess(password, [username])
  // What is short because an administrator allows it is not called common for that.
  const isCommon = left < leastToGuess && left < length
  if (isCommon || nameKey(password) === nameKey(username)) throw new Problem('password.common')
}

/**
 * What `checkPassword` has, with the settings of a new instance, against a password that is given on a command line, as a
 * sentence; undefined when it has nothing. Scripts that are at work already may go on with theirs.
 */
export function weaknessOf(password: string, username: string): string | undefined {
  try {
    checkPassword(password, newSettings().minimumPasswordLength, username)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return `The ${error.message}.`
  }
}
