import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { password, start } from '#src/testing/start.ts'

/** A captcha service that accepts each good response only once, like real services. */
async function startService(t: Test, answer?: RequestListener) {
  const requests: { path: string; secret: string | null; response: string | null; keys: string[] }[] = []
  const used = new Set<string>()
  const server = createServer(async (request, reply) => {
    if (answer) return answer(request, reply)
    const form = new URLSearchParams(await text(request))
    const [secret, response] = [form.get('secret'), form.get('response')]
    requests.push({ path: `${request.method} ${request.url}`, secret, response, keys: [...form.keys()] })
    const isGood = secret === 'hush' && response?.startsWith('person') && !used.has(response)
    used.add(response ?? '')
    reply.setHeader('Content-Type', 'application/json')
    reply.end(JSON.stringify({ success: isGood, hostname: 'localhost' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, host: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function startWithCaptcha(t: Test, host: string) {
  const config = { recaptchaHost: host, recaptchaKey: 'site', recaptchaSecret: 'hush' }
  const started = await start(t, { config, people: { alice: {} } })
  const login = (recaptcha?: unknown, more = {}) =>
    started.call('POST', '/api/login', { payload: { username: 'alice', password, recaptcha, ...more } })
  return { ...started, login }
}

t.test('with a captcha, the password alone is not enough to sign in', async (t) => {
  const { requests, host } = await startService(t)
  const { login } = await startWithCaptcha(t, host)
  for (const recaptcha of [undefined, '', 'robot', 'x'.repeat(8000)]) {
    t.match(
      await login(recaptcha),
      { statusCode: 403, body: /wrong credentials/ },
      String(recaptcha).slice(0, 9),
    )
  }
  t.equal((await login('x'.repeat(9000))).statusCode, 400)
  t.equal((await login('person 1')).statusCode, 200)
  t.strictSame(requests.at(-1), {
    path: 'POST /recaptcha/api/siteverify',
    secret: 'hush',
    response: 'person 1',
    keys: ['secret', 'response'],
  })
  t.equal((await login('person 1')).statusCode, 403, 'a response is valid once')
  t.equal((await login('person 2', { password: 'wrong word' })).statusCode, 403, 'the password is needed too')
})

t.test('a sign-up needs the captcha, and the next sign-in can reuse its response', async (t) => {
  const { requests, host } = await startService(t)
  const { call, document, clock } = await startWithCaptcha(t, host)
  await document.update((draft) => {
    draft.settings.signup = true
  })
  const post = (path: string, recaptcha: string, username = 'bob', remoteAddress = '192.0.2.1') =>
    call('POST', path, { payload: { username, password, recaptcha }, remoteAddress })
  t.equal((await post('/api/signup', 'robot')).statusCode, 403)
  t.equal(Object.keys(document.data.users).length, 2, 'no account was created')
  t.equal((await post('/api/signup', 'person 1')).statusCode, 200)
  t.equal(
    (await post('/api/login', 'person 1', 'bob', '192.0.2.2')).statusCode,
    403,
    'not from another address',
  )
  t.equal((await post('/api/login', 'person 1')).statusCode, 200)
  t.equal((await post('/api/login', 'person 1')).statusCode, 403, 'only once')
  t.equal((await post('/api/signup', 'person 2', 'carol')).statusCode, 200)
  clock.advance({ minutes: 2 })
  t.equal((await post('/api/login', 'person 2', 'carol')).statusCode, 403, 'only within one minute')
  t.equal(requests.length, 6)
})

t.test('refuses a sign-in when the captcha service fails', async (t) => {
  const other = await startService(t)
  const answers: [name: string, RequestListener][] = [
    ['an error', (_, reply) => reply.writeHead(500).end('{"success":true}')],
    ['no JSON', (_, reply) => reply.end('success')],
    ['a redirect', (_, reply) => reply.writeHead(307, { Location: `${other.host}/x` }).end()],
    ['no response', (request) => request.socket.destroy()],
  ]
  for (const [name, answer] of answers) {
    const { host } = await startService(t, answer)
    const { login } = await startWithCaptcha(t, host)
    t.match(await login('person'), { statusCode: 503, body: /the captcha could not be verified/ }, name)
  }
  t.strictSame(other.requests, [], 'the secret was not sent to another host')
  for (const said of ['null', '[]', '{}', '{"success":"true"}', '{"success":1}', 'true']) {
    const { host } = await startService(t, (_, reply) => reply.end(said))
    const { login } = await startWithCaptcha(t, host)
    t.equal((await login('person')).statusCode, 403, said)
  }
})

t.test('a sign-in times out when the captcha service does not respond', async (t) => {
  const { host } = await startService(t, () => {})
  const { login } = await startWithCaptcha(t, host)
  t.equal((await login('person')).statusCode, 503)
})

t.test('the content security policy allows the script and frames of the captcha only', async (t) => {
  const { call } = await startWithCaptcha(t, 'https://check.example')
  const reply = await call('GET', '/login')
  const policy = String(reply.headers['content-security-policy'])
  t.match(policy, /script-src 'self' https:\/\/check\.example\/recaptcha\/;/)
  t.match(policy, /frame-src blob: https:\/\/check\.example\/recaptcha\/;/)
  t.equal(policy.split('https:').length, 3)
  t.match(reply.body, /"ReCaptcha":true,"ReCaptchaHost":"https:\/\/check\.example","ReCaptchaKey":"site"/)
  t.notMatch(reply.body, /hush/)
  const google = await startWithCaptcha(t, 'https://www.google.com')
  const theirs = String((await google.call('GET', '/login')).headers['content-security-policy'])
  t.match(theirs, /script-src 'self' \S+google\.com\/recaptcha\/ https:\/\/www\.gstatic\.com\/recaptcha\/;/)
})
