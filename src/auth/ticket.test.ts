import { createHmac } from 'node:crypto'
import t from 'tap'
import { start } from '#src/testing/start.ts'

const tree = { 'a b#?%.txt': 'the text', 'b.txt': 'other' }
const encoded = '/api/raw/a%20b%23%3F%25.txt'

async function ticketFor(t: Parameters<typeof start>[0], payload: object) {
  const started = await start(t, { tree })
  const admin = await started.as('admin')
  const reply = await admin('POST', '/api/ticket', { payload })
  const { ticket } = reply.json()
  return { ...started, ticket: String(ticket), open: (url: string) => started.call('GET', url) }
}

t.test('a ticket is valid only for its path', async (t) => {
  const { open, ticket } = await ticketFor(t, { action: 'raw', path: '/a b#?%.txt' })
  const reply = await open(`${encoded}?auth=${ticket}`)
  t.match(reply, { statusCode: 200, body: 'the text' })
  t.equal((await open(`${encoded}?inline=true&auth=${ticket}`)).statusCode, 200)
  for (const url of ['/api/raw/b.txt', '/api/raw/', '/api/raw/a%20b', '/api/raw/A%20b%23%3F%25.txt']) {
    t.equal((await open(`${url}?auth=${ticket}`)).statusCode, 401, url)
  }
})

t.test('a ticket is valid for every spelling of its path', async (t) => {
  const { open, ticket } = await ticketFor(t, { action: 'raw', path: '/x/../a b#?%.txt' })
  t.equal((await open(`${encoded}?auth=${ticket}`)).statusCode, 200)
  t.equal((await open(`/api/raw/./a%20b%23%3f%25.txt?auth=${ticket}`)).statusCode, 200)
  t.equal((await open(`/api/raw//a%20b%2523%3F%25.txt?auth=${ticket}`)).statusCode, 401, 'doubly encoded')
})

t.test('a ticket is valid only for its action and is not a token', async (t) => {
  const { call, open, ticket } = await ticketFor(t, { action: 'command', path: '/a b#?%.txt' })
  t.equal((await open(`${encoded}?auth=${ticket}`)).statusCode, 401, 'another action')
  for (const headers of [{ 'x-auth': ticket }, { authorization: `Bearer ${ticket}` }]) {
    t.equal((await call('GET', encoded, { headers })).statusCode, 401)
    t.equal((await call('POST', '/api/renew', { headers })).statusCode, 401)
  }
  t.equal((await open(`/api/sessions?auth=${ticket}`)).statusCode, 401)
})

t.test('a ticket expires after sixty seconds', async (t) => {
  const { open, ticket, clock } = await ticketFor(t, { action: 'raw', path: '/a b#?%.txt' })
  clock.advance({ seconds: 59 })
  t.equal((await open(`${encoded}?auth=${ticket}`)).statusCode, 200)
  clock.advance({ seconds: 2 })
  t.equal((await open(`${encoded}?auth=${ticket}`)).statusCode, 401)
})

t.test('rejects forged tickets', async (t) => {
  const { open, ticket, document } = await ticketFor(t, { action: 'raw', path: '/a b#?%.txt' })
  const [body = '', mark = ''] = ticket.split('.')
  const key = Buffer.from(document.data.credentials.signingKey, 'base64')
  const unmarked = createHmac('sha256', key).update(body).digest('base64url')
  const later = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), until: 9e15 }),
  ).toString('base64url')
  for (const forgery of ['', '.', body, `${body}.`, `.${mark}`, `${later}.${mark}`, `${body}.${unmarked}`]) {
    t.equal((await open(`${encoded}?auth=${forgery}`)).statusCode, 401, forgery)
  }
  const twice = await open(`${encoded}?auth=${ticket}&auth=${ticket}`)
  t.equal(twice.statusCode, 401, 'a repeated ticket is rejected')
})

t.test('a ticket acts with the current permissions of its user', async (t) => {
  const { as, call, document } = await start(t, { tree, people: { alice: {} } })
  const alice = await as('alice')
  const payload = { action: 'raw', path: '/b.txt' }
  const { ticket } = (await alice('POST', '/api/ticket', { payload })).json()
  const open = async () => (await call('GET', `/api/raw/b.txt?auth=${ticket}`)).statusCode
  t.equal(await open(), 200)
  await document.update((draft) => {
    const user = draft.users[2]
    if (user) user.rules = [{ allow: false, path: '/b.txt', regex: false, regexp: null }]
  })
  t.equal(await open(), 403)
})

t.test('issues no ticket for an invalid path', async (t) => {
  const { as } = await start(t, { tree })
  const admin = await as('admin')
  for (const path of ['/a\u0000', '/\ud800', `/${'x'.repeat(256)}`]) {
    t.equal((await admin('POST', '/api/ticket', { payload: { action: 'raw', path } })).statusCode, 400)
  }
})
