import { proxy, snapshot } from 'valtio'
import type { Permissions, Preferences, TokenUser } from '#contract/users.ts'
import { nothing } from '#web/actions/registry.ts'
import { ApiProblem, api, connection, renew } from '#web/api/client.ts'
import { origin } from '#web/api/origin.ts'
import { activateLanguage } from './i18n.ts'
import { page } from './page.ts'
import { go, here, paths } from './paths.ts'
import { onRecall, recall, remember } from './preferences.ts'
import { applyTheme } from './theme.ts'

/** Who is signed in, as their token tells it. */
export const session = proxy({ user: undefined as TokenUser | undefined })

interface Claims {
  /** Seconds since 1970. */
  exp: number
  user: TokenUser
}

/** What the person may do with what is shown: everybody who opens a link may download from it, and nothing else. */
export function permissions(): Permissions {
  return origin.link ? { ...nothing, download: true } : (session.user?.perm ?? nothing)
}

/** What a token says; undefined when it is malformed. */
export function claimsOf(token: string): Claims | undefined {
  const [, payload, signature, ...rest] = token.split('.')
  if (!payload || !signature || rest.length > 0) return undefined
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
    const { exp, user } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Claims>
    return user && typeof exp === 'number' ? { exp, user } : undefined
  } catch {
    // Not a token of ours: the person signs in again.
    return undefined
  }
}

/**
 * Takes up the stored session, and where nobody signs in by hand, makes one.
 *
 * @throws ApiProblem when the server refuses to do so.
 */
export async function restoreSession(): Promise<void> {
  connection.baseUrl = page.BaseURL
  connection.onToken = adopt
  connection.onSignedOut = leave
  onRecall('token', (token) => (token ? adopt(token) : leave()))
  const stored = usable(recall('token'))
  if (page.LoginPage) {
    if (stored) adopt(stored)
    return
  }
  // Whom the proxy lets in now may be somebody else than before. The session goes on if it is theirs.
  if (stored) connection.token = stored
  await enter()
}

/** A stored token, unless it is no good any more: then it goes, with a warning. */
function usable(token: string | undefined): string | undefined {
  const claims = token && claimsOf(token)
  if (!token || (claims && claims.exp * 1000 > Date.now())) return token
  // biome-ignore lint/suspicious/noConsole: a developer who looks for the cause finds it here.
  console.warn(claims ? 'token expired' : 'token malformed')
  remember('token', undefined)
  return undefined
}

/** Signs in where nobody is asked for a password. @throws ApiProblem `auth.wrong` when the server lets nobody in. */
export async function enter(): Promise<void> {
  try {
    await signIn({ username: '', password: '' })
  } catch (error) {
    forget()
    throw error
  }
}

/** What a person types to come in, and what the human check answered them. */
interface Given {
  username: string
  password: string
  recaptcha?: string
}

/** Signs in. @throws ApiProblem `auth.wrong`, `auth.limited` or `auth.unchecked`. */
export async function signIn(body: Given): Promise<void> {
  // Something between us and the server may answer with a page of its own.
  if (!adopt(await api('POST /api/login', { body }))) throw new ApiProblem(200, 'server.failed', 'no token')
  await activateLanguage(session.user?.locale ?? '')
}

/** Ends the session, here and on the server, and goes to the sign-in page. */
export async function signOut(): Promise<void> {
  // Whatever the server says, this device forgets: a person who signs out must be out.
  await api('POST /api/logout').catch(() => undefined)
  forget()
  if (page.LogoutPage) location.assign(page.LogoutPage)
  else go(paths.login())
}

/**
 * Changes how files are shown to this person, here at once and on the server for every device (contract/README.md#users-and-settings).
 *
 * @throws ApiProblem when the server refuses; here, too, it is then as it was.
 */
export async function savePreferences(data: Partial<Preferences>): Promise<void> {
  const { user } = session
  if (!user) return
  const before = snapshot(user)
  Object.assign(user, data)
  const which = Object.keys(data) as (keyof Preferences)[]
  try {
    await api('PUT /api/users/:id', {
      params: { id: user.id },
      body: { what: 'user', which, data: { id: user.id, ...data } },
    })
  } catch (error) {
    // What was chosen meanwhile is newer, and stays.
    const isOurs = (name: keyof Preferences) => isSame(session.user?.[name], data[name])
    const back = which.filter(isOurs).map((name) => [name, before[name]])
    if (session.user?.id === user.id) Object.assign(session.user, Object.fromEntries(back))
    throw error
  }
  // The token tells of the user, and the page believes it when it is opened again.
  await renew()
}

/**
 * Takes up a token that was given just now; false: it is none. Its end is the server's to judge, whose clock may be far
 * behind this device's.
 */
function adopt(token: string): boolean {
  const user = claimsOf(token)?.user
  if (!user) return false
  const before = session.user
  connection.token = token
  session.user = user
  remember('token', token)
  applyTheme(user.theme)
  // Another device, or an administrator, may have chosen another language meanwhile. Without its words the old one stays.
  if (before && user.locale !== before.locale) activateLanguage(user.locale).catch(() => undefined)
  return true
}

/** Preferences are small values, and an order of sorting is an object. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

function forget(): void {
  connection.token = ''
  session.user = undefined
  remember('token', undefined)
  applyTheme()
}

function leave(): void {
  if (!session.user) return
  const target = here()
  forget()
  if (!target.startsWith('/login')) go(paths.login(target), { replace: true })
}
