import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { QuotaOwner } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import type { OpenFile } from '#src/entries/open.ts'
import * as pictures from '#src/testing/pictures.ts'
import { type Person, start } from '#src/testing/start.ts'
import { createPreviews } from './previews.ts'

const { asAvif, asBmp, asGif, asJpeg, asPng, asWebp, isNear, look, painted, plain } = pictures
const [red, green, blue] = [
  [200, 30, 30],
  [30, 160, 60],
  [40, 60, 200],
] as const

/** A server with these pictures, and functions to request previews. */
async function setUp(
  t: Test,
  files: Record<string, Buffer>,
  options: { people?: Record<string, Person>; config?: object } = {},
) {
  const started = await start(t, options)
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(started.root, name), bytes)
  const admin = await started.as('admin')
  const get = (url: string, headers: Record<string, string> = {}) => admin('GET', url, { headers })
  return { ...started, admin, get, cache: join(started.base, 'state.d/cache') }
}

/** All files in the cache. */
function cachedFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { recursive: true }) as string[]
  return names.map((name) => join(folder, name)).filter((file) => statSync(file).isFile())
}

t.test('a thumbnail is a square of 256 pixels from the middle of the picture', async (t) => {
  // Wide, and green in the middle.
  const wide = painted(900, 300, (x) => (x >= 300 && x < 600 ? [...green, 255] : [...red, 255]))
  const { get } = await setUp(t, { 'wide.png': asPng(wide) })
  const reply = await get('/api/preview/thumb/wide.png')
  t.match(reply, {
    statusCode: 200,
    headers: {
      'content-type': 'image/webp',
      etag: /^"[0-9a-f]{40}"$/,
      'cache-control': /private/,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /default-src 'none'.*sandbox/,
    },
  })
  const { width, height, at } = await look(reply.rawPayload)
  t.strictSame([width, height], [256, 256])
  for (const x of [0.05, 0.5, 0.95]) t.ok(isNear(at(x, 0.5), green), `green at ${x}`)
})

t.test('a big preview is the whole picture with at most 1080 pixels', async (t) => {
  const { get } = await setUp(t, {
    'wide.png': asPng(plain(2160, 540, red)),
    'small.png': asPng(plain(40, 30, red)),
  })
  const size = async (url: string) => {
    const { width, height } = await look((await get(url)).rawPayload)
    return [width, height]
  }
  t.strictSame(await size('/api/preview/big/wide.png'), [1080, 270])
  t.strictSame(await size('/api/preview/big/small.png'), [40, 30], 'pictures are not enlarged')
  t.strictSame(await size('/api/preview/thumb/small.png'), [30, 30])
})

t.test('creates previews of JPEG, PNG, WebP, AVIF, GIF and BMP, independent of the file name', async (t) => {
  const picture = plain(320, 320, blue)
  const files = {
    jpeg: await asJpeg(picture),
    png: asPng(picture),
    webp: await asWebp(picture),
    avif: await asAvif(picture),
    gif: asGif(320, 320, [blue, red]),
    bmp: asBmp(picture),
  }
  const { get } = await setUp(t, files)
  for (const name of Object.keys(files)) {
    const reply = await get(`/api/preview/thumb/${name}`)
    t.equal(reply.statusCode, 200, name)
    const { width, at } = await look(reply.rawPayload)
    t.equal(width, 256, name)
    t.ok(isNear(at(0.5, 0.5), [...blue, 255]), `${name}: ${at(0.5, 0.5)}`)
  }
})

t.test('the preview of an animation is its first frame', async (t) => {
  const frames = await Promise.all([green, red].map((colour) => asWebp(plain(300, 300, colour))))
  const clear = await asWebp(painted(300, 300, (x) => [...green, x < 150 ? 0 : 255]))
  const { get } = await setUp(t, {
    'a.webp': pictures.animated(frames, 300, 300),
    'clear.webp': pictures.animated([clear], 300, 300),
    'a.gif': asGif(300, 300, [green, red]),
  })
  for (const name of ['a.webp', 'a.gif']) {
    const { at } = await look((await get(`/api/preview/thumb/${name}`)).rawPayload)
    t.ok(isNear(at(0.5, 0.5), green), name)
  }
  const { at } = await look((await get('/api/preview/thumb/clear.webp')).rawPayload)
  t.equal(at(0.1, 0.5)[3], 0)
  t.ok(isNear(at(0.9, 0.5), [...green, 255]))
})

