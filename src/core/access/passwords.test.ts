import { argon2Sync } from 'node:crypto'
import { hashSync } from 'bcryptjs'
import t from 'tap'
import { bcryptFault } from './bcrypt.ts'
import { hashPassword, isHash, isOutdatedHash, verifyPassword } from './passwords.ts'

t.test('verifies a password only against its own hash', async (t) => {
  const stored = await hashPassword('correct horse')
  t.ok(await verifyPassword(stored, 'correct horse'))
  for (const wrong of ['', 'correct hors', 'correct horse ', 'Correct horse', stored]) {
    t.notOk(await verifyPassword(stored, wrong), wrong)
  }
})

t.test(
  'a hash is argon2id with the parameters that OWASP recommends, is salted and reveals nothing of the password',
  async (t) => {
    const [one, two] = [await hashPassword('same'), await hashPassword('same')]
    t.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    t.not(one, two)
    t.ok(isHash(one))
  },
)

t.test('the hashes match those of the standard algorithm', async (t) => {
  const stored = await hashPassword('correct horse')
  const [, , , , salt = '', tag = ''] = stored.split('$')
  const options = { message: 'correct horse', nonce: Buffer.from(salt, 'base64'), parallelism: 1 }
  const ours = argon2Sync('argon2id', { ...options, tagLength: 32, memory: 19_456, passes: 2 })
  t.equal(ours.toString('base64').replace(/=+$/, ''), tag)
})

t.test('accepts a password in another Unicode normal form', async (t) => {
  const stored = await hashPassword('pa\u0308sswort')
  t.ok(await verifyPassword(stored, 'p\u00e4sswort'))
})

t.test('every byte of a long password counts', async (t) => {
  const long = 'x'.repeat(1023)
  const stored = await hashPassword(`${long}y`)
  t.ok(await verifyPassword(stored, `${long}y`))
  t.notOk(await verifyPassword(stored, `${long}z`))
})

t.test('a missing account accepts no password', async (t) => {
  t.notOk(await verifyPassword(undefined, 'nobody has this password'))
  t.notOk(await verifyPassword(undefined, ''))
})

t.test('a plain password is never mistaken for a hash', async (t) => {
  for (const plain of [
    '',
    'secret',
    '$argon2id$',
    '$2a$10$abcdefghijklmnopqrstuu',
    '$argon2id$v=19$m=1,t=1,p=1$a$b',
  ]) {
    t.notOk(isHash(plain), plain)
  }
})

t.test('refuses sign-ins beyond the limit of the queue', async (t) => {
  const cheap =
    '$argon2id$v=19$m=8,t=1,p=1$p1Bz20g3gR1lrnXlmHhz9g$SG63aujOJYFJ6hNtj5o8Flm/10onC/b0nNkdQaa3tjg'
  const results = await Promise.all(
    Array.from({ length: 200 }, () =>
      verifyPassword(cheap, 'x').then(
        (result) => String(result),
        (error) => error.code,
      ),
    ),
  )
  t.equal(results.filter((result) => result === 'false').length, 65)
  t.equal(results.filter((result) => result === 'server.busy').length, 135)
  t.notOk(await verifyPassword(cheap, 'x'), 'the next sign-in is served again')
})

t.test('verifies bcrypt hashes of File Browser, in each version that is in use', async (t) => {
  // Made by File Browser 2.63.
  const stored = '$2a$10$bbQwBa9/1ANqpCmMGX0hteeZepUW6fqvLlftgXJDuBxzB3ZTXDRKe'
  t.ok(isHash(stored) && isOutdatedHash(stored))
  t.notOk(isOutdatedHash(await hashPassword('x')))
  t.ok(await verifyPassword(stored, 'Sample-Admin-1'))
  for (const wrong of ['', 'sample-admin-1', 'Sample-Admin-1 ', stored])
    t.notOk(await verifyPassword(stored, wrong))
  for (const version of ['$2a$', '$2b$', '$2y$'])
    t.ok(await verifyPassword(hashSync('secret', 4).replace('$2b$', version), 'secret'), version)
})

t.test('a bcrypt hash is of the password as it was typed', async (t) => {
  const [composed, decomposed] = ['p\u00e4sswort', 'pa\u0308sswort']
  t.ok(await verifyPassword(hashSync(decomposed, 4), decomposed))
  t.ok(await verifyPassword(hashSync(composed, 4), decomposed), 'typed on a device with the other form')
  t.notOk(await verifyPassword(hashSync(composed, 4), 'passwort'))
})

t.test('refuses bcrypt hashes that take seconds, and text that is not one', async (t) => {
  const hash = hashSync('x', 4)
  for (const cost of ['04', '10', '14']) t.ok(isHash(hash.replace('$04$', `$${cost}$`)), cost)
  for (const [text, reason] of [
    [hash.replace('$04$', '$15$'), /cost 15/],
    [hash.replace('$04$', '$31$'), /cost 31/],
    [hash.replace('$04$', '$03$'), /cost 3/],
    [hash.replace('$2b$', '$2x$'), /version 2x/],
    [hash.replace('$2b$', '$2$'), /version 2 /],
    [hash.slice(0, -1), /not a bcrypt hash/],
    [`${hash}a`, /not a bcrypt hash/],
    ['', /not a bcrypt hash/],
  ] as const) {
    t.notOk(isHash(text), text)
    t.match(bcryptFault(text), reason)
  }
})
