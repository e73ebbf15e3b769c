import t, { type Test } from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import { start } from '#src/testing/start.ts'
import { dial, exchange, listen } from '#src/testing/wire.ts'

const accepted = [
  '/api/raw/docs/a.txt',
  '/api/raw/docs',
  '/api/preview/thumb/pic.png?inline=true',
  '/api/preview/big/pic.png?inline=true',
  '/api/subtitle/film.vtt?inline=true',
]

async function world(t: Test) {
  const tree = { docs: { 'a.txt': 'a' }, 'pic.png': asPng(plain(8, 8, [255, 0, 0])), 'film.vtt': 'WEBVTT\n' }
  const ann = { perm: { execute: true }, commands: ['pwd'] }
  const made = await start(t, { tree, people: { ann }, config: { enableExec: true } })
  const port = await listen(made.app)
  const token = await made.login('ann')
  const request = async (method: string, path: string, headers: Record<string, string>) =>
    (await exchange(port, method, path, { headers })).status
  return { ...made, port, token, request }
}

t.test('accepts the auth cookie on content, preview and subtitle requests', async (t) => {
  const { token, request } = await world(t)
  for (const site of ['same-origin', 'none']) {
    for (const cookie of [`auth=${token}`, `a=b; auth=${token}; c=d`]) {
      const headers = { cookie, 'sec-fetch-site': site }
      for (const path of accepted) t.equal(await request('GET', path, headers), 200, path)
      t.equal(await request('HEAD', '/api/raw/docs/a.txt', headers), 200)
    }
  }
})

t.test('rejects the auth cookie on other requests and from other sites', async (t) => {
  const { token, request } = await world(t)
  const cookie = `auth=${token}`
  for (const path of accepted) {
    for (const site of ['cross-site', 'same-site', 'SAME-ORIGIN', '']) {
      t.equal(await request('GET', path, { cookie, 'sec-fetch-site': site }), 401, `${site} ${path}`)
    }
    t.equal(await request('GET', path, { cookie }), 401, 'without Sec-Fetch-Site')
    for (const name of ['token', 'session', 'X-Auth', 'xauth']) {
      const headers = { cookie: `${name}=${token}`, 'sec-fetch-site': 'none' }
      t.equal(await request('GET', path, headers), 401, name)
    }
  }
  const headers = { cookie, 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' }
  for (const [method, path] of [
    ['GET', '/api/resources/'],
    ['GET', '/api/users'],
    ['GET', '/api/sessions'],
    ['GET', '/api/search/?query=a'],
    ['POST', '/api/renew'],
    ['POST', '/api/logout'],
    ['POST', '/api/resources/evil.txt'],
    ['DELETE', '/api/resources/docs/a.txt'],
    ['POST', '/api/raw/docs/a.txt'],
  ] as const) {
    const status = await request(method, path, headers)
    t.ok([401, 405].includes(status), `${method} ${path}: ${status}`)
  }
})

t.test('rejects the cookie of an ended session', async (t) => {
  const { token, request } = await world(t)
  const headers = { cookie: `auth=${token}`, 'sec-fetch-site': 'same-origin' }
  t.equal(await request('GET', '/api/raw/docs/a.txt', headers), 200)
  t.equal(await request('POST', '/api/logout', { 'x-auth': token }), 200)
  t.equal(await request('GET', '/api/raw/docs/a.txt', headers), 401)
})

t.test('the auth cookie opens the command WebSocket only for pages of the same origin', async (t) => {
  const { token, port } = await world(t)
  const open = async (origin: string | undefined) => {
    const wire = await dial(t, port)
    const lines = [
      'GET /api/command/docs HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
      `Cookie: auth=${token}`,
      ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ]
    wire.socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    const [, status] = await wire.until(/^HTTP\/1\.1 (\d{3}) /)
    wire.socket.destroy()
    return Number(status)
  }
  t.equal(await open(`http://127.0.0.1:${port}`), 101)
  t.equal(await open('https://evil.test'), 401)
  t.equal(await open('null'), 401)
  t.equal(await open(undefined), 401)
})

t.test('accepts a token or a ticket in the address of a preview, as for the file', async (t) => {
  const { token, call, as } = await world(t)
  const ann = await as('ann')
  const { ticket } = (
    await ann('POST', '/api/ticket', { payload: { action: 'raw', path: '/pic.png' } })
  ).json()
  for (const auth of [token, ticket]) {
    for (const size of ['thumb', 'big']) {
      t.equal((await call('GET', `/api/preview/${size}/pic.png?auth=${auth}`)).statusCode, 200)
    }
  }
  t.equal((await call('GET', `/api/preview/thumb/other.png?auth=${ticket}`)).statusCode, 401)
  t.equal((await call('GET', '/api/preview/thumb/pic.png?auth=x')).statusCode, 401)
})