t.test('keeps transparency', async (t) => {
  const half = painted(400, 400, (x) => (x < 200 ? [...red, 255] : [0, 0, 0, 0]))
  const { get } = await setUp(t, { 'half.png': asPng(half) })
  const { at } = await look((await get('/api/preview/thumb/half.png')).rawPayload)
  t.ok(isNear(at(0.1, 0.5), [...red, 255]))
  t.equal(at(0.9, 0.5)[3], 0)
  t.ok(isNear(at(0.49, 0.5), red), 'the edge is not darker')
})

t.test('rotates a photograph by its Exif orientation', async (t) => {
  // Without rotation, red is top left, green is top right and blue is at the bottom.
  const corner = painted(300, 200, (x, y) => [...(y >= 100 ? blue : x >= 150 ? green : red), 255])
  // The displayed positions of the stored top left and top right corners (Exif 2.32, orientation).
  const seen: [number, [number, number], [number, number]][] = [
    [1, [0.1, 0.1], [0.9, 0.1]],
    [2, [0.9, 0.1], [0.1, 0.1]],
    [3, [0.9, 0.9], [0.1, 0.9]],
    [4, [0.1, 0.9], [0.9, 0.9]],
    [5, [0.1, 0.1], [0.1, 0.9]],
    [6, [0.9, 0.1], [0.9, 0.9]],
    [7, [0.9, 0.9], [0.9, 0.1]],
    [8, [0.1, 0.9], [0.1, 0.1]],
  ]
  const files: Record<string, Buffer> = {}
  for (const [orientation] of seen) files[`${orientation}.jpg`] = await asJpeg(corner, orientation)
  const { get } = await setUp(t, files)
  for (const [orientation, left, right] of seen) {
    const { width, at } = await look((await get(`/api/preview/big/${orientation}.jpg`)).rawPayload)
    t.equal(width, orientation < 5 ? 300 : 200)
    t.ok(isNear(at(...left), red), `${orientation}: ${at(...left)}`)
    t.ok(isNear(at(...right), green), `${orientation}: ${at(...right)}`)
  }
})

t.test('returns 304 for a known etag until the file changes', async (t) => {
  const { get, root } = await setUp(t, { 'a.bmp': asBmp(plain(50, 50, red)) })
  const file = join(root, 'a.bmp')
  utimesSync(file, 1000, 1000)
  const first = await get('/api/preview/thumb/a.bmp?inline=true&key=1')
  const etag = String(first.headers.etag)
  t.match(await get('/api/preview/thumb/a.bmp', { 'if-none-match': etag }), { statusCode: 304, body: '' })
  t.not((await get('/api/preview/big/a.bmp')).headers.etag, etag)
  // Overwritten with the same length and with the old modification time.
  writeFileSync(file, asBmp(plain(50, 50, blue)))
  utimesSync(file, 1000, 1000)
  const second = await get('/api/preview/thumb/a.bmp', { 'if-none-match': etag })
  t.equal(second.statusCode, 200)
  t.ok(isNear((await look(second.rawPayload)).at(0.5, 0.5), blue))
})

t.test('caches previews and creates them again when the cache is deleted or damaged', async (t) => {
  const { get, cache } = await setUp(t, { 'a.png': asPng(plain(50, 50, red)) })
  const { rawPayload } = await get('/api/preview/thumb/a.png')
  const [file = '', ...more] = cachedFiles(cache)
  t.equal(more.length, 0)
  t.strictSame(readFileSync(file), rawPayload)
  t.equal(statSync(file).mode & 0o777, 0o600)
  const other = await asWebp(plain(7, 7, green))
  writeFileSync(file, other)
  t.strictSame((await get('/api/preview/thumb/a.png')).rawPayload, other)
  rmSync(cache, { recursive: true })
  t.strictSame((await get('/api/preview/thumb/a.png')).rawPayload, rawPayload)
  for (const damaged of [
    Buffer.from('rubbish'),
    Buffer.from('!constructor'),
    Buffer.alloc(0),
    rawPayload.subarray(0, 90),
  ]) {
    writeFileSync(cachedFiles(cache)[0] ?? '', damaged)
    t.strictSame((await get('/api/preview/thumb/a.png')).rawPayload, rawPayload, 'it is created again')
  }
})

