import { randomBytes } from 'node:crypto'
import type { Config } from '#src/config/config.ts'
import { isHash } from '#src/core/access/passwords.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem, StartupProblem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import { firstUser, newSettings, type State } from '#src/core/state/state.ts'
import type { Store } from '#src/core/state/store.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import { passwordWarning } from '#src/users/password-policy.ts'
import { hashUnlessHashed, insertUser } from '#src/users/users.ts'

const firstId = 1

/**
 * Returns the state of a new instance: its settings, its key, and an administrator with the given or a random password.
 *
 * @param tell called with what the operator must know: the generated password, which is written nowhere else, or a
 * warning that the given password is easy to guess
 * @throws StartupProblem when the configured user name is invalid
 */
export async function createFirstState(config: Config, tell: (sentence: string) => void): Promise<State> {
  const username = validName(config)
  const password = config.password ?? randomId(12)
  const state: State = {
    version: 4,
    nextUserId: firstId,
    users: {},
    credentials: { signingKey: randomBytes(64).toString('base64'), passwords: {} },
    settings: newSettings(),
    shares: {},
  }
  const hash = await hashUnlessHashed(password)
  insertUser(state, { ...firstUser, username, lockPassword: false, commands: [], rules: [] }, hash)
  if (isGenerated(config)) state.unprinted = { id: firstId, hash }
  const sentence = firstPasswordNotice(config, { username, password })
  if (sentence) tell(sentence)
  return state
}

/**
 * Replaces the generated password of the first administrator if it was never printed, because the start that generated
 * it was killed. A password that the user has changed since then stays.
 *
 * @param tell as for `firstState`
 */
export async function replaceUnprintedPassword(
  config: Config,
  store: Store,
  tell: (sentence: string) => void,
): Promise<void> {
  const { unprinted, users } = store.data
  const user = unprinted && entryOf(users, unprinted.id)
  if (!user || config.noauth) return
  const password = config.password ?? randomId(12)
  const hash = await hashUnlessHashed(password)
  const isReplaced = await store.update((draft) => {
    const { passwords } = draft.credentials
    const isUnchanged = entryOf(passwords, user.id) === unprinted.hash
    if (isUnchanged) Object.assign(passwords, { [user.id]: hash })
    if (isUnchanged && isGenerated(config)) draft.unprinted = { id: user.id, hash }
    else delete draft.unprinted
    return isUnchanged
  })
  const sentence = firstPasswordNotice(config, { username: user.username, password })
  if (isReplaced && sentence) tell(sentence)
}

/** Records that the first password has been printed. */
export async function markPasswordPrinted(store: Store): Promise<void> {
  if (!store.data.unprinted) return
  await store.update((draft) => {
    delete draft.unprinted
  })
}

/** Whether Coffer generates the first password and must print it. */
function isGenerated({ password, noauth }: Config): boolean {
  return password === undefined && !noauth
}

/**
 * Returns what to print about the first password. A hash is not checked, because `coffer hash` has checked the
 * password.
 */
function firstPasswordNotice(
  config: Config,
  { username, password }: { username: string; password: string },
): string | undefined {
  if (isGenerated(config))
    return `First start. Sign in as "${username}" with the password ${password} (it is not shown again).`
  const weakness = config.password && !isHash(password) && passwordWarning(password, username)
  return weakness ? `${weakness} Change it after the first sign-in.` : undefined
}

function validName({ username }: Config): string {
  try {
    return checkUserName(username)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new StartupProblem(`The user name "${username}" cannot be used: set --username to another name.`, {
      cause: error,
    })
  }
}
