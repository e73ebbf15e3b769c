import { proxy } from 'valtio'
import type { Permissions, TokenUser } from '#contract/users.ts'
import { noPermissions } from '#web/actions/registry.ts'
import { ApiProblem, api, connection } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { activateLanguage } from './i18n.ts'
import { page } from './page.ts'
import { currentAddress, navigateTo, paths } from './paths.ts'
import { onStoredChange, readStored, writeStored } from './preferences.ts'
import { applyLook } from './theme.ts'

/** The signed-in user, as stored in the token. */
export const session = proxy({ user: undefined as TokenUser | undefined })

interface Claims {
  /** Seconds since 1970. */
  exp: number
  user: TokenUser
}

/**
 * The id of the signed-in user; undefined also while a generated password must be replaced. Until then the server refuses
 * all other requests, so nothing may be requested yet.
 */
export function readyUserId(): number | undefined {
  const { user } = session
  return user?.mustChangePassword ? undefined : user?.id
}

/** The permissions for the current origin. The rights of a share decide whether its visitors download from it. */
export function permissions(): Permissions {
  const { link } = origin
  if (!link) return session.user?.perm ?? noPermissions
  return { ...noPermissions, download: !['view', 'upload'].includes(link.offer?.rights ?? '') }
}

/**
 * Whether a user with these permissions may create, see and delete shared links. A visitor of a link downloads, so
 * sharing needs both permissions, as on the server.
 */
export function mayShare({
  admin,
  share,
  download,
}: Pick<Permissions, 'admin' | 'share' | 'download'>): boolean {
  return admin || (share && download && page.Sharing.who !== 'administrators')
}

/** The claims of a token; undefined if it is malformed. */
export function claimsOf(token: string): Claims | undefined {
  const [, payload, signature, ...rest] = token.split('.')
  if (!payload || !signature || rest.length > 0) return undefined
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
    const { exp, user } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Claims>
    return user && typeof exp === 'number' ? { exp, user } : undefined
  } catch {
    // Not a token of this server: the user has to sign in again.
    return undefined
  }
}

/**
 * Restores the stored session. If there is no sign-in page, signs in without one.
 *
 * @throws ApiProblem when the server refuses the sign-in.
 */
export async function restoreSession(): Promise<void> {
  connection.baseUrl = page.BaseURL
  connection.onToken = adopt
  connection.onSignedOut = leave
  onStoredChange('token', (token) => (token ? adopt(token) : leave()))
  const stored = usable(readStored('token'))
  if (page.LoginPage) {
    if (stored) adopt(stored)
    return
  }
  // The proxy may now authenticate another user than before. The server keeps the session if the user is the same.
  if (stored) connection.token = stored
  await signInWithoutPassword()
}

/** Returns a stored token, or removes it with a warning if it is expired or malformed. */
function usable(token: string | undefined): string | undefined {
  const claims = token && claimsOf(token)
  if (!token || (claims && claims.exp * 1000 > Date.now())) return token
  // biome-ignore lint/suspicious/noConsole: helps developers to find the cause.
  console.warn(claims ? 'token expired' : 'token malformed')
  writeStored('token', undefined)
  return undefined
}

/** Signs in without a password. @throws ApiProblem `auth.wrong` when the server refuses. */
export async function signInWithoutPassword(): Promise<void> {
  try {
    await signIn({ username: '', password: '' })
  } catch (error) {
    forget()
    throw error
  }
}

/** The credentials that the user typed, and the response of the captcha. */
interface Credentials {
  username: string
  password: string
  recaptcha?: string
}

/** Signs in. @throws ApiProblem `auth.wrong`, `auth.limited` or `auth.unchecked`. */
export async function signIn(body: Credentials): Promise<void> {
  // A proxy may have answered with a page of its own.
  if (!adopt(await api('POST /api/login', { body }))) throw new ApiProblem(200, 'server.failed', 'no token')
  await activateLanguage(session.user?.locale ?? '')
}

/** Ends the session here and on the server, then shows the sign-in page. */
export async function signOut(): Promise<void> {
  // The session ends on this device even if the server cannot be reached.
  await api('POST /api/logout').catch(() => undefined)
  forget()
  if (page.LogoutPage) location.assign(page.LogoutPage)
  else navigateTo(paths.login())
}

/**
 * Adopts a new token. Returns false if it is malformed. Does not check its expiry, because the clocks of the server and
 * of this device may differ.
 */
function adopt(token: string): boolean {
  const user = claimsOf(token)?.user
  if (!user) return false
  const before = session.user
  connection.token = token
  applyLook(user)
  session.user = user
  writeStored('token', token)
  // The language may have been changed on another device or by an administrator. If loading it fails, the old one
  // stays.
  if (before && user.locale !== before.locale) activateLanguage(user.locale).catch(() => undefined)
  return true
}

function forget(): void {
  connection.token = ''
  session.user = undefined
  writeStored('token', undefined)
  // The next user of this device must not see what was watched.
  writeStored('positions', undefined)
  applyLook(undefined)
}

function leave(): void {
  if (!session.user) return
  const target = currentAddress()
  forget()
  if (!target.startsWith('/login')) navigateTo(paths.login(target), { replace: true })
}
