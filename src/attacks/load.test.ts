// Needs a process of its own: it measures the memory of the process.
import { closeSync, ftruncateSync, lstatSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { dial, until } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import { canaries, pathsBelow } from './world.ts'

const target = await openTarget(t)
const { ask, row, rules, root, app, port } = target
const alice = join(root, 'alice')

const chunk = (type: string, data: Buffer) => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(named))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, named, sum])
}

/** A PNG whose header claims this width and height in pixels, with hardly any data. */
function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 6, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const data = Buffer.from([0x78, 0x9c, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01])
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}

const bombs: Record<string, Buffer> = {
  'wide.png': png(60_000, 60_000),
  'long.png': png(1, 4_000_000_000),
  'none.png': png(0, 0),
  'cut.png': png(100, 100).subarray(0, 40),
  'head.jpg': Buffer.from('ffd8ffe000104a46494600010100000100010000ffc00011', 'hex'),
  'large.jpg': Buffer.from('ffd8ffc0001108ffffffff03012200021101031101ffd9', 'hex'),
  'frames.gif': Buffer.concat([
    Buffer.from('GIF89a\xff\xff\xff\xff\x00\x00\x00', 'latin1'),
    Buffer.alloc(200_000, '2c00000000ffffffff000200', 'hex'),
  ]),
  'large.webp': Buffer.from('5249464616000000574542505650384c0a0000002fffffff0f00000000000000', 'hex'),
  'x.svg': Buffer.from('<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><svg>&b;</svg>'),
  'x.tiff': Buffer.from('49492a00ffffffff', 'hex'),
  'x.ico': Buffer.from('00000100ffff', 'hex'),
  'x.heic': Buffer.from('000000186674797068656963', 'hex'),
  'x.avif': Buffer.from('000000186674797061766966', 'hex'),
}

row('J03 CVE-2026-55497 a picture that claims to be huge is refused after reading its header', async (t) => {
  for (const [name, bytes] of Object.entries(bombs)) writeFileSync(join(alice, name), bytes)
  await target.token('alice')
  const before = process.memoryUsage().rss
  const names = Object.keys(bombs)
  const urls = names.flatMap((name) => ['thumb', 'big'].map((size) => `/api/preview/${size}/${name}`))
  // Twice and all at once: failures are cached, and no request waits for long.
  for (const round of [1, 2]) {
    const responses = await Promise.all(urls.map((url) => ask('alice', 'GET', url)))
    for (const response of responses) isRefused(t, response, [413, 415, 422])
    t.match(await ask('', 'GET', '/health'), { status: 200 }, `after round ${round}`)
  }
  t.ok(process.memoryUsage().rss - before < 400 * 1024 ** 2)
})

row('J04 a huge folder and a deep tree are listed in chunks, and other requests do not wait', async (t) => {
  const many = join(alice, 'many')
  mkdirSync(many)
  for (let n = 0; n < 10_000; n++) writeFileSync(join(many, `file-${n}.txt`), '')
  let deep = 'd'
  while (deep.length < 3000) deep += '/d'
  mkdirSync(join(alice, deep), { recursive: true })
  const urls = [
    '/api/resources/many',
    '/api/resources/recursive/',
    '/api/search/?query=',
    '/api/search/?query=a',
    '/api/search/?query=type:image',
    `/api/search/?query=${'a'.repeat(4000)}`,
    `/api/resources/${deep}`,
    '/api/raw/d?algo=tar',
  ]
  const responses = Promise.all([...urls, ...urls].map((url) => ask('alice', 'GET', url)))
  t.match(await ask('', 'GET', '/health'), { status: 200 }, 'while the requests are running')
  for (const response of await responses) isRefused(t, response, [200])
  isRefused(t, await ask('alice', 'GET', `/api/search/?query=${'a'.repeat(10_000)}`), [400, 414, 431])
  const { text } = await ask('alice', 'GET', '/api/resources/many')
  t.match(JSON.parse(text), { numFiles: 10_000, numDirs: 0 })
  for (let n = 0; n < 10; n++) {
    const { socket } = await dial(t, port)
    socket.write(
      `GET /api/search/?query= HTTP/1.1\r\nHost: x\r\nX-Auth: ${await target.token('alice')}\r\n\r\n`,
    )
    socket.destroy()
  }
  t.equal((await ask('alice', 'DELETE', '/api/resources/d')).status, 200, 'a deep tree can be deleted')
  t.equal((await ask('alice', 'DELETE', '/api/resources/many')).status, 200)
})

