import { randomBytes } from 'node:crypto'
import { createSetupCode } from '#src/auth/setup-code.ts'
import type { Config } from '#src/config/config.ts'
import { bcryptFault, isBcryptForm } from '#src/core/access/bcrypt.ts'
import { isHash } from '#src/core/access/passwords.ts'
import { Problem, StartupProblem } from '#src/core/problem.ts'
import { checkUserName } from '#src/core/text/user-names.ts'
import { newSettings } from '#src/state/defaults.ts'
import { type Draft, draftOf } from '#src/state/draft.ts'
import type { State } from '#src/state/state.ts'
import type { Store } from '#src/state/store.ts'
import { passwordWarning } from '#src/users/password-policy.ts'
import { generatePassword } from '#src/users/password-reset.ts'
import { insertFirstAdmin, refuseTaken, replacePassword } from '#src/users/records.ts'
import { hashUnlessHashed } from '#src/users/users.ts'

/** How the operator sees the first start. */
export interface Operator {
  /** Whether a person reads the output. If not, a first password must not stay in a log. */
  isTerminal: boolean
  /**
   * Called with what the operator must know: the generated password, which is written nowhere else, or a warning that the
   * given password is easy to guess.
   */
  tell(sentence: string): void
}

/**
 * A first start: the messages for the operator, and whether it has created a state that is not in use yet.
 *
 * @param isTerminal whether a person reads the output
 */
export function createFirstStart(
  isTerminal: boolean,
): Operator & { isCreated: boolean; readonly lines: readonly string[] } {
  const lines: string[] = []
  return { isTerminal, isCreated: false, lines, tell: (sentence) => void lines.push(sentence) }
}

/**
 * Returns the state of a new instance: its settings, its key, and an administrator with the given or a random password.
 * Without a terminal and without a given password there is no administrator: one is created on the set-up page.
 *
 * @throws StartupProblem when the configured user name is invalid
 */
export async function createFirstState(config: Config, operator: Operator): Promise<State> {
  const state: State = {
    version: 6,
    nextUserId: 1,
    users: {},
    credentials: { signingKey: randomBytes(64).toString('base64'), passwords: {} },
    settings: newSettings(),
    shares: {},
  }
  const username = validName(config)
  if (usesSetupPage(config, operator)) return state
  const admin = await firstAdmin(config, username, operator)
  admin.insert(draftOf(state))
  admin.announce()
  return state
}

/**
 * Completes the state of an earlier start, or of this one, and returns the code for the set-up page; undefined when there
 * is an administrator. Creates the administrator if the set-up page was not used before, and is not offered now. Replaces
 * the generated password of the first administrator if it was never printed, because the start that generated it was
 * killed.
 *
 * @throws StartupProblem when the configured user name is invalid or taken
 */
export async function completeFirstRun(
  config: Config,
  store: Store,
  given: Operator & { isCreated: boolean },
): Promise<string | undefined> {
  // Where a proxy signs users in, no password is of use.
  const operator = { ...given, isTerminal: given.isTerminal && config.authHeader === undefined }
  if (!operator.isCreated) await replaceUnprintedPassword(config, store, operator)
  if (store.current.hasAdmin()) return undefined
  const username = validName(config)
  if (usesSetupPage(config, operator)) return createSetupCode()
  const admin = await firstAdmin(config, username, operator)
  await store.change((draft) => admin.insert(draft))
  admin.announce()
  return undefined
}

/** What to print about the set-up page. `url` is the address of the server, as printed at its start. */
export function setupNotice(url: string, { baseUrl }: Config, code: string): string {
  // A browser cannot open the address that stands for all addresses, nor a unix socket.
  const place = /^https?:/.test(url)
    ? `${url.replace(/^(https?:\/\/)(0\.0\.0\.0|\[::\])(?=[:/])/, '$1localhost')}setup`
    : `the page ${baseUrl}/setup`
  return `Coffer has no administrator yet. Open ${place} and enter the code ${code} (valid until the next start).`
}

/** Records that the first password has been printed. */
export async function markPasswordPrinted(store: Store): Promise<void> {
  if (!(await store.unprinted())) return
  await store.change((draft) => {
    draft.unprinted = undefined
  })
}

