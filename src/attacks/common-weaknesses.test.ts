import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { loadConfig } from '#src/config/load.ts'
import { password } from '#src/testing/start.ts'
import { isRefused, openTarget } from './fixture.ts'
import type { TestResponse } from './line.ts'
import { canaries, type UserName } from './world.ts'

const target = await openTarget(t)
const { ask, row, root, share, settings, document, advanceMinutes, idOf, rules } = target
const alice = join(root, 'alice')

row('N01 N02 uploaded files are never run and never trusted to be the type that they claim', async (t) => {
  const eicar = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'
  const files: Record<string, string> = {
    'eicar.com': eicar,
    'run.sh': '#!/bin/sh\ntouch p\n',
    'macro.docm': 'PK\u0003\u0004',
    'page.jpg': '<html><script>1</script>',
    'archive.pdf': 'PK\u0003\u0004',
    'film.mp4': '<script>1</script>',
    'crash.webp': `RIFF\u00ff\u00ff\u00ff\u007fWEBPVP8X${'\u00ff'.repeat(40)}`,
  }
  for (const [name, body] of Object.entries(files)) {
    const headers = { 'content-type': 'text/html' }
    t.equal((await ask('alice', 'POST', `/api/resources/${name}`, { headers, body })).status, 200, name)
    t.equal(lstatSync(join(alice, name)).mode & 0o111, 0, `${name} is not executable`)
    const plain = await ask('alice', 'GET', `/api/raw/${name}`)
    t.match(plain.headers['content-disposition'], /^attachment; /)
    t.equal(plain.headers['x-content-type-options'], 'nosniff')
    t.match(plain.headers['content-security-policy'], /^sandbox; default-src 'none'/)
    const shown = await ask('alice', 'GET', `/api/raw/${name}?inline=true`)
    t.notMatch(shown.headers['content-type'], /html|javascript/)
    isRefused(t, await ask('alice', 'GET', `/api/preview/thumb/${name}`), [413, 415, 422])
  }
  t.notOk(existsSync(join(alice, 'p')))
})

row('N04 mass sign-ups are rate limited', async (t) => {
  await settings({ signup: true })
  const count = Object.keys(document.data.users).length
  const one = (n: number) => ask('', 'POST', '/api/signup', { json: { username: `mass${n}`, password } })
  const responses: TestResponse[] = []
  for (let n = 0; n < 120; n++) responses.push(await one(n))
  const limited = responses.filter(({ status }) => status === 429)
  t.ok(limited.length >= 60, `${limited.length} of 120 are refused`)
  t.match(limited[0]?.headers['retry-after'], /^\d+$/)
  t.ok(Object.keys(document.data.users).length - count <= 60)
  await settings({ signup: false })
  for (const { username, id } of Object.values(document.data.users)) {
    if (username.startsWith('mass')) await ask('admin', 'DELETE', `/api/users/${id}`)
  }
  advanceMinutes(6)
  await target.token('alice')
  // The same permanent share is one share, however often it is created.
  const shareIds = await Promise.all(Array.from({ length: 50 }, () => share('/pub.txt')))
  t.equal(new Set(shareIds).size, 1)
})