row('J04 a client that does not read its results blocks no worker threads for others', async (t) => {
  const many = join(alice, 'many')
  mkdirSync(many)
  const count = 25_000
  const names = Array.from({ length: count }, (_, n) => `${n}-${'x'.repeat(190)}`)
  for (const name of names) writeFileSync(join(many, name), '')
  const token = await target.token('alice')
  const begin = async (url: string) => {
    const { socket } = await dial(t, port)
    socket.pause()
    socket.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nConnection: close\r\n\r\n`)
    return socket
  }
  const urls = [
    '/api/search/many?query=x',
    '/api/resources/recursive/many',
    '/api/search/?query=',
    '/api/search/?query=a',
  ]
  const still = await Promise.all([...urls, ...urls].map(begin))
  for (const user of ['team1', 'bob'] as const) {
    t.equal((await ask(user, 'GET', '/api/search/?query=a')).status, 200, 'searches of other users work')
    t.match((await ask(user, 'GET', '/api/resources/recursive/')).text, 'a.txt')
  }
  t.equal(
    (await ask('alice', 'GET', '/api/search/docs?query=secret')).status,
    200,
    'other searches of the same user work, too',
  )
  // A listing that waited for its reader continues where it stopped. No entry is lost or sent twice.
  const [first, second] = await Promise.all(
    still.slice(0, 2).map(async (socket) => (await buffer(socket)).toString()),
  )
  for (const said of [first, second]) {
    const listed = [...(said ?? '').matchAll(/"path":"[^"]*?(\d+)-x+"/g)].map(([, n]) => n)
    t.equal(listed.length, count)
    t.equal(new Set(listed).size, count)
  }
  for (const socket of still) socket.destroy()
  t.equal((await ask('alice', 'DELETE', '/api/resources/many')).status, 200)
})

row('J04 checksums of huge files do not block checksums for other users', async (t) => {
  const file = openSync(join(alice, 'huge.bin'), 'w')
  ftruncateSync(file, 4 * 1024 ** 4)
  closeSync(file)
  const token = await target.token('alice')
  const begin = async () => {
    const { socket } = await dial(t, port)
    socket.write(
      `GET /api/resources/huge.bin?checksum=sha512 HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`,
    )
    return socket
  }
  const waiting = await Promise.all([begin(), begin(), begin()])
  const sum = await ask('team1', 'GET', '/api/resources/a.txt?checksum=md5')
  t.match(JSON.parse(sum.text), { checksums: { md5: /^[0-9a-f]{32}$/ } })
  for (const socket of waiting) socket.destroy()
  t.equal(
    (await ask('alice', 'GET', '/api/resources/pub.txt?checksum=md5')).status,
    200,
    'an aborted request frees its thread',
  )
})

row('J06 slow clients do not make other clients wait', async (t) => {
  writeFileSync(join(alice, 'big.bin'), Buffer.alloc(8 * 1024 * 1024))
  const token = await target.token('alice')
  const slow = [
    'GET / HTTP/1.1\r\nHost',
    'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{',
    `PUT /api/resources/slow.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\nContent-Length: 1000\r\n\r\nx`,
    `GET /api/raw/big.bin HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n\r\n`,
    '',
  ]
  const wires = await Promise.all(
    Array.from({ length: 40 }, () => slow)
      .flat()
      .map((text) => open(text)),
  )
  async function open(text: string) {
    const { socket } = await dial(t, port)
    socket.pause()
    socket.write(text)
    return socket
  }
  for (const url of ['/health', '/', '/api/resources/', '/api/raw/pub.txt', '/api/search/?query=a']) {
    t.equal((await ask('alice', 'GET', url)).status, 200, url)
  }
  t.equal((await ask('alice', 'POST', '/api/resources/quick.txt', { body: 'x' })).status, 200)
  const { headersTimeout, keepAliveTimeout, requestTimeout } = app.server
  for (const each of [headersTimeout, keepAliveTimeout]) t.ok(each > 0 && each <= 120_000)
  t.ok(requestTimeout >= 0)
  for (const socket of wires) socket.destroy()
  await until(async () => (await ask('alice', 'GET', '/api/resources/slow.txt')).status === 404)
})

row('J12 a preview shows the current file, and only to users who may read it', async (t) => {
  // The smallest possible picture: a GIF of one pixel.
  const pixel = (colour: string) =>
    Buffer.from(`47494638396101000100800000${colour}ffffff2c00000000010001000002024401003b`, 'hex')
  const path = join(alice, 'docs/p.gif')
  writeFileSync(path, pixel('ff0000'))
  const url = '/api/preview/thumb/docs/p.gif'
  const red = await ask('alice', 'GET', url)
  t.equal(red.status, 200)
  // Another picture of the same length replaces the file at once.
  writeFileSync(join(alice, 'docs/q.gif'), pixel('0000ff'))
  renameSync(join(alice, 'docs/q.gif'), path)
  const blue = await ask('alice', 'GET', url, { headers: { 'if-none-match': String(red.headers.etag) } })
  t.equal(blue.status, 200)
  t.notSame(blue.body, red.body)
  t.not(blue.headers.etag, red.headers.etag)
  await rules('alice', ['/docs'])
  isRefused(t, await ask('alice', 'GET', url), [403])
  isRefused(
    t,
    await ask('alice', 'GET', url, { headers: { 'if-none-match': String(blue.headers.etag) } }),
    [403],
  )
  await rules('alice', [])
  isRefused(t, await ask('nodl', 'GET', url), [403])
  isRefused(t, await ask('bob', 'GET', url), [404])
  t.equal((await ask('alice', 'DELETE', '/api/resources/docs/p.gif')).status, 200)
  isRefused(t, await ask('alice', 'GET', url), [404])
  writeFileSync(path, canaries.rule)
  isRefused(t, await ask('alice', 'GET', url), [415, 422])
})

row('J12 previews of deleted and renamed files are removed from the cache', async (t) => {
  const pixel = Buffer.from('47494638396101000100800000ff0000ffffff2c00000000010001000002024401003b', 'hex')
  const countCached = () =>
    pathsBelow(join(target.base, 'state.d/cache')).filter((file) =>
      lstatSync(file, { throwIfNoEntry: false })?.isFile(),
    ).length
  mkdirSync(join(alice, 'docs/album/deep'), { recursive: true })
  const names = ['one.gif', 'docs/two.gif', 'docs/album/three.gif', 'docs/album/deep/four.gif']
  for (const name of names) writeFileSync(join(alice, name), pixel)
  const before = countCached()
  for (const name of names)
    for (const size of ['thumb', 'big'])
      t.equal((await ask('alice', 'GET', `/api/preview/${size}/${name}`)).status, 200)
  t.equal(countCached(), before + 8)
  t.equal((await ask('alice', 'DELETE', '/api/resources/one.gif')).status, 200)
  await until(() => countCached() === before + 6)
  const rename = '/api/resources/docs/two.gif?action=rename&destination=%2Fnew.gif'
  t.equal((await ask('alice', 'PATCH', rename)).status, 200)
  await until(() => countCached() === before + 4)
  t.equal((await ask('alice', 'DELETE', '/api/resources/docs/album?permanent=true')).status, 200)
  await until(() => countCached() === before)
})
