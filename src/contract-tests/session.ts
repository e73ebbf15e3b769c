import { equal, match, ok, partialDeepStrictEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { withToken } from './client.ts'
import { claimsOf, type Place } from './place.ts'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

const ofLogin = rulesOf('Login')
const ofSessions = rulesOf('Sessions')
const ofTokens = rulesOf('Tokens')
const ofRenewing = rulesOf('Renewing tokens')
const ofSignUp = rulesOf('Sign-up')

/** Logging in and out, tokens, tickets and sessions. */
export const session = [
  ofLogin('a login returns the token as text, with exp, iat and the user', async (place) => {
    const reply = await place.login(place.ann.username, place.ann.password)
    answers(reply, 200)
    match(reply.headers['content-type'] ?? '', /^text\/plain/)
    match(reply.text, /^[\w-]+\.[\w-]+\.[\w-]+$/)
    const { exp, iat, user } = claimsOf(reply.text)
    ok(exp > iat && Math.abs(iat - Date.now() / 1000) < 3600, 'in seconds')
    equal(user.username, place.ann.username)
    for (const key of ['id', 'locale', 'viewMode', 'perm', 'commands', 'lockPassword']) ok(key in user, key)
    for (const key of ['scope', 'rules', 'password']) ok(!(key in user), key)
  }),
  ofLogin('clients may send a login with any content type', async ({ call, ann }) => {
    const body = JSON.stringify({ username: ann.username, password: ann.password, recaptcha: '' })
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/json',
      'application/x-www-form-urlencoded',
    ]) {
      answers(await call('POST', '/api/login', { body, headers: { 'Content-Type': type } }), 200)
    }
  }),
  ofSessions(
    'wrong credentials are 403, with the same response whether the name exists or not',
    async ({ login, ann }) => {
      const known = await login(ann.username, 'this is wrong')
      const unknown = await login(`nobody-${ann.username}`, 'this is wrong')
      refuses(known, 403)
      equal(known.text, unknown.text)
    },
  ),
  ofLogin(
    'a login without valid JSON or with missing fields is 403; a wrong type is 400',
    async ({ call, ann }) => {
      const post = (body?: string | object) => call('POST', '/api/login', body === undefined ? {} : { body })
      for (const body of [undefined, '', '{', 'username=a', 'null', {}, { username: ann.username }]) {
        refuses(await post(body), 403)
      }
      refuses(await post({ password: ann.password, recaptcha: '' }), 403)
      refuses(await post({ username: ann.username, password: 5 }), 400)
      refuses(await post('[]'), 400)
      refuses(await post('"x"'), 400)
      refuses(await post(`"${'x'.repeat(3_000_000)}"`), 413)
    },
  ),
  ofTokens('a value in X-Auth that cannot be a token is ignored', async ({ call, ann }) => {
    const Authorization = `Bearer ${ann.token}`
    for (const own of ['null', 'undefined', 'a.b', ' ']) {
      answers(await call('GET', '/api/resources/', { headers: { 'X-Auth': own, Authorization } }), 200)
      answers(await call('GET', `/api/raw/?auth=${ann.token}`, { headers: { 'X-Auth': own } }), 200)
      refuses(await call('GET', '/api/resources/', { headers: { 'X-Auth': own } }), 401)
    }
    refuses(await call('GET', '/api/resources/', { headers: { 'X-Auth': 'a.b.c', Authorization } }), 401)
  }),
  ofSessions('a token is accepted in X-Auth and as Bearer, and nowhere else', async ({ call, ann }) => {
    const { token } = ann
    answers(await call('GET', '/api/resources/', { headers: { 'X-Auth': token } }), 200)
    answers(await call('GET', '/api/resources/', { headers: { Authorization: `Bearer ${token}` } }), 200)
    refuses(await call('GET', '/api/resources/', { headers: { Cookie: `auth=${token}` } }), 401)
    refuses(await call('GET', `/api/resources/?auth=${token}`), 401)
    refuses(await call('GET', '/api/resources/'), 401)
  }),
  ofSessions('a token in the query reads raw content and cannot write', async ({ call, ann, room }) => {
    const path = await room({ 'a.txt': 'text' })
    const reply = await call('GET', `/api/raw${path}/a.txt?auth=${ann.token}`)
    answers(reply, 200)
    equal(reply.text, 'text')
    refuses(await call('DELETE', `/api/resources${path}/a.txt?auth=${ann.token}`), 401)
  }),
  ofSessions('a token that this server did not issue is 401', async ({ call, ann }) => {
    const [head = '', payload = '', sign = ''] = ann.token.split('.')
    const other = Buffer.from(JSON.stringify({ ...claimsOf(ann.token), exp: 9e9 })).toString('base64url')
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    const forged = ['x', 'a.b.c', `${head}.${payload}`, `${head}.${other}.${sign}`, `${none}.${payload}.`]
    for (const token of [...forged, `${ann.token}x`, `${head}.${payload}.`]) {
      refuses(await withToken(call, token)('GET', '/api/resources/'), 401)
    }
  }),
  ofRenewing(
    'renewing returns a new token, and earlier tokens stay valid until they expire',
    async (place) => {
      const { login, ann, call } = place
      const old = (await login(ann.username, ann.password)).text
      const reply = await withToken(call, old)('POST', '/api/renew')
      answers(reply, 200)
      ok(claimsOf(reply.text).exp >= claimsOf(old).exp)
      equal(reply.headers['x-renew-token'], 'false')
      answers(await withToken(call, reply.text)('GET', '/api/resources/'), 200)
      answers(await withToken(call, old)('GET', '/api/resources/'), 200)
      refuses(await call('POST', '/api/renew'), 401)
    },
  ),
  ofSessions('logging out ends the session at once', async ({ login, ann, call }) => {
    const own = withToken(call, (await login(ann.username, ann.password)).text)
    isDone(await own('POST', '/api/logout'))
    refuses(await own('GET', '/api/resources/'), 401)
    refuses(await own('POST', '/api/renew'), 401)
    answers(await ann.call('GET', '/api/resources/'), 200)
  }),
  ofSessions('a ticket opens one path for one action, and nothing else', async ({ call, ann, room }) => {
    const path = await room({ 'a.txt': 'text', 'b.txt': '' })
    const body = { action: 'raw', path: `${path}/a.txt` }
    const reply = await ann.call('POST', '/api/ticket', { body })
    const { ticket } = reply.json<{ ticket: string }>()
    equal((await call('GET', `/api/raw${path}/a.txt?auth=${ticket}`)).text, 'text')
    refuses(await call('GET', `/api/raw${path}/b.txt?auth=${ticket}`), 401)
    refuses(await withToken(call, ticket)('GET', `/api/resources${path}/a.txt`), 401)
    refuses(await ann.call('POST', '/api/ticket', { body: { ...body, action: 'write' } }), 400)
  }),
  ofSessions('users list and end their own sessions, but cannot see those of others', async (place) => {
    const { login, ann, guest, call } = place
    const other = withToken(call, (await login(ann.username, ann.password)).text)
    interface View {
      id: string
      current: boolean
    }
    const mine = (await other('GET', '/api/sessions')).json<View[]>().find(({ current }) => current)
    ok(mine)
    refuses(await guest.call('DELETE', `/api/sessions/${mine.id}`), 404)
    refuses(await guest.call('GET', `/api/users/${ann.id}/sessions`), 403)
    isDone(await ann.call('DELETE', `/api/sessions/${mine.id}`))
    refuses(await other('GET', '/api/sessions'), 401)
  }),
  ofSessions('an administrator ends all sessions of a user', async ({ admin, addPerson }) => {
    const person = await addPerson({})
    tells(await admin.call('GET', `/api/users/${person.id}/sessions`), [{ current: false }])
    isDone(await admin.call('DELETE', `/api/users/${person.id}/sessions`))
    refuses(await person.call('GET', '/api/resources/'), 401)
  }),
  ofSessions('an administrator ends one session of a user, not the others', async (place) => {
    const { admin, addPerson, login, call } = place
    const person = await addPerson({})
    const other = withToken(call, (await login(person.username, person.password)).text)
    interface View {
      id: string
      current: boolean
    }
    const ended = (await other('GET', '/api/sessions')).json<View[]>().find(({ current }) => current)
    ok(ended)
    const address = `/api/users/${person.id}/sessions/${ended.id}`
    refuses(await person.call('DELETE', address), 403)
    isDone(await admin.call('DELETE', address))
    refuses(await other('GET', '/api/resources/'), 401)
    refuses(await admin.call('DELETE', address), 404)
    answers(await person.call('GET', '/api/resources/'), 200)
  }),
  ofRenewing('a changed user gets x-renew-token: true', async ({ admin, addPerson }) => {
    const person = await addPerson({})
    equal((await person.call('GET', '/api/resources/')).headers['x-renew-token'], undefined)
    const data = { id: person.id, locale: 'fr' }
    isDone(
      await admin.call('PUT', `/api/users/${person.id}`, { body: { what: 'user', which: ['locale'], data } }),
    )
    equal((await person.call('GET', '/api/resources/')).headers['x-renew-token'], 'true')
  }),
  ofSignUp('signing up is 405 while it is disabled', async (place) => {
    const body = { username: freshName(), password: 'a password of strangers' }
    await whileSignup(place, false, async () =>
      refuses(await place.call('POST', '/api/signup', { body }), 405),
    )
    await whileSignup(place, false, async () => {
      const reply = await place.call('POST', '/api/signup', { body: '{' })
      refuses(reply, 405)
      equal(reply.headers.allow, '')
    })
  }),
  ofSignUp('signing up is 200, 409 or 400, and never grants permissions', async (place) => {
    const body = { username: freshName(), password: 'a password of strangers' }
    await whileSignup(place, true, async () => {
      const post = (given: object) => place.call('POST', '/api/signup', { body: given })
      isDone(await post({ ...body, perm: { admin: true }, admin: true }))
      try {
        refuses(await post(body), 409)
        refuses(await post({ ...body, username: body.username.toUpperCase() }), 409)
        refuses(await post({ username: freshName(), password: 'short' }), 400)
        refuses(await post({ username: freshName() }), 400)
        const { user } = claimsOf((await place.login(body.username, body.password)).text)
        partialDeepStrictEqual(user, { perm: { admin: false, execute: false }, commands: [] })
      } finally {
        await removeSignedUp(place, body.username)
      }
    })
  }),
]

