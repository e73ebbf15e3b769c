import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Problem } from '#src/core/problem.ts'
import { password, start } from '#src/testing/start.ts'
import { createLoginLimiter } from './login-limiter.ts'

async function door(t: Test) {
  const started = await start(t, { people: { alice: {}, Bob: {} } })
  const tryIt = (username: string, given: string, remoteAddress = '192.0.2.1') =>
    started.call('POST', '/api/login', { payload: { username, password: given }, remoteAddress })
  async function fail(times: number, username: string, from?: string) {
    for (let n = 0; n < times; n++) t.equal((await tryIt(username, 'wrong', from)).statusCode, 403)
  }
  return { ...started, tryIt, fail }
}

t.test(
  'after ten wrong passwords for one name from one address there is a pause of five minutes',
  async (t) => {
    const { tryIt, fail, clock } = await door(t)
    await fail(10, 'alice')
    const reply = await tryIt('alice', password)
    t.equal(reply.statusCode, 429, 'even with the right password')
    t.match(reply.headers['retry-after'], /^(299|300)$/)
    t.match(reply.body, /^429 Too Many Requests \(too many attempts; try again in (299|300) s\)\n$/)
    t.equal((await tryIt('ALICE ', password)).statusCode, 429, 'however the name is written')
    t.equal((await tryIt('Bob', password)).statusCode, 200, 'another name is free')
    t.equal((await tryIt('alice', password, '192.0.2.2')).statusCode, 200, 'another address is free')
    clock.advance({ minutes: 5, seconds: 1 })
    t.equal((await tryIt('alice', password)).statusCode, 200)
  },
)

t.test('fifty wrong passwords from one address pause the address, whatever the names', async (t) => {
  const { tryIt, fail } = await door(t)
  for (let n = 0; n < 50; n++) await fail(1, `name${n}`)
  t.equal((await tryIt('alice', password)).statusCode, 429)
  t.equal((await tryIt('alice', password, '192.0.2.2')).statusCode, 200)
})

t.test('one network of IPv6 counts as one address', async (t) => {
  const { tryIt, fail } = await door(t)
  for (let n = 0; n < 10; n++) await fail(1, 'alice', `2001:db8:1:2::${n + 1}`)
  t.equal((await tryIt('alice', password, '2001:db8:1:2:ffff::1')).statusCode, 429)
  t.equal(
    (await tryIt('alice', password, '2001:0db8:0001:0002:0::1')).statusCode,
    429,
    'however it is written',
  )
  t.equal((await tryIt('alice', password, '2001:db8:1:3::1')).statusCode, 200)
})

t.test('IPv4 written as IPv6 counts by its own address', async (t) => {
  const { tryIt, fail } = await door(t)
  await fail(10, 'alice', '::ffff:192.0.2.7')
  t.equal((await tryIt('alice', password, '::ffff:192.0.2.7')).statusCode, 429)
  t.equal((await tryIt('alice', password, '::ffff:192.0.2.8')).statusCode, 200)
})

t.test('signing in is not counted', async (t) => {
  const { tryIt } = await door(t)
  for (let n = 0; n < 60; n++) t.equal((await tryIt('alice', password)).statusCode, 200)
})

t.test('headers that claim another address change nothing', async (t) => {
  const { call, fail } = await door(t)
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

t.test('attempts that begin together count together', async (t) => {
  const { tryIt } = await door(t)
  const replies = await Promise.all(Array.from({ length: 40 }, () => tryIt('alice', 'wrong')))
  const refused = replies.filter(({ statusCode }) => statusCode === 429)
  t.equal(refused.length, 30)
})

t.test('many who know the password and come at once all come in', async (t) => {
  const { tryIt } = await door(t)
  const replies = await Promise.all(Array.from({ length: 30 }, () => tryIt('alice', password)))
  t.ok(replies.every(({ statusCode }) => statusCode === 200))
})

t.test('those who come at once wait for each other, and are refused as soon as ten were wrong', async (t) => {
  const { attempt } = createLoginLimiter(Date.now, 10)
  let [tried, known] = [0, 0]
  const comeIn = async (isRight: boolean) =>
    attempt('alice', '192.0.2.1', async () => {
      tried++
      await setImmediate()
      if (!isRight) throw new Problem('auth.wrong')
      known++
    }).then(
      () => 'in',
      ({ code }: Problem) => code,
    )
  const mixed = Array.from({ length: 100 }, (_, n) => comeIn(n % 4 !== 0))
  const codes = await Promise.all(mixed)
  t.equal(
    codes.filter((code) => code === 'auth.wrong').length,
    10,
    'ten were wrong, and not one more was tried',
  )
  t.equal(codes.filter((code) => code === 'in').length, known)
  t.equal(tried, known + 10)
  t.equal(codes.at(-1), 'auth.limited')
})

t.test('where we fail ourselves nobody has guessed', async (t) => {
  const { attempt } = createLoginLimiter(Date.now, 10)
  const busy = async () => {
    throw new Problem('server.busy')
  }
  for (let n = 0; n < 20; n++) await t.rejects(attempt('alice', '192.0.2.1', busy), { code: 'server.busy' })
  t.equal(await attempt('alice', '192.0.2.1', async () => 'in'), 'in')
})

t.test('an address that is paused cannot wash its counter away with many names', async (t) => {
  const { attempt } = createLoginLimiter(Date.now, 10)
  const fail = async (name: string) =>
    attempt(name, '192.0.2.1', async () => {
      throw new Problem('auth.wrong')
    })
  for (let n = 0; n < 50; n++) await t.rejects(fail(`name${n}`), { code: 'auth.wrong' })
  for (let n = 0; n < 25_000; n++) await fail(`other${n}`).catch(() => {})
  await t.rejects(fail('alice'), { code: 'auth.limited' })
})

t.test(
  'who has signed in from an address is let in there while others guess the name elsewhere',
  async (t) => {
    const { tryIt, fail } = await door(t)
    t.equal((await tryIt('alice', password, '203.0.113.9')).statusCode, 200)
    for (let n = 0; n < 10; n++) await fail(10, 'alice', `192.0.2.${n + 1}`)
    t.equal((await tryIt('alice', password, '192.0.2.200')).statusCode, 429, 'a stranger address waits')
    t.equal((await tryIt('alice', password, '203.0.113.9')).statusCode, 200)
  },
)

t.test(
  'a flood of sign-ins is refused at once beyond a short queue, and the server answers meanwhile',
  async (t) => {
    const { tryIt, call } = await door(t)
    const flood = Array.from({ length: 200 }, (_, n) => tryIt('nobody', 'wrong', `198.51.${n}.1`))
    t.equal((await call('GET', '/health')).statusCode, 200)
    const codes = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
    t.ok(codes.includes(503) || codes.includes(429), 'some are told to come again')
    t.ok(
      codes.every((code) => [403, 429, 503].includes(code)),
      codes.join(),
    )
  },
)
