import { proxy } from 'valtio'
import type { Preferences, TokenUser } from '#contract/users.ts'
import { api, connection, renew } from '#web/api/client.ts'
import { activateLanguage } from './i18n.ts'
import { page } from './page.ts'
import { go, here, paths } from './paths.ts'
import { onRecall, recall, remember } from './preferences.ts'

/** Who is signed in, as their token tells it. */
export const session = proxy({ user: undefined as TokenUser | undefined })

/** The user in a token; undefined when it is malformed or its time is over (specification, section 5). */
export function userOf(token: string, now = Date.now()): TokenUser | undefined {
  const [, payload, signature, ...rest] = token.split('.')
  if (!payload || !signature || rest.length > 0) return undefined
  try {
    const bytes = Uint8Array.from(atob(payload.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
    const { exp, user } = JSON.parse(new TextDecoder().decode(bytes)) as { exp: number; user: TokenUser }
    return exp * 1000 > now ? user : undefined
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
  const stored = recall('token')
  const user = stored && userOf(stored)
  if (page.LoginPage) {
    if (user) adopt(stored)
    return
  }
  // Whom the proxy lets in now may be somebody else than before. The session goes on if it is theirs.
  if (user) connection.token = stored
  await enter()
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
  adopt(await api('POST /api/login', { body }))
  await activateLanguage(session.user?.locale ?? '')
}

/** Makes an account and signs in with it. @throws ApiProblem `user.exists`, `password.weak` … */
export async function signUp(body: Given): Promise<void> {
  await api('POST /api/signup', { body })
  await signIn(body)
}

/** Ends the session, here and on the server, and goes to the sign-in page. */
export async function signOut(): Promise<void> {
  // Whatever the server says, this device forgets: a person who signs out must be out.
  await api('POST /api/logout').catch(() => undefined)
  forget()
  if (page.LogoutPage) location.assign(page.LogoutPage)
  else go(paths.login())
}

/** Changes how files are shown to this person, here at once and on the server for every device (contract W9). */
export async function savePreferences(data: Partial<Preferences>): Promise<void> {
  const { user } = session
  if (!user) return
  Object.assign(user, data)
  const which = Object.keys(data)
  await api('PUT /api/users/:id', {
    params: { id: user.id },
    body: { what: 'user', which, data: { id: user.id, ...data } },
  })
  // The token tells of the user, and the page believes it when it is opened again.
  await renew()
}

function adopt(token: string): void {
  const before = session.user
  connection.token = token
  session.user = userOf(token)
  remember('token', token)
  // Another device, or an administrator, may have chosen another language meanwhile.
  const { user } = session
  if (before && user && user.locale !== before.locale) void activateLanguage(user.locale)
}

function forget(): void {
  connection.token = ''
  session.user = undefined
  remember('token', undefined)
}

function leave(): void {
  if (!session.user) return
  const target = here()
  forget()
  if (!target.startsWith('/login')) go(paths.login(target), { replace: true })
}