t.test('refuses the preview to users who may not read the file, even if it is cached', async (t) => {
  const people = {
    looker: { perm: { download: false } },
    denied: { rules: [{ allow: false, path: '/a.png', regex: false, regexp: { raw: '' } }] },
  }
  const { get, as, root, base } = await setUp(t, { 'a.png': asPng(plain(50, 50, red)) }, { people })
  writeFileSync(join(base, 'outside.png'), asPng(plain(50, 50, red)))
  symlinkSync('../outside.png', join(root, 'link.png'))
  t.equal((await get('/api/preview/thumb/a.png')).statusCode, 200)
  for (const size of ['thumb', 'big']) {
    t.equal((await (await as('looker'))('GET', `/api/preview/${size}/a.png`)).statusCode, 403)
    t.equal((await (await as('denied'))('GET', `/api/preview/${size}/a.png`)).statusCode, 403)
    t.equal((await (await as('denied'))('GET', `/api/preview/${size}//x/..//a.png`)).statusCode, 403)
    t.equal((await get(`/api/preview/${size}/link.png`)).statusCode, 403)
  }
  rmSync(join(root, 'a.png'))
  t.equal((await get('/api/preview/thumb/a.png')).statusCode, 404)
})

t.test('creates no preview for a request that loses access while it waits', async (t) => {
  const folder = t.testdir({ cache: {}, 'a.png': asPng(plain(1500, 1500, red)) })
  const cache = join(folder, 'cache')
  const config = { disableThumbnails: false, disablePreviewResize: false }
  const previews = createPreviews({ folder: cache, config, clock: Date.now })
  t.teardown(() => previews.close())
  const request = async (session: string, recheck: () => void) => {
    const file = await open(join(folder, 'a.png'))
    const given = { file, stats: await file.stat({ bigint: false }), name: 'a.png', etag: '', recheck }
    const payer = { key: session }
    const requester = { payer, group: session, signal: new AbortController().signal }
    return previews.getPreview(given as OpenFile, 'thumb', requester)
  }
  const ended = () => {
    throw new Problem('auth.required')
  }
  await t.rejects(request('ended', ended), { code: 'auth.required' })
  t.strictSame(cachedFiles(cache), [], 'nothing was created')
  const both = await Promise.allSettled([request('ended', ended), request('good', () => {})])
  t.match(
    both,
    [{ status: 'rejected' }, { status: 'fulfilled' }],
    'a parallel request of another session succeeds',
  )
})

t.test('visitors of shares have one preview queue and do not delay users', async (t) => {
  const count = 120
  const bytes = asPng(plain(300, 300, red))
  const names = Array.from({ length: count + 2 }, (_, n) => `${n}.png`)
  const folder = t.testdir({ cache: {}, ...Object.fromEntries(names.map((name) => [name, ''])) })
  for (const name of names) writeFileSync(join(folder, name), bytes)
  const config = { disableThumbnails: false, disablePreviewResize: false }
  const previews = createPreviews({ folder: join(folder, 'cache'), config, clock: Date.now })
  t.teardown(() => previews.close())
  const startedBy: string[] = []
  const request = async (name: string, payer: QuotaOwner) => {
    const file = await open(join(folder, name))
    const stats = await file.stat({ bigint: false })
    const recheck = () => void startedBy.push(payer.share ? 'visitor' : 'user')
    const requester = { payer, group: name, signal: new AbortController().signal }
    return previews.getPreview({ file, stats, name, etag: '', recheck } as OpenFile, 'thumb', requester)
  }
  const flood = names
    .slice(0, count)
    .map((name) => request(name, { key: 'network 192.0.2.1', share: 'link' }))
  const settled = Promise.allSettled(flood)
  await Promise.any(flood)
  const before = startedBy.length
  await request(names.at(-1) ?? '', { key: 'user 1' })
  const between = startedBy.slice(before, startedBy.indexOf('user'))
  t.ok(between.length <= 2, `${between.length} pictures of visitors begin before that of a user`)
  const refused = (await settled).filter((one) => one.status === 'rejected')
  t.ok(refused.length > 0, 'at most 50 requests of one network wait')
  t.match(refused[0], { reason: { code: 'server.busy' } })
  await t.resolves(request(names.at(-2) ?? '', { key: 'network 198.51.100.1', share: 'link' }))
})

