import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import t from 'tap'
import { type Coding, codings } from '#src/core/zlib/content-coding.ts'
import { start } from '#src/testing/start.ts'

const decode = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync }

t.test('a listing of any size is the same in each coding', async (t) => {
  const { as, root, document } = await start(t, { tree: { empty: {}, few: { 'a.txt': '' } } })
  for (const count of [20, 1999, 2000, 3000]) {
    mkdirSync(join(root, `${count}`))
    for (let n = 0; n < count; n++) writeFileSync(join(root, `${count}`, `ä ${n}.txt`), 'x'.repeat(n % 7))
  }
  const admin = await as('admin')
  const get = (folder: string, accepted?: string) =>
    admin('GET', `/api/resources/${folder}/`, { headers: accepted ? { 'accept-encoding': accepted } : {} })
  for (const folder of ['empty', 'few', '20', '1999', '2000', '3000']) {
    const plain = await get(folder)
    t.equal(plain.headers['content-encoding'], undefined, `${folder}: only if the client asks`)
    t.equal(plain.headers.vary, 'accept-encoding')
    for (const coding of codings) {
      const reply = await get(folder, `${coding}, identity`)
      t.equal(reply.headers.vary, 'accept-encoding')
      if (plain.rawPayload.length <= 1024) {
        t.equal(reply.headers['content-encoding'], undefined, `${folder}: too small for ${coding}`)
        t.strictSame(reply.json(), plain.json())
        continue
      }
      t.equal(reply.headers['content-encoding'], coding, folder)
      t.ok(decode[coding](reply.rawPayload).equals(plain.rawPayload), `${folder} in ${coding}`)
      t.ok(reply.rawPayload.length < plain.rawPayload.length / 5, `${folder}: ${coding} saves most of it`)
    }
  }
  const codingOf = async (folder: string, accepted: string) =>
    (await get(folder, accepted)).headers['content-encoding']
  t.equal(await codingOf('20', 'gzip, deflate, br, zstd'), 'br')
  t.equal(await codingOf('20', 'gzip;q=1, br;q=0'), 'gzip')
  t.equal(await codingOf('20', 'deflate, br;q=0.000'), undefined)
  t.equal(await codingOf('3000', 'gzip, deflate, br, zstd'), 'gzip', 'it can be begun early')
  const sorting = { by: 'size', asc: true } as const
  await document.update(({ users }) => {
    for (const user of Object.values(users)) user.sorting = sorting
  })
  const [bySize, plain] = [await get('3000', 'gzip'), await get('3000')]
  t.ok(gunzipSync(bySize.rawPayload).equals(plain.rawPayload))
})

t.test('a listing for a visitor is compressed unless the answer holds a token', async (t) => {
  const tree = { docs: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}.txt`, ''])) }
  const { as, call } = await start(t, { tree })
  const admin = await as('admin')
  const visit = async (settings: { password?: string }, headers = {}) => {
    const { hash } = (await admin('POST', '/api/share/docs', { payload: settings })).json()
    return call('GET', `/api/public/share/${hash}`, { headers: { 'accept-encoding': 'br', ...headers } })
  }
  const open = await visit({})
  t.equal(open.headers['content-encoding'], 'br')
  t.equal(JSON.parse(brotliDecompressSync(open.rawPayload).toString()).items.length, 50)
  const locked = await visit({ password: 'open sesame' }, { 'x-share-password': 'open%20sesame' })
  t.equal(locked.headers['content-encoding'], undefined)
  t.match(locked.json(), { token: String })
})

t.test('the memory that is reserved for a listing is that of the compressed answer', async (t) => {
  const { as, root, services } = await start(t, { tree: { many: {} } })
  for (let n = 0; n < 3000; n++) writeFileSync(join(root, 'many', `${n}.txt`), '')
  const admin = await as('admin')
  const { users } = services.limits.listingBytes
  const mebibyte = 1024 * 1024
  // 200 KiB are left: too few for 3,000 entries as they are.
  const held = [64 * mebibyte, 64 * mebibyte - 200 * 1024].map((size, n) =>
    users.acquireNow(`holder ${n}`, size),
  )
  const status = async (coding?: Coding) =>
    (await admin('GET', '/api/resources/many/', { headers: coding ? { 'accept-encoding': coding } : {} }))
      .statusCode
  t.equal(await status(), 503)
  for (const coding of codings) t.equal(await status(coding), 200, coding)
  for (const permit of held) permit[Symbol.dispose]()
})