row('N04 the number of shares is limited', async (t) => {
  const many = () =>
    Promise.all(
      Array.from({ length: 150 }, () =>
        ask('alice', 'POST', '/api/share/pub.txt', { json: { expires: '1', unit: 'hours' } }),
      ),
    )
  const responses = await many()
  const [limited] = responses.filter(({ status }) => status === 429)
  t.ok(responses.filter(({ status }) => status === 200).length <= 120)
  t.match(limited?.headers['retry-after'], /^\d+$/)
  t.equal(
    (await ask('bob', 'POST', '/api/share/a.txt', { json: {} })).status,
    200,
    'other users are not affected',
  )
  // Adds the shares that a patient attacker would have created slowly.
  const id = idOf('alice')
  const [one] = Object.values(document.data.shares).filter(
    ({ userID, expire }) => userID === id && expire > 0,
  )
  await document.update(({ shares }) => {
    for (let n = 0; one && n < 1000; n++) {
      const hash = `patient-${n}`.padEnd(22, '-')
      shares[hash] = { ...one, hash }
    }
  })
  advanceMinutes(1)
  const refused = await ask('alice', 'POST', '/api/share/pub.txt', { json: { expires: '1', unit: 'hours' } })
  t.equal(refused.status, 429)
  t.match(refused.text, 'shares')
  advanceMinutes(120)
  t.equal(
    (await ask('alice', 'POST', '/api/share/pub.txt', { json: {} })).status,
    200,
    'expired shares do not count',
  )
  t.notOk(
    Object.keys(document.data.shares).some((hash) => hash.startsWith('patient')),
    'expired shares are removed',
  )
})

row('N05 of concurrent changes of one entry, each is applied completely or refused', async (t) => {
  const texts = Array.from({ length: 20 }, (_, n) => `${n}`.repeat(50_000))
  const saves = await Promise.all(
    texts.map((body) => ask('alice', 'PUT', '/api/resources/pub.txt', { body })),
  )
  for (const response of saves) isRefused(t, response, [200, 409, 423])
  t.ok(texts.includes(readFileSync(join(alice, 'pub.txt'), 'utf8')), 'the content of one of them, complete')
  const made = await Promise.all(
    texts.map((body) => ask('alice', 'POST', '/api/resources/new.txt', { body })),
  )
  t.equal(made.filter(({ status }) => status === 200).length, 1)
  for (const response of made) isRefused(t, response, [200, 409])
  writeFileSync(join(alice, 'one'), 'one')
  writeFileSync(join(alice, 'two'), 'two')
  const renames = await Promise.all(
    ['one', 'two'].map((name) =>
      ask('alice', 'PATCH', `/api/resources/${name}?action=rename&destination=/three`),
    ),
  )
  t.strictSame(new Set(renames.map(({ status }) => status)), new Set([200, 409]))
  t.equal(
    readdirSync(alice).filter((name) => ['one', 'two', 'three'].includes(name)).length,
    2,
    'no file is lost',
  )
  const all = await Promise.all([
    ...texts.map((_, n) => ask('alice', 'PUT', `/api/resources/docs/sub/child${n}.txt`, { body: 'x' })),
    ask('alice', 'DELETE', '/api/resources/docs/sub'),
    ask('alice', 'PATCH', '/api/resources/docs?action=rename&destination=/moved'),
    ask('alice', 'POST', '/api/resources/docs/'),
    ask('alice', 'PATCH', '/api/resources/pics?action=copy&destination=/docs/sub/pics'),
  ])
  for (const response of all) isRefused(t, response, [200, 403, 404, 409, 423])
})

row('N07 sign-ins, changes and refusals are logged with time, user, address and outcome', async (t) => {
  await ask('', 'POST', '/api/login', { json: { username: 'alice', password: 'wrong' } })
  await ask('', 'POST', '/api/login', { json: { username: 'bob', password } })
  await ask('alice', 'DELETE', '/api/resources/pub.txt')
  isRefused(t, await ask('alice', 'GET', '/api/settings'), [403])
  const shareId = await share('/docs')
  isRefused(t, await ask('', 'GET', '/api/public/share/none'), [404])
  const lines = readFileSync(target.config.log, 'utf8').split('\n')
  const expected = [
    /POST url=\/api\/login status=403 ms=[\d.]+ bytes=\d+ address/,
    /POST url=\/api\/login status=200 ms=[\d.]+ bytes=\d+ user=bob/,
    /DELETE url=\/api\/resources\/pub\.txt status=200 ms=[\d.]+ bytes=\d+ user=alice/,
    /GET url=\/api\/settings status=403 ms=[\d.]+ bytes=\d+ user=alice/,
    /POST url=\/api\/share\/docs status=200 ms=[\d.]+ bytes=\d+ user=alice/,
  ]
  for (const pattern of expected) {
    const found = lines.filter((line) => pattern.test(line))
    t.ok(found.length > 0, String(pattern))
    for (const line of found) t.match(line, /^\d{4}-\d\d-\d\dT.* address=127\.0\.0\.1 request=[\w-]{36}/)
  }
  t.notMatch(lines.join('\n'), 'wrong')
  t.equal(lstatSync(target.config.log).mode & 0o077, 0, 'readable by the administrator only')
  await ask('alice', 'DELETE', `/api/share/${shareId}`)
})

