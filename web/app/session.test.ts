import t from 'tap'
import { userOf } from './session.ts'

const token = (payload: unknown) =>
  ['head', Buffer.from(JSON.stringify(payload)).toString('base64url'), 'signature'].join('.')

t.test('a token tells who is signed in, whatever their name is written in', async (t) => {
  const user = { id: 1, username: 'Ünïcødé 🎉' }
  t.same(userOf(token({ exp: 100, user }), 99_000), user)
})

t.test('a token that is over or no token of ours signs nobody in', async (t) => {
  t.equal(userOf(token({ exp: 100, user: {} }), 100_000), undefined)
  for (const text of ['', 'a.b', 'a.b.c', 'a.b.c.d', `${token({})}.x`]) t.equal(userOf(text), undefined, text)
})
