import t from 'tap'
import { password, start } from '#src/testing/start.ts'

const people = { ann: {}, lee: { lockPassword: true } }
const next = 'another long passphrase'

t.test('the operator replaces a lost password by a made-up one, which ends all sessions', async (t) => {
  const { call, as, document, services } = await start(t, { people })
  const ann = await as('ann')
  const made = await services.resetPassword(2)
  t.match(made, /^[\w-]{16}$/)
  t.equal((await ann('GET', '/api/users/2')).statusCode, 401)
  const login = (password: string) => call('POST', '/api/login', { payload: { username: 'ann', password } })
  t.equal((await login(password)).statusCode, 403)
  const reply = await login(made)
  t.equal(reply.statusCode, 200)
  t.equal(document.data.users[2]?.mustChangePassword, true)
  const headers = { 'x-auth': reply.body }
  t.match((await call('GET', '/api/resources/', { headers })).body, /must be changed first/)
})

t.test('the operator sets a chosen password, which need not be changed', async (t) => {
  const { call, document, services } = await start(t, { people })
  await services.resetPassword(2)
  t.equal(await services.resetPassword(2, { password: next }), next)
  t.notOk('mustChangePassword' in (document.data.users[2] ?? {}))
  const reply = await call('POST', '/api/login', { payload: { username: 'ann', password: next } })
  t.equal((await call('GET', '/api/resources/', { headers: { 'x-auth': reply.body } })).statusCode, 200)
  await services.resetPassword(2, { password: next, mustChange: true })
  t.equal(document.data.users[2]?.mustChangePassword, true)
})

t.test('the operator sets a locked password, which its user cannot change', async (t) => {
  const { document, services } = await start(t, { people })
  const before = document.data.credentials.passwords[3]
  t.ok(await services.resetPassword(3))
  t.not(document.data.credentials.passwords[3], before)
  t.match(document.data.users[3], { lockPassword: true, mustChangePassword: undefined })
})

t.test('a lost password is not replaced by a weak one, nor for an unknown user', async (t) => {
  const { document, services, as } = await start(t, { people })
  const ann = await as('ann')
  const before = structuredClone(document.data)
  await t.rejects(services.resetPassword(2, { password: 'short' }), { code: 'password.weak' })
  await t.rejects(services.resetPassword(2, { password: 'ann-ann-ann-ann' }), { code: 'password.common' })
  await t.rejects(services.resetPassword(9), { code: 'user.unknown' })
  t.strictSame(document.data, before)
  t.equal((await ann('GET', '/api/users/2')).statusCode, 200, 'a refused password ends no session')
})
