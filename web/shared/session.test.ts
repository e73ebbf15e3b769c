import t from 'tap'
import { claimsOf } from './session.ts'

const token = (payload: unknown) =>
  ['head', Buffer.from(JSON.stringify(payload)).toString('base64url'), 'signature'].join('.')

t.test('a token tells who is signed in and until when, whatever their name is written in', async (t) => {
  const user = { id: 1, username: 'Ünïcødé 🎉' }
  t.same(claimsOf(token({ exp: 100, user })), { exp: 100, user })
})

t.test('what is no token of ours signs nobody in', async (t) => {
  const none = ['', 'a.b', 'a.b.c', 'a.b.c.d', `${token({})}.x`, token({}), token({ user: {} }), token(null)]
  for (const text of none) t.equal(claimsOf(text), undefined, text)
})