const freshName = () => `contract-${randomBytes(6).toString('hex')}`

/**
 * Calls `work` while sign-up is enabled or disabled, then restores the settings. A user who signs up meanwhile gets a
 * home folder, which can be removed with the user.
 */
async function whileSignup({ admin }: Place, signup: boolean, work: () => Promise<void>): Promise<void> {
  const before = (await admin.call('GET', '/api/settings')).json<{
    signup: boolean
    createUserDir: boolean
  }>()
  isDone(await admin.call('PUT', '/api/settings', { body: { signup, createUserDir: true } }))
  try {
    await work()
  } finally {
    const { signup, createUserDir } = before
    isDone(await admin.call('PUT', '/api/settings', { body: { signup, createUserDir } }))
  }
}

/** Removes a signed-up user and the home folder, and the folder of all homes if it is empty. */
async function removeSignedUp({ admin }: Place, username: string): Promise<void> {
  const users = (await admin.call('GET', '/api/users')).json<
    { id: number; username: string; scope: string }[]
  >()
  const user = users.find((one) => one.username === username)
  if (!user) return
  await admin.call('DELETE', `/api/users/${user.id}`)
  await admin.call('DELETE', `/api/resources${user.scope}/`)
  const homes = posix.dirname(user.scope)
  const left = await admin.call('GET', `/api/resources${homes}/`)
  const isEmpty = left.status === 200 && left.json<{ items: object[] }>().items.length === 0
  if (isEmpty && homes !== '/') await admin.call('DELETE', `/api/resources${homes}/`)
}
