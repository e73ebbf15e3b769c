import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import t from 'tap'
import { contract } from '#contract/index.ts'
import { codings } from '#src/core/zlib/content-coding.ts'
import { start } from '#src/testing/start.ts'

const decode = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

t.test('searches, accounts and the audit log are compressed for clients that ask', async (t) => {
  const names = Array.from({ length: 40 }, (_, n) => `user ${n}`)
  const tree = Object.fromEntries(names.map((name) => [name, { 'report.txt': '' }]))
  const people = Object.fromEntries(names.slice(0, 10).map((name) => [name, {}]))
  const { as, services } = await start(t, { tree, people })
  const admin = await as('admin')
  const user = await as('user 1')
  for (const name of names) await admin('POST', `/api/resources/${encodeURIComponent(name)}/new.txt`)
  const get = (url: string, accepted?: string, headers = {}) =>
    admin('GET', url, { headers: { ...(accepted && { 'accept-encoding': accepted }), ...headers } })
  const lists = ['/api/search/?query=report', '/api/users', '/api/audit']
  const lines = { accept: 'application/x-ndjson' }
  for (const url of lists) {
    const plain = await get(url)
    t.equal(plain.statusCode, 200, url)
    t.equal(plain.headers['content-encoding'], undefined, `${url}: only if the client asks`)
    t.equal(plain.headers.vary, 'accept-encoding')
    t.ok(plain.rawPayload.length > 1024, `${url}: ${plain.rawPayload.length} bytes`)
    for (const coding of codings) {
      const reply = await get(url, coding)
      t.equal(reply.headers['content-encoding'], coding, url)
      t.equal(reply.headers.vary, 'accept-encoding')
      t.equal(decode[coding](reply.rawPayload).toString(), plain.body)
      t.ok(reply.rawPayload.length < plain.rawPayload.length / 2)
    }
  }
  const streamed = await get('/api/search/?query=report', 'br', lines)
  t.equal(brotliDecompressSync(streamed.rawPayload).toString().trim().split('\n').length, 40)
  t.equal((await get('/api/audit?limit=1', 'br')).headers['content-encoding'], undefined, 'it is small')
  t.equal((await user('GET', '/api/users', { headers: { 'accept-encoding': 'br' } })).statusCode, 403)

  const { compressedAnswers } = services.limits
  const held = Array.from({ length: 16 }, (_, n) => compressedAnswers.acquireNow(`holder ${n % 4}`))
  for (const url of lists) {
    const reply = await get(url, 'br')
    t.equal(reply.headers['content-encoding'], undefined, `${url}: too many answers are being compressed`)
    t.ok(reply.json())
  }
  for (const permit of held) permit[Symbol.dispose]()
  t.equal((await get('/api/users', 'br')).headers['content-encoding'], 'br', 'each permit is returned')
})

t.test('no other answer is compressed', async (t) => {
  const { as } = await start(t, { tree: { 'a.txt': 'a'.repeat(5000) } })
  const admin = await as('admin')
  // Events never end, and commands need a socket.
  const addresses = Object.keys(contract).filter((address) =>
    /^GET (?!\/api\/(events|command|doctor))/.test(address),
  )
  const compressed = []
  for (const address of addresses) {
    const url = address.slice(4).replace('*', 'a.txt').replace(/:\w+/g, '1')
    const { headers } = await admin('GET', url, { headers: { 'accept-encoding': 'br, gzip' } })
    if (headers['content-encoding']) compressed.push(address)
    if (headers['content-encoding']) t.equal(headers.etag, undefined, `${address}: no etag of another coding`)
  }
  t.strictSame(compressed, [])
})
