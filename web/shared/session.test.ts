import t from 'tap'
import { claimsOf } from './session.ts'

const token = (payload: unknown) =>
  ['head', Buffer.from(JSON.stringify(payload)).toString('base64url'), 'signature'].join('.')

t.test('a token contains the user and its expiry, in any script', async (t) => {
  const user = { id: 1, username: 'Ünïcødé 🎉' }
  t.same(claimsOf(token({ exp: 100, user })), { exp: 100, user })
})

t.test('a malformed token signs nobody in', async (t) => {
  const none = ['', 'a.b', 'a.b.c', 'a.b.c.d', `${token({})}.x`, token({}), token({ user: {} }), token(null)]
  for (const text of none) t.equal(claimsOf(text), undefined, text)
})