row('N08 an unknown, invalid or contradictory option stops the program at start', async (t) => {
  const words = [
    ['--no-such-flag'],
    ['--noauth=perhaps'],
    ['--port', '99999'],
    ['--address'],
    ['--trusted-proxy', 'everybody'],
    ['--socket-perm', '0999'],
    ['--token-expiration', '-1h'],
    ['--auth-header', 'X-User'],
    ['--key', 'x.pem'],
    ['--root', join(root, 'none')],
  ]
  for (const each of words) {
    await t.rejects(loadConfig(['--root', root, ...each], {}), { name: 'StartupProblem' }, each.join(' '))
  }
  const { text } = await ask('', 'GET', '/api/openapi.json')
  t.notMatch(Object.keys(JSON.parse(text).paths).join(), /debug|profile|inspect|heap|env/)
})

/** The users who try each call. A call has to grant access only to those that its `access` lists. */
const users: UserName[] = ['', 'noperm', 'ro', 'nodl', 'creator', 'alice', 'team1', 'admin']

async function assertAccess(t: Test, address: string, { access, hasRawBody }: Endpoint): Promise<void> {
  const [method = '', path = ''] = address.split(' ')
  // A path that does not exist: only the access check of the route is tested, not its result.
  const url = path
    .replace('/:id', '/99999')
    .replace(':size', 'thumb')
    .replace(/:\w+/g, 'none')
    .replace('*', 'none/none')
  const carried = method === 'GET' ? {} : { body: hasRawBody ? '' : '{' }
  for (const user of users) {
    const response = await ask(user, method, url, carried)
    if (!mayCall(access, user)) isRefused(t, response, [user === '' ? 401 : 403])
    else t.ok(response.status !== 401 && response.status < 500, `${response.request}: ${response.status}`)
  }
}

const mayCall = (access: Endpoint['access'], user: UserName) =>
  access === 'public' || user === 'admin' || (access === 'signed-in' && user !== '')

row('N10 every call checks the user, and is open exactly to the users it declares', async (t) => {
  for (const [address, endpoint] of Object.entries<Endpoint>(contract)) {
    // These would end the session of the test itself.
    if (/\/(logout|renew)$/.test(address)) continue
    // Its response does not end (`src/events/events.test.ts`).
    if (address === 'GET /api/events') continue
    await assertAccess(t, address, endpoint)
  }
  advanceMinutes(6)
  const shareId = await share('/docs')
  for (const [address, { access }] of Object.entries<Endpoint>(contract)) {
    const [method = '', path = ''] = address.split(' ')
    if (access === 'public' || method !== 'GET') continue
    const url = path.replace(/:\w+/g, '1').replace('/*', '/')
    for (const headers of [
      { 'x-auth': shareId },
      { authorization: `Bearer ${shareId}` },
      { cookie: `auth=${shareId}` },
    ]) {
      isRefused(t, await ask('', 'GET', `${url}?auth=${shareId}&token=${shareId}`, { headers }), [401])
    }
  }
})

