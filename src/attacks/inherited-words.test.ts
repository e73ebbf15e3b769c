import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { contract } from '#contract/index.ts'
import type { Endpoint } from '#contract/schema/endpoint.ts'
import { stateFault } from '#src/state/state.ts'
import { isLong } from '#src/testing/long.ts'
import { password, start } from '#src/testing/start.ts'

/** Names that every plain object has: a look-up of one of them finds a value that was never set. */
const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

interface Properties {
  properties?: Record<string, object>
  anyOf?: Properties[]
  enum?: unknown[]
}

// The response of the events does not end.
const calls = Object.entries(contract as Record<string, Endpoint>).filter(
  ([address]) => address !== 'GET /api/events',
)
const propertiesOf = (schema: Properties = {}): [string, Properties][] => [
  ...Object.entries(schema.properties ?? {}),
  ...(schema.anyOf ?? []).flatMap(propertiesOf),
]

async function open(t: Test) {
  const made = await start(t, { tree: { 'a.txt': 'a', docs: { 'b.txt': 'b' } }, people: { alice: {} } })
  return { ...made, admin: await made.as('admin') }
}

t.test(
  'an inherited property name is never accepted as a unit, a checksum or an archive format',
  async (t) => {
    const { admin, document } = await open(t)
    for (const word of inherited) {
      for (const [method, url, payload] of [
        ['POST', `/api/share/a.txt?expires=1&unit=${word}`, undefined],
        ['POST', '/api/share/a.txt', { expires: '1', unit: word }],
        ['GET', `/api/resources/a.txt?checksum=${word}`, undefined],
        ['GET', `/api/raw/docs?algo=${word}`, undefined],
        ['GET', `/api/preview/${word}/a.txt`, undefined],
        ['PATCH', `/api/resources/a.txt?action=${word}&destination=/c.txt`, undefined],
        ['POST', '/api/ticket', { action: word, path: '/a.txt' }],
      ] as const) {
        const response = await admin(method, url, payload ? { payload } : {})
        t.equal(response.statusCode, 400, `${method} ${url} ${response.body}`)
      }
    }
    t.strictSame(document.data.shares, {})
    t.match(await admin('GET', '/api/shares'), { statusCode: 200, body: '[]' })
  },
)

/** Requests that put `word` into every input of a call. */
function requestsOf(address: string, { params, query, body, hasRawBody: bytes }: Endpoint, word: string) {
  const [method = '', path = ''] = address.split(' ')
  const url = (value: string) => path.replace(/:\w+/g, params ? value : '').replace('*', value)
  const requests: { url: string; payload?: string }[] = [
    { url: url(word) },
    ...propertiesOf(query as Properties).map(([name]) => ({ url: `${url('1')}?${name}=${word}` })),
    ...propertiesOf(body as Properties).flatMap(([name]) => [
      { url: url('1'), payload: JSON.stringify({ [name]: word }) },
      { url: url('1'), payload: JSON.stringify({ [word]: name, [name]: { [word]: word } }) },
    ]),
    ...(bytes ? [{ url: url(word), payload: word }] : []),
  ]
  return requests.map((request) => ({ method, ...request }))
}

t.test('no call looks up its inputs among inherited properties', async (t) => {
  const { call, login, document, clock } = await open(t)
  const requests = (isLong ? inherited : inherited.slice(0, 2)).flatMap((word) =>
    calls.flatMap(([address, endpoint]) =>
      requestsOf(address, endpoint, word).map((request) => ({ word, ...request })),
    ),
  )
  for (const { word, method, url, ...rest } of requests) {
    // Signs in for each call, because some calls end sessions. Advances the clock, because some count as wrong
    // passwords.
    clock.advance({ minutes: 1 })
    const token = await login('admin')
    const headers = { 'x-auth': token, 'upload-length': word, 'upload-offset': word, 'x-encoding': word }
    const { statusCode } = await call(method, url, { ...rest, headers })
    t.not(statusCode, 500, `${method} ${url} ${rest.payload ?? ''}`)
  }
  t.equal(stateFault(document.data), undefined)
})

t.test('a hook may have any name, and an inherited property name is not a branding file', async (t) => {
  const { admin, call, base, document } = await open(t)
  const files = join(base, 'brand')
  mkdirSync(files)
  t.equal((await admin('PUT', '/api/settings', { payload: { branding: { files } } })).statusCode, 200)
  for (const word of inherited) {
    t.equal((await call('GET', `/static/${word}`)).statusCode, 404, word)
    const payload = JSON.stringify({ commands: { [word]: ['echo'] } })
    const { statusCode } = await admin('PUT', '/api/settings', { payload })
    t.equal(statusCode, word === '__proto__' ? 400 : 200, word)
  }
  t.equal(Object.getPrototypeOf(document.data.settings.commands), Object.prototype)
  t.equal(stateFault(document.data), undefined)
})

t.test('an inherited property name signs nobody in, and may be a user name', async (t) => {
  const { admin, call } = await open(t)
  for (const username of ['constructor', 'toString']) {
    const payload = { username, password }
    t.equal((await call('POST', '/api/login', { payload })).statusCode, 403)
    const data = { username, password: 'a long enough sentence' }
    const made = await admin('POST', '/api/users', {
      payload: { what: 'user', which: [], data, current_password: password },
    })
    t.equal(made.statusCode, 201, made.body)
  }
})
