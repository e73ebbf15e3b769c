import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { LightMyRequestResponse } from 'fastify'
import t from 'tap'
import type { OpenApi } from '#src/server/openapi/document.ts'
import type { ApiResponse, Operation, Parameter } from '#src/server/openapi/shapes.ts'
import { eicar, fakeClamd } from '#src/testing/clamd.ts'
import { password, start } from '#src/testing/start.ts'

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['as']>>

interface Call extends Operation {
  method: string
  path: string
}

/** The document as the running server returns it, its endpoints, and a function that compiles its schemas. */
async function readDocument(call: Awaited<ReturnType<typeof start>>['call']) {
  const document = (await call('GET', '/api/openapi.json')).json() as OpenApi
  const calls: Call[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      ...operation,
    })),
  )
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'openapi', components: document.components })
  const compile = (schema: object): ValidateFunction =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components')))
  return { calls, compile }
}

/** The URL with the examples of the document, or with `values` for parameters that have other values in this test. */
function address({ path, parameters = [] }: Call, values: Readonly<Record<string, string>> = {}): string {
  const value = ({ name, example }: Parameter) => values[name] ?? String(example ?? '')
  const filled = parameters
    .filter((one) => one.in === 'path')
    .reduce((so, one) => so.replace(`{${one.name}}`, value(one)), path)
  const query = parameters.filter((one) => one.in === 'query' && one.example !== undefined)
  return (
    filled + (query.length > 0 ? `?${new URLSearchParams(query.map((one) => [one.name, value(one)]))}` : '')
  )
}

const form =
  '--x\r\nContent-Disposition: form-data; name="file"; filename="notes.txt"\r\n\r\nnotes\r\n--x--\r\n'

function bodyOf({ requestBody }: Call): { payload?: string | object; headers?: Record<string, string> } {
  const json = requestBody?.content['application/json']
  const [type = ''] = Object.keys(requestBody?.content ?? {})
  if (json?.example !== undefined) return { payload: json.example as object }
  if (type === 'multipart/form-data')
    return { payload: form, headers: { 'content-type': `${type}; boundary=x` } }
  return type.endsWith('octet-stream')
    ? { payload: 'the bytes of a file', headers: { 'content-type': type } }
    : {}
}

/** The required headers of an endpoint, from the examples of the document. */
const headersOf = ({ parameters = [] }: Call) =>
  Object.fromEntries(
    parameters
      .filter((one) => one.in === 'header' && one.example !== undefined)
      .map(({ name, example }) => [name.toLowerCase(), String(example)]),
  )

/** A blue picture of four pixels, as PNG. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGNQaDgARAwQCgAkDgWBfAdHdAAAAABJRU5ErkJggg==',
  'base64',
)

/** A JPEG of one pixel: only its segments are read. */
const photo = Buffer.from('ffd8ffc0000b080001000101011100ffda0008010100003f0000ffd9', 'hex')

const subtitle = '1\n00:00:01,000 --> 00:00:02,000\nHello\n'

const tree = {
  holidays: { 'beach.jpg': picture, 'photo.jpg': photo },
  docs: { 'report.txt': 'a report', 'beach.jpg': picture, 'film.srt': subtitle, old: { 'a.txt': '' } },
  films: { 'film.srt': subtitle },
  blog: { archetypes: { 'posts.md': '' }, content: { posts: { 'sea.md': '---\ndraft: true\n---\n' } } },
}

/** A generator for these tests: it writes one file into the folder that it gets. */
const generator = `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --destination | --contentDir) out=$2 ;;
    *.md) page=$1 ;;
  esac
  shift
done
name=\${page:-posts/index.html}
mkdir -p "$out/posts" && echo '<p>page' > "$out/$name"
`

