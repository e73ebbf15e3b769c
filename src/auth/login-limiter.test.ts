import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Problem } from '#src/core/problem.ts'
import { password, start } from '#src/testing/start.ts'
import { createLoginLimiter } from './login-limiter.ts'

async function setUp(t: Test) {
  const started = await start(t, { people: { alice: {}, Bob: {} } })
  const signIn = (username: string, given: string, remoteAddress = '192.0.2.1') =>
    started.call('POST', '/api/login', { payload: { username, password: given }, remoteAddress })
  async function fail(times: number, username: string, from?: string) {
    for (let n = 0; n < times; n++) t.equal((await signIn(username, 'wrong', from)).statusCode, 403)
  }
  return { ...started, signIn, fail }
}

t.test(
  'blocks sign-in for five minutes after ten wrong passwords for one name from one address',
  async (t) => {
    const { signIn, fail, clock } = await setUp(t)
    await fail(10, 'alice')
    const reply = await signIn('alice', password)
    t.equal(reply.statusCode, 429, 'even with the right password')
    t.match(reply.headers['retry-after'], /^(299|300)$/)
    t.match(reply.body, /^429 Too Many Requests \(too many attempts; try again in (299|300) s\)\n$/)
    t.equal((await signIn('ALICE ', password)).statusCode, 429, 'in any spelling of the name')
    t.equal((await signIn('Bob', password)).statusCode, 200, 'another name is not blocked')
    t.equal((await signIn('alice', password, '192.0.2.2')).statusCode, 200, 'another address is not blocked')
    clock.advance({ minutes: 5, seconds: 1 })
    t.equal((await signIn('alice', password)).statusCode, 200)
  },
)

t.test('fifty wrong passwords from one address block the address for all names', async (t) => {
  const { signIn, fail } = await setUp(t)
  for (let n = 0; n < 50; n++) await fail(1, `name${n}`)
  t.equal((await signIn('alice', password)).statusCode, 429)
  t.equal((await signIn('alice', password, '192.0.2.2')).statusCode, 200)
})

t.test('an IPv6 network (/64) counts as one address', async (t) => {
  const { signIn, fail } = await setUp(t)
  for (let n = 0; n < 10; n++) await fail(1, 'alice', `2001:db8:1:2::${n + 1}`)
  t.equal((await signIn('alice', password, '2001:db8:1:2:ffff::1')).statusCode, 429)
  t.equal(
    (await signIn('alice', password, '2001:0db8:0001:0002:0::1')).statusCode,
    429,
    'in any spelling of the address',
  )
  t.equal((await signIn('alice', password, '2001:db8:1:3::1')).statusCode, 200)
})

t.test('an IPv4-mapped IPv6 address counts as its IPv4 address', async (t) => {
  const { signIn, fail } = await setUp(t)
  await fail(10, 'alice', '::ffff:192.0.2.7')
  t.equal((await signIn('alice', password, '::ffff:192.0.2.7')).statusCode, 429)
  t.equal((await signIn('alice', password, '::ffff:192.0.2.8')).statusCode, 200)
})

t.test('successful sign-ins do not count towards the limit', async (t) => {
  const { signIn } = await setUp(t)
  for (let n = 0; n < 60; n++) t.equal((await signIn('alice', password)).statusCode, 200)
})

t.test('ignores forwarded addresses from an untrusted client', async (t) => {
  const { call, fail } = await setUp(t)
  await fail(10, 'alice')
  for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'x-client-ip']) {
    const reply = await call('POST', '/api/login', {
      payload: { username: 'alice', password },
      headers: { [name]: name === 'forwarded' ? 'for=198.51.100.1' : '198.51.100.1' },
      remoteAddress: '192.0.2.1',
    })
    t.equal(reply.statusCode, 429, name)
  }
})

t.test('parallel wrong attempts cannot exceed the limit', async (t) => {
  const { signIn } = await setUp(t)
  const replies = await Promise.all(Array.from({ length: 40 }, () => signIn('alice', 'wrong')))
  const refused = replies.filter(({ statusCode }) => statusCode === 429)
  t.equal(refused.length, 30)
})

t.test('parallel sign-ins with the right password all succeed', async (t) => {
  const { signIn } = await setUp(t)
  const replies = await Promise.all(Array.from({ length: 30 }, () => signIn('alice', password)))
  t.ok(replies.every(({ statusCode }) => statusCode === 200))
})

t.test('parallel attempts wait for each other and are refused after ten wrong ones', async (t) => {
  const { attempt } = createLoginLimiter(Date.now, 10)
  let [tried, known] = [0, 0]
  const attemptOnce = async (isRight: boolean) =>
    attempt('alice', '192.0.2.1', async () => {
      tried++
      await setImmediate()
      if (!isRight) throw new Problem('auth.wrong')
      known++
    }).then(
      () => 'in',
      ({ code }: Problem) => code,
    )
  const mixed = Array.from({ length: 100 }, (_, n) => attemptOnce(n % 4 !== 0))
  const codes = await Promise.all(mixed)
  t.equal(codes.filter((code) => code === 'auth.wrong').length, 10, 'no attempt runs after ten wrong ones')
  t.equal(codes.filter((code) => code === 'in').length, known)
  t.equal(tried, known + 10)
  t.equal(codes.at(-1), 'auth.limited')
})

t.test('server errors do not count as failed sign-ins', async (t) => {
  const { attempt } = createLoginLimiter(Date.now, 10)
  const busy = async () => {
    throw new Problem('server.busy')
  }
  for (let n = 0; n < 20; n++) await t.rejects(attempt('alice', '192.0.2.1', busy), { code: 'server.busy' })
  t.equal(await attempt('alice', '192.0.2.1', async () => 'in'), 'in')
})

t.test('a blocked address cannot evict its counter with many names', async (t) => {
  const { attempt } = createLoginLimiter(Date.now, 10)
  const fail = async (name: string) =>
    attempt(name, '192.0.2.1', async () => {
      throw new Problem('auth.wrong')
    })
  for (let n = 0; n < 50; n++) await t.rejects(fail(`name${n}`), { code: 'auth.wrong' })
  for (let n = 0; n < 25_000; n++) await fail(`other${n}`).catch(() => {})
  await t.rejects(fail('alice'), { code: 'auth.limited' })
})

t.test('a user can sign in from a familiar address while others guess the password elsewhere', async (t) => {
  const { signIn, fail } = await setUp(t)
  t.equal((await signIn('alice', password, '203.0.113.9')).statusCode, 200)
  for (let n = 0; n < 10; n++) await fail(10, 'alice', `192.0.2.${n + 1}`)
  t.equal((await signIn('alice', password, '192.0.2.200')).statusCode, 429, 'an unknown address is blocked')
  t.equal((await signIn('alice', password, '203.0.113.9')).statusCode, 200)
})

t.test('refuses a flood of sign-ins beyond a short queue, and serves other requests meanwhile', async (t) => {
  const { signIn, call } = await setUp(t)
  const flood = Array.from({ length: 200 }, (_, n) => signIn('nobody', 'wrong', `198.51.${n}.1`))
  t.equal((await call('GET', '/health')).statusCode, 200)
  const codes = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
  t.ok(codes.includes(503) || codes.includes(429), 'some are asked to retry later')
  t.ok(
    codes.every((code) => [403, 429, 503].includes(code)),
    codes.join(),
  )
})
