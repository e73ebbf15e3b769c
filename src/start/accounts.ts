import { createFileModes } from '#src/access/modes.ts'
import type { Audit } from '#src/audit/audit.ts'
import type { AuditEntry } from '#src/audit/entry.ts'
import { createAuth } from '#src/auth/auth.ts'
import { createCaptcha } from '#src/auth/captcha.ts'
import { createExternalAuth } from '#src/auth/external-auth.ts'
import { createLoginLimiter } from '#src/auth/login-limiter.ts'
import { createProof } from '#src/auth/proof.ts'
import { createSessions } from '#src/auth/sessions.ts'
import { createSetup } from '#src/auth/setup.ts'
import { createBranding } from '#src/branding/branding.ts'
import type { Config } from '#src/config/config.ts'
import type { Clock } from '#src/core/clock.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { Logger } from '#src/core/log/log.ts'
import { isLoopback } from '#src/core/network.ts'
import { createProxyCheck } from '#src/core/trusted-proxies.ts'
import { createSettings } from '#src/settings/settings.ts'
import type { SessionRecord, SessionStore } from '#src/state/sessions.ts'
import type { Store } from '#src/state/store.ts'
import { exportUsers, importUsers } from '#src/users/bulk-users.ts'
import { createHomes } from '#src/users/homes.ts'
import { createPasswordReset } from '#src/users/password-reset.ts'
import { createProvisioning } from '#src/users/provisioning.ts'
import { createUsers } from '#src/users/users.ts'

/** What the services of accounts need. */
interface AccountSources {
  store: Store
  sessionRecords: SessionStore
  clock: Clock
  log: Logger
  /** Real paths that are not accessible through Coffer. */
  secret: readonly string[]
  locks: KeyedLock
  /** The code for the set-up page. Undefined: there is an administrator. */
  setupCode: string | undefined
  /** The audit log, for sign-ins. Undefined in commands, which serve no requests. */
  audit?: Pick<Audit, 'noteRepeated'> | undefined
  /** Called after an account was deleted. Must not throw. */
  onUserRemoved?: (() => Promise<void>) | undefined
}

/** Creates the services for users, sessions, signing in and settings. */
export function createAccounts(
  config: Config,
  { store, sessionRecords, locks, clock, secret, log, setupCode, audit, onUserRemoved }: AccountSources,
) {
  const { root: served, noauth, authHeader } = config
  const modes = createFileModes(store.current, config)
  const isLoopbackOnly = !config.socket && isLoopback(config.address)
  const homes = createHomes({ settings: store.settings, modes, served, secret })
  const users = createUsers({ store, homes, onRemoved: onUserRemoved })
  const provisioning = createProvisioning({ settings: store.settings, users, homes, locks })
  const key = store.current.signingKey
  const sessions = createSessions({
    records: sessionRecords,
    key,
    clock,
    tokenLifeMs: config.tokenExpirationMs,
    log,
    onStart: audit && ((session, username) => audit.noteRepeated(signInOf(session, username))),
  })
  const attempts = createLoginLimiter(clock, config.loginAttempts)
  const isTrustedPeer = createProxyCheck(config.trustedProxy)
  const known = { store, users, provisioning }
  const externalAuth = createExternalAuth({
    ...known,
    noauth,
    isLoopbackOnly,
    authHeader,
    isTrustedPeer,
    log,
  })
  const { recaptchaHost: host, recaptchaSecret } = config
  const humanCheck = createCaptcha(recaptchaSecret ? { host, secret: recaptchaSecret } : undefined, clock)
  const accounts = { store, users, sessions, attempts, homes, provisioning }
  const branding = createBranding({ settings: store.settings, secret })
  const settings = createSettings({
    store,
    authMethod: externalAuth.method,
    checkFolder: branding.checkFolder,
    generator: config.staticgen,
  })
  const auth = createAuth({
    ...accounts,
    servedRoot: served,
    secretPaths: secret,
    externalAuth,
    captcha: humanCheck,
  })
  const proof = createProof({ users, sessions, loginLimiter: attempts, externalAuth, clock })
  const setup = openSetup(setupCode, { users, sessions, attempts, username: config.username })
  const { resetPassword } = createPasswordReset({ users, sessions })
  return {
    users,
    homes,
    setup,
    resetPassword,
    provisioning,
    sessions,
    attempts,
    externalAuth,
    auth,
    proof,
    key,
    modes,
    branding,
    settings,
    exportUsers: () => exportUsers(store),
    importUsers: (...given: DropFirst<Parameters<typeof importUsers>>) =>
      importUsers({ store, homes }, ...given),
  }
}

/** Undefined: there is an administrator. */
function openSetup(code: string | undefined, rest: Omit<Parameters<typeof createSetup>[0], 'code'>) {
  return code === undefined ? undefined : createSetup({ ...rest, code })
}

/** The record of a sign-in. */
function signInOf({ id, userId, address }: SessionRecord, userName: string): AuditEntry {
  return { kind: 'login', outcome: 'done', who: { userId, userName, session: id, address } }
}

type DropFirst<T extends readonly unknown[]> = T extends [unknown, ...infer Rest] ? Rest : never