/** Starts the application with all files of the examples. `known` has the ids that the examples cannot know. */
async function prepare(t: Parameters<typeof start>[0]) {
  const clamd = (await fakeClamd(t)).address
  const config = { staticgen: 'hugo', execWithoutSandbox: true, clamd } as const
  const running = await start(t, { tree, people: { ann: {} }, config })
  const { document, as, call } = running
  await document.update((draft) => {
    draft.settings.signup = true
    draft.settings.staticGen = {
      ...{ Root: '/blog', Public: '/blog/public', Args: [], CleanPublic: true },
      Exe: join(running.base, 'hugo'),
    }
    draft.credentials.passwords[2] = draft.credentials.passwords[1] ?? ''
  })
  await writeFile(join(running.base, 'hugo'), generator, { mode: 0o755 })
  const admin = await as('admin')
  const preview = (await admin('POST', '/api/site/preview')).json().url as string
  const later = await admin('POST', '/api/publish/blog/?at=2033-12-01T08:30:00Z')
  const made = await admin('POST', '/api/share/docs')
  const { hash } = made.json() as { hash: string }
  for (const name of ['a.txt', 'b.txt', 'c.txt'])
    await admin('POST', `/api/resources/sent/${name}`, { payload: name })
  const withCover = { rights: 'edit', cover: '/docs/beach.jpg' }
  const edited = await admin('POST', '/api/share/sent', { payload: withCover })
  const inbox = (edited.json() as { hash: string }).hash
  for (const name of ['deleted.com', 'released.com'])
    await call('POST', `/api/public/resources/${inbox}/${name}`, { payload: eicar })
  const held = (await admin('GET', '/api/held')).json() as { id: string }[]
  for (const _ of ['one to end as one’s own', 'one to end as a user’s']) await as('admin')
  const sessions = (await admin('GET', '/api/sessions')).json() as { id: string; current: boolean }[]
  const [other = '', another = ''] = sessions.filter(({ current }) => !current).map(({ id }) => id)
  const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    showFolders: { id: await connectionOf(t, admin) },
    previewPage: { id: preview.split('/').at(-2) ?? '' },
    cancelPublication: { path: later.json().scheduled.id },
    unshare: { path: hash },
    listShareLog: { hash },
    listShareDays: { hash },
    changeShare: { path: inbox },
    sendToShare: { path: `${inbox}/report.pdf` },
    saveInShare: { path: `${inbox}/a.txt` },
    moveInShare: { path: `${inbox}/b.txt` },
    deleteInShare: { path: `${inbox}/c.txt` },
    visit: { path: `${hash}/old/` },
    coverOfShare: { path: inbox },
    ...Object.fromEntries(
      ['begin', 'ask', 'cancel'].map((verb) => [`${verb}UploadToShare`, { path: `${inbox}/large.bin` }]),
    ),
    sendPieceToShare: { path: `${inbox}/large.bin` },
    downloadShared: { path: `${hash}/report.txt` },
    previewShared: { path: `${hash}/beach.jpg` },
    subtitleShared: { path: `${hash}/film.srt` },
    deleteHeld: { id: held[0]?.id ?? '' },
    releaseHeld: { id: held[1]?.id ?? '' },
    endSession: { id: other },
    endSessionOfUser: { id: '1', session: another },
    resendDelivery: { id: await deliveryOf(admin) },
    ...(await keptIds(admin)),
  }
  const ticket = String((await call('GET', `/api/public/share/${inbox}`)).headers['x-visit'])
  return { ...running, admin, call, known, ticket }
}

/** The ids of entries in the trash, of old contents of a file, and of operations. */
async function keptIds(call: Client) {
  const operations: string[] = []
  for (const name of ['read.txt', 'restored.txt', 'gone.txt', 'undone.txt', 'redone.txt']) {
    await call('POST', `/api/resources/${name}`, { payload: name })
    const reply = await call('DELETE', `/api/resources/${name}`)
    operations.push(String(reply.headers['x-operation']))
  }
  const [, , , undone = '', redone = ''] = operations
  await call('POST', `/api/operations/${redone}/undo`)
  const { items } = (await call('GET', '/api/trash')).json() as { items: { id: string; name: string }[] }
  const idOf = (name: string) => items.find((item) => item.name === name)?.id ?? ''
  for (const payload of ['one', 'two', 'three'])
    await call('PUT', '/api/resources/docs/report.txt', { payload })
  const versions = (await call('GET', '/api/versions/docs/report.txt')).json() as { id: string }[]
  const [first = '', second = ''] = versions.map(({ id }) => id)
  return {
    undo: { id: undone },
    redo: { id: redone },
    downloadDeleted: { id: idOf('read.txt') },
    restoreDeleted: { id: idOf('restored.txt') },
    deletePermanently: { id: idOf('gone.txt') },
    restoreVersion: { version: first },
    deleteVersion: { version: second },
  }
}

/** The id of a delivery to a webhook. Nothing is sent: its host does not exist (RFC 6761 §6.5). */
async function deliveryOf(call: Client): Promise<string> {
  await call('PUT', '/api/webhook', { payload: { url: 'https://hooks.example/', enabled: true } })
  return ((await call('POST', '/api/webhook/test')).json() as { id: string }).id
}

/** The id of an open connection to the events. */
async function connectionOf(t: Parameters<typeof start>[0], call: Client): Promise<string> {
  const stream = (await call('GET', '/api/events', { payloadAsStream: true })).stream()
  t.teardown(() => stream.destroy())
  for await (const chunk of stream.iterator({ destroyOnReturn: false }))
    return /"id":"([^"]+)"/.exec(String(chunk))?.[1] ?? ''
  throw new Error('the connection has ended')
}

// The user of the examples is the administrator of this test. Endpoints that delete or end something run last.
const runLast = [
  'askUpload',
  'sendPiece',
  'cancelUpload',
  'askUploadToShare',
  'sendPieceToShare',
  'cancelUploadToShare',
  'unshare',
  'emptyTrash',
  'remove',
  'endSession',
  'endOtherSessions',
  'removeUser',
  'logout',
]
const order = ({ operationId }: Call) => runLast.indexOf(operationId)

