import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Listing } from '#contract/resources.ts'
import { start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'

const count = 3000

async function open(t: Test) {
  const made = await start(t, {
    tree: { many: {} },
    people: { alice: { perm: { share: true, download: true } } },
  })
  for (let n = 0; n < count; n++) writeFileSync(join(made.root, 'many', `${n}.txt`), '')
  return { ...made, alice: await made.as('alice') }
}

function checkListing(t: Test, { items, numDirs, numFiles, sorting, ...listing }: Listing): void {
  t.strictSame([items.length, numDirs, numFiles], [count, 0, count])
  t.strictSame(sorting, { by: 'name', asc: false })
  t.match(listing, { kind: 'listing', name: 'many', isDir: true })
  t.ok(items.every(({ index, name }, at) => index === at && name === `${at}.txt`))
}

t.test('the listing of a large folder is one JSON document, for users and for visitors', async (t) => {
  const { alice, call } = await open(t)
  const answer = await alice('GET', '/api/resources/many/')
  t.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  checkListing(t, answer.json())
  const { hash } = (await alice('POST', '/api/share/many', { payload: { password: 'open sesame' } })).json()
  const shared = (
    await call('GET', `/api/public/share/${hash}`, { headers: { 'x-share-password': 'open%20sesame' } })
  ).json()
  checkListing(t, { ...shared, name: 'many' })
  t.type(shared.token, 'string', 'the token follows the items')
})

t.test('a large listing is refused before its beginning when there is no memory for it', async (t) => {
  const { alice, services } = await open(t)
  const { users } = services.limits.listingBytes
  const held = [1, 2].map((n) => users.acquireNow(`holder ${n}`, 64 * 1024 * 1024))
  t.equal((await alice('GET', '/api/resources/many/')).statusCode, 503)
  for (const permit of held) permit[Symbol.dispose]()
  checkListing(t, (await alice('GET', '/api/resources/many/')).json())
})

t.test('the connection is cut when a listing fails after its beginning', async (t) => {
  const { app, services, login } = await open(t)
  const { view } = services.entries
  services.entries.view = async (actor, typed, options) => {
    await view(actor, typed, options)
    throw new Error('the disk failed')
  }
  const port = await listen(app)
  const outgoing = get({
    host: '127.0.0.1',
    port,
    path: '/api/resources/many/',
    headers: { 'X-Auth': await login('alice') },
  })
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  t.equal(reply.statusCode, 200)
  let text = ''
  await t.rejects(
    async () => {
      for await (const part of reply.setEncoding('utf8')) text += part
    },
    { code: 'ECONNRESET' },
  )
  t.match(text, /^\{"kind":"listing".*"items":\[\{"index":0,/)
})