/**
 * A password that the user has changed since the killed start stays. Without a terminal, nothing is replaced: the new
 * password would stay in a log.
 */
async function replaceUnprintedPassword(
  config: Config,
  store: Store,
  { tell, isTerminal }: Operator,
): Promise<void> {
  const unprinted = await store.unprinted()
  const user = unprinted && (await store.users.byId(unprinted.id))
  if (!user || config.noauth) return
  if (isGenerated(config) && !isTerminal) {
    if ((await store.passwords.of(user.id)) === unprinted.hash) tell(neverShown(user.username))
    return
  }
  const password = config.password ?? generatePassword()
  refuseUnusableHash(password)
  const hash = await hashUnlessHashed(password)
  const isReplaced = await store.change((draft) => {
    const record = draft.users.get(user.id)
    const isUnchanged = record && draft.passwords.get(user.id) === unprinted.hash
    draft.unprinted = undefined
    if (!isUnchanged) return false
    replacePassword(draft, record, { hash, mustChange: isGenerated(config) })
    if (isGenerated(config)) draft.unprinted = { id: user.id, hash }
    return true
  })
  const sentence = firstPasswordNotice(config, { username: user.username, password, isTerminal })
  if (isReplaced && sentence) tell(sentence)
}

/** The first administrator, with the given or a random password. */
async function firstAdmin(config: Config, username: string, { tell, isTerminal }: Operator) {
  const password = config.password ?? generatePassword()
  refuseUnusableHash(password)
  const mustChange = isGenerated(config)
  const hash = await hashUnlessHashed(password)
  return {
    /** @throws StartupProblem when another user has the name. */
    insert(draft: Draft): void {
      refuseTakenName(draft, username)
      const { id } = insertFirstAdmin(draft, { username, hash, mustChange })
      if (mustChange && isTerminal) draft.unprinted = { id, hash }
    },
    announce(): void {
      const sentence = firstPasswordNotice(config, { username, password, isTerminal })
      if (sentence) tell(sentence)
    },
  }
}

function refuseTakenName(draft: Draft, username: string): void {
  try {
    refuseTaken(draft, username)
  } catch (error) {
    throw new StartupProblem(
      `There is no administrator, and the user name "${username}" is taken: set --username to another name.`,
      { cause: error },
    )
  }
}

/** Whether the first administrator is created on the set-up page: no password is given, and no terminal could show one. */
function usesSetupPage(
  { password, noauth, authHeader }: Config,
  { isTerminal }: { isTerminal: boolean },
): boolean {
  return !isTerminal && password === undefined && !noauth && authHeader === undefined
}

/** Whether Coffer generates the first password and must print it. */
function isGenerated({ password, noauth }: Config): boolean {
  return password === undefined && !noauth
}

/**
 * Returns what to print about the first password. A generated one is shown in a terminal only, never in a log. A hash is not
 * checked, because `coffer hash` has checked the password.
 */
function firstPasswordNotice(
  config: Config,
  { username, password, isTerminal }: { username: string; password: string; isTerminal: boolean },
): string | undefined {
  // Only where a proxy signs users in: otherwise there is a set-up page.
  if (isGenerated(config) && !isTerminal)
    return `First start. The proxy signs in "${username}", whose password nobody knows; set one with coffer users passwd.`
  if (isGenerated(config))
    return `First start. Sign in as "${username}" with the password ${password} (it is not shown again, and you must change it).`
  const weakness = config.password && !isHash(password) && passwordWarning(password, username)
  return weakness ? `${weakness} Change it after the first sign-in.` : undefined
}

function neverShown(username: string): string {
  return `The generated password of "${username}" was never shown. Start Coffer in a terminal to see a new one, or set one with coffer users passwd.`
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

/** Otherwise the text of the hash would be the password. @throws StartupProblem. */
function refuseUnusableHash(password: string): void {
  const fault = isBcryptForm(password) && bcryptFault(password)
  if (fault)
    throw new StartupProblem(
      `The hash of --password cannot be used, because ${fault}: make another one with coffer hash.`,
    )
}