/** The differences between a response and the document: its type, its schema, its headers. */
function differences(
  { content = {}, headers = {} }: ApiResponse,
  reply: LightMyRequestResponse,
  compile: (schema: object) => ValidateFunction,
): string[] {
  const [type = ''] = String(reply.headers['content-type']).split(';')
  const expected = content[type] ?? content['*/*']
  if (!expected && reply.statusCode === 204 && reply.body === '') return []
  if (!expected) return [`answers ${type}`]
  const check = type === 'application/json' && expected.schema ? compile(expected.schema) : undefined
  const missing = Object.keys(headers).filter(
    (name) => sent.includes(name) && !reply.headers[name.toLowerCase()],
  )
  return [...(check && !check(reply.json()) ? [JSON.stringify(check.errors)] : []), ...missing]
}

// Other documented headers depend on the request.
const sent = ['ETag', 'Location', 'Content-Disposition']

t.test('every endpoint responds to its example as documented', async (t) => {
  const { admin, call, known, ticket } = await prepare(t)
  const { calls, compile } = await readDocument(call)
  // The WebSocket endpoint has no response to check, and that of the events does not end.
  // Mail servers are in the tests of `notices/mail`.
  const untested = ['setUp', 'receiveEvents', 'confirmNoticeAddress', 'testMail']
  const testable = calls.filter(
    ({ responses, operationId }) => !responses[101] && !untested.includes(operationId),
  )
  for (const one of testable.sort((a, b) => order(a) - order(b))) {
    const { method, operationId, responses } = one
    const payload = operationId === 'login' ? { payload: { username: 'ann', password } } : bodyOf(one)
    const headers = { 'x-visit': ticket, ...bodyOf(one).headers, ...headersOf(one) }
    const reply = await admin(method, address(one, known[operationId]), { ...payload, headers })
    const documented = responses[reply.statusCode]
    t.ok(
      documented && reply.statusCode < 300,
      `${operationId}: ${reply.statusCode} ${reply.body.slice(0, 200)}`,
    )
    t.strictSame(differences(documented ?? { description: '' }, reply, compile), [], operationId)
  }
})

t.test('the set-up responds to its example as documented', async (t) => {
  const { call } = await start(t, { setupCode: '7K2M-X0QD-93HB' })
  const { calls, compile } = await readDocument(call)
  const [setUp] = calls.filter(({ operationId }) => operationId === 'setUp')
  t.ok(setUp)
  if (!setUp) return
  const reply = await call(setUp.method, address(setUp), bodyOf(setUp))
  t.equal(reply.statusCode, 200, reply.body)
  t.strictSame(differences(setUp.responses[200] ?? { description: '' }, reply, compile), [])
})

t.test('every endpoint refuses bad input with a documented status', async (t) => {
  const { admin, call } = await prepare(t)
  const { calls, compile } = await readDocument(call)
  const isProblem = compile({ $ref: '#/components/schemas/Problem' })
  for (const one of calls) {
    for (const { what, method, url, rest } of badInputs(one)) {
      const headers = { ...headersOf(one), accept: 'application/problem+json' }
      const reply = await (what === 'a stranger' ? call : admin)(method, url, { ...rest, headers })
      const message = `${one.operationId}, ${what}: ${reply.statusCode} ${reply.body.slice(0, 200)}`
      t.ok(reply.statusCode >= 400 && reply.statusCode < 500, message)
      t.ok(what === 'another method' || one.responses[reply.statusCode], message)
      t.ok(isProblem(reply.json()), message)
    }
  }
})

/** The bad inputs for an endpoint: a path, a value, a body, no token, or another method. */
function badInputs(one: Call) {
  const { method, path, parameters = [], requestBody, security } = one
  const good = address(one)
  const found: { what: string; method: string; url: string; rest?: object }[] = []
  if (path.includes('{path}'))
    found.push({ what: 'a path with NUL', method, url: path.replace('{path}', 'a%00b') })
  if (path.includes('{id}') && parameters[0]?.schema.type === 'integer') {
    found.push({ what: 'no id', method, url: path.replace('{id}', 'one') })
  }
  const first = parameters.find((parameter) => parameter.in === 'query')
  if (first) {
    const url = `${good.split('?')[0]}?${first.name}=1&${first.name}=${'2'.repeat(1_000)}`
    found.push({ what: 'a doubled value', method, url, rest: bodyOf(one) })
  }
  if (requestBody?.content['application/json']) {
    found.push({ what: 'a broken body', method, url: good, rest: { payload: '{"a' } })
  }
  if (security.length > 0) found.push({ what: 'a stranger', method, url: good })
  if (found.length === 0) found.push({ what: 'another method', method: 'PUT', url: good })
  return found
}
