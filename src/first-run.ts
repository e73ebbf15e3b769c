import { randomBytes } from 'node:crypto'
import type { Config } from '#src/config/config.ts'
import { checkName } from '#src/core/names.ts'
import { isHash } from '#src/core/password.ts'
import { Problem, StartupProblem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { firstUser, newSettings, type State } from '#src/core/state.ts'
import { checkGiven } from '#src/users/password-policy.ts'
import { hashGiven, insert } from '#src/users/users.ts'

/**
 * The state of a new instance: its settings, its key, and an administrator with the given or a random password.
 *
 * @param announce is told the password that was made up; it is written nowhere else
 * @throws StartupProblem when the administrator cannot be called as the configuration says, or have that password
 */
export async function firstState(config: Config, announce: (password: string) => void): Promise<State> {
  const username = nameOf(config)
  const password = config.password ?? randomId(12)
  if (config.password !== undefined) checkFirst(config.password, username)
  const state: State = {
    version: 3,
    nextUserId: 1,
    users: {},
    credentials: { signingKey: randomBytes(64).toString('base64'), passwords: {} },
    settings: newSettings(),
    shares: {},
  }
  const hash = await hashGiven(password)
  insert(state, { ...firstUser, username, lockPassword: false, commands: [], rules: [] }, hash)
  if (config.password === undefined && !config.noauth) announce(password)
  return state
}

/** A hash was made of a password that is not known any more; `coffer hash` looked at it before. */
function checkFirst(password: string, username: string): void {
  if (!isHash(password))
    checkGiven(password, username, 'give another with --password, or none to have one made up')
}

function nameOf({ username }: Config): string {
  try {
    return checkName(username)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new StartupProblem(`Nobody can be called "${username}" here: give another name with --username.`, {
      cause: error,
    })
  }
}