t.test('refuses files that are not pictures with the reason', async (t) => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
  const { get } = await setUp(t, {
    'page.jpg': Buffer.from('<html><script>alert(1)</script></html>'.padEnd(200)),
    'drawing.svg': Buffer.from(svg),
    'drawing.png': Buffer.from(svg),
    'list.gif': Buffer.from('#EXTM3U\nfile:///etc/passwd\nhttp://127.0.0.1/\n'),
    'empty.jpg': Buffer.alloc(0),
    'short.png': Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  })
  for (const name of ['page.jpg', 'drawing.svg', 'drawing.png', 'list.gif', 'empty.jpg', 'short.png']) {
    const reply = await get(`/api/preview/thumb/${name}`, { accept: 'application/json' })
    t.match(reply.json(), { status: 415, code: 'preview.type' }, name)
    t.notOk(reply.headers.etag)
  }
  t.equal((await get('/api/preview/thumb/')).statusCode, 405)
  t.equal((await get('/api/preview/thumb/missing.jpg')).statusCode, 404)
  t.equal((await get('/api/preview/huge/page.jpg')).statusCode, 400)
})

t.test('refuses a picture with far too many pixels before decoding it', async (t) => {
  const dot = plain(1, 1, red)
  const jpeg = await asJpeg(dot)
  const frame = jpeg.indexOf(Buffer.from([0xff, 0xc2])) < 0 ? 0xc0 : 0xc2
  jpeg.writeUInt32BE(0xfde8fde8, jpeg.indexOf(Buffer.from([0xff, frame])) + 5)
  const gif = asGif(1, 1, [red])
  gif.writeUInt32LE(0xffffffff, 6)
  const { get } = await setUp(t, {
    'a.png': asPng(dot, { width: 60_000, height: 60_000 }),
    'line.png': asPng(dot, { width: 1, height: 4_000_000_000 }),
    'a.jpg': jpeg,
    'a.gif': gif,
  })
  for (const name of ['a.png', 'line.png', 'a.jpg', 'a.gif']) {
    const reply = await get(`/api/preview/big/${name}`, { accept: 'application/json' })
    t.match(reply.json(), { status: 413, code: 'preview.large' }, name)
  }
})

t.test('refuses broken pictures, caches the refusal and keeps running', async (t) => {
  const picture = painted(600, 400, (x, y) => [x % 256, y % 256, (x * y) % 256, 255])
  const [png, webp, avif] = [asPng(picture), await asWebp(picture), await asAvif(picture)]
  const gif = asGif(300, 300, [red])
  const noise = (file: Buffer) => {
    const copy = Buffer.from(file)
    for (let at = 64; at < copy.length; at += 7) copy[at] = (at * 31) % 256
    return copy
  }
  const broken = {
    'cut.png': png.subarray(0, 200),
    'noise.png': noise(png),
    'cut.webp': webp.subarray(0, 60),
    'cut.avif': avif.subarray(0, avif.length - 400),
    'cut.gif': gif.subarray(0, 40),
    'lines.bmp': asBmp(picture).subarray(0, 5000),
    'claims.png': asPng(plain(10, 10, red), { width: 2000, height: 2000 }),
    'head.jpg': (await asJpeg(picture)).subarray(0, 400),
  }
  const { get, cache } = await setUp(t, { ...broken, 'good.png': png })
  const replies = await Promise.all(Object.keys(broken).map((name) => get(`/api/preview/thumb/${name}`)))
  for (const [n, name] of Object.keys(broken).entries()) {
    // A decoder may show part of a broken picture, but it never crashes the server.
    t.ok([200, 422].includes(replies[n]?.statusCode ?? 0), name)
  }
  t.ok(replies.filter((reply) => reply.statusCode === 422).length >= 5)
  t.equal(cachedFiles(cache).length, replies.length)
  t.equal((await get('/api/preview/thumb/good.png')).statusCode, 200)
})

t.test('returns the file itself when thumbnails are disabled', async (t) => {
  const file = asPng(plain(900, 900, red))
  const config = { disableThumbnails: true }
  const { get, cache, as } = await setUp(
    t,
    { 'a.png': file },
    { config, people: { bob: { perm: { download: false } } } },
  )
  const reply = await get('/api/preview/thumb/a.png?inline=true')
  t.match(reply, { statusCode: 200, headers: { 'content-type': 'image/png' } })
  t.strictSame(reply.rawPayload, file)
  t.equal((await (await as('bob'))('GET', '/api/preview/thumb/a.png')).statusCode, 403)
  t.strictSame(cachedFiles(cache), [])
  t.equal((await get('/api/preview/big/a.png')).headers['content-type'], 'image/webp')
})