row('N11 impossible numbers are refused', async (t) => {
  const numbers = [-1, 0.5, 1e308, '1', null, true, [], {}, 1e21]
  const bad = (fields: (value: unknown) => object, values: readonly unknown[] = numbers) => values.map(fields)
  const before = structuredClone(document.data.settings)
  const bodies = [
    ...bad((minimumPasswordLength) => ({ minimumPasswordLength }), [...numbers, 0, 100_000]),
    ...bad((retryCount) => ({ tus: { retryCount } }), [...numbers, 1000]),
    ...bad((chunkSize) => ({ tus: { chunkSize } }), [...numbers, 0, 1, 1e15]),
  ]
  for (const json of bodies) isRefused(t, await ask('admin', 'PUT', '/api/settings', { json }), [400])
  for (const text of ['NaN', 'Infinity', '-Infinity', '0x10', '1e999', '01', '.5', '9'.repeat(400)]) {
    const body = `{"minimumPasswordLength":${text}}`
    isRefused(t, await ask('admin', 'PUT', '/api/settings', { body }), [400])
  }
  t.strictSame(document.data.settings, before)
  const shareIds = Object.keys(document.data.shares).length
  for (const expires of ['-1', 'x', '1e9', '0x1', '99999999999999', '1.5', 'NaN']) {
    const made = await ask('alice', 'POST', '/api/share/pub.txt', { json: { expires, unit: 'days' } })
    isRefused(t, made, [400, 422])
  }
  isRefused(t, await ask('alice', 'POST', '/api/share/pub.txt?expires=-5&unit=hours'), [400, 422])
  t.equal(Object.keys(document.data.shares).length, shareIds)
  for (const length of ['-1', '1e3', '0x10', 'NaN', '99999999999999999999', '1, 2']) {
    const said = await target.raw(
      t,
      `PUT /api/resources/n.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${await target.token('alice')}\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\nx`,
    )
    t.match(said, /^HTTP\/1\.1 (400|413) /, length)
  }
  t.notOk(existsSync(join(alice, 'n.txt')))
  const id = idOf('alice')
  for (const each of ['-1', '0', '1.5', '1e9', 'NaN', '2147483648', '9'.repeat(30)])
    isRefused(t, await ask('admin', 'GET', `/api/users/${each}`), [400, 404])
  t.equal((await ask('admin', 'GET', `/api/users/${id}`)).status, 200)
})

row('N15 names that look alike are different files, and never the same user', async (t) => {
  // One letter, as one character and as two; a name with reversed direction; a name with an invisible character.
  const names = ['\u00e4.txt', 'a\u0308.txt', 'x\u202etxt.exe', 'x\u200b.txt', '\u0430.txt', 'a.txt']
  for (const name of names) {
    const url = `/api/resources/${encodeURIComponent(name)}`
    t.equal((await ask('alice', 'POST', url, { body: name })).status, 200, encodeURIComponent(name))
  }
  for (const name of names) {
    t.equal((await ask('alice', 'GET', `/api/raw/${encodeURIComponent(name)}`)).text, name)
  }
  await rules('alice', ['/\u00e4.txt'])
  isRefused(t, await ask('alice', 'GET', '/api/raw/%C3%A4.txt'), [403])
  const listed = (await ask('alice', 'GET', '/api/resources/')).text
  t.notMatch(listed, '"\u00e4.txt"')
  const found = (await ask('alice', 'GET', `/api/search/?query=${encodeURIComponent('a\u0308')}`)).text
  t.notMatch(found, '"\u00e4.txt"', 'a rule is about one name, and applies in every call')
  const count = Object.keys(document.data.users).length
  for (const username of ['a\u202elice', 'al\u200bice', '\u0430lice', 'ALICE', 'ａlice', 'alice\u00a0']) {
    const json = { what: 'user', which: [], data: { username, password } }
    isRefused(t, await ask('admin', 'POST', '/api/users', { json }), [400, 409])
  }
  t.equal(Object.keys(document.data.users).length, count)
  mkdirSync(join(alice, 'd\u00f6'))
  symlinkSync(join(root, 'bob'), join(alice, 'do\u0308'))
  isRefused(t, await ask('alice', 'GET', '/api/raw/do%CC%88/secret.txt'), [403, 404])
  t.notMatch((await ask('alice', 'GET', '/api/search/?query=secret')).text, canaries.bob)
})
