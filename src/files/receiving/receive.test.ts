import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { uploadBytesInMemory } from '#src/files/space/upload-room.ts'
import { receive } from './receive.ts'

const MiB = 1024 * 1024
const plain = { path: '/a b#?.bin', signal: new AbortController().signal }

async function target(t: Test): Promise<{ file: FileHandle; path: string }> {
  const path = join(t.testdir(), '.part')
  const file = await open(path, 'wx')
  t.teardown(() => file.close())
  return { file, path }
}

/** Yields `length` bytes of numbered words in pieces. Repeats the list of sizes. */
function* body(length: number, ...sizes: number[]): Generator<Buffer> {
  const all = content(length)
  for (let at = 0, i = 0; at < length; i++) {
    const size = sizes[i % sizes.length] ?? length
    yield all.subarray(at, at + size)
    at += size
  }
}

function content(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32LE(i, i)
  return bytes
}

t.test('an upload is stored byte for byte, whatever the sizes of its pieces', async (t) => {
  const cases: [number, number[]][] = [
    [0, [1]],
    [1, [1]],
    [5000, [1]],
    [65_536, [65_536]],
    [3 * MiB + 1, [64_000, 1, 7]],
    [40 * MiB, [65_536]],
    [70 * MiB + 3, [8 * MiB, 5]],
  ]
  for (const [length, sizes] of cases) {
    const { file, path } = await target(t)
    const received = await receive(Readable.from(body(length, ...sizes), { objectMode: false }), file, {
      ...plain,
      expected: length,
    })
    t.equal(received, length)
    t.ok((await readFile(path)).equals(content(length)), `${length} bytes in pieces of ${sizes}`)
    t.equal(uploadBytesInMemory(), 0)
  }
})

t.test('an upload buffers at most 4 MiB and one piece, even from a fast sender', async (t) => {
  const { file } = await target(t)
  let most = 0
  const piece = Buffer.alloc(64 * 1024)
  function* watched() {
    for (let i = 0; i < 1500; i++) {
      most = Math.max(most, uploadBytesInMemory())
      yield piece
    }
  }
  await receive(Readable.from(watched(), { objectMode: false }), file, plain)
  t.ok(most > 0 && most <= 4 * MiB + piece.length, `${most} bytes`)
})

t.test('the memory of an HTTP request is freed as soon as it is written', async (t) => {
  const { file, path } = await target(t)
  const pieces: Buffer[] = []
  const received = Promise.withResolvers<number>()
  const server = createServer((incoming, response) => {
    incoming.on('data', (piece) => pieces.push(piece)).pause()
    receive(incoming, file, { ...plain, expected: 10 * MiB })
      .then(received.resolve, received.reject)
      .finally(() => response.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const sending = request({ port: (server.address() as AddressInfo).port, method: 'POST' })
  sending.setHeader('content-length', 10 * MiB)
  sending.end(content(10 * MiB))
  t.equal(await received.promise, 10 * MiB)
  t.ok((await readFile(path)).equals(content(10 * MiB)))
  t.ok(pieces.length > 100)
  t.equal(
    pieces.reduce((sum, { byteLength }) => sum + byteLength, 0),
    0,
  )
})

t.test('the memory of another stream is left to it', async (t) => {
  const { file, path } = await target(t)
  const own = content(MiB)
  await receive(Readable.from([own, own], { objectMode: false }), file, plain)
  t.ok(own.equals(content(MiB)))
  t.ok((await readFile(path)).equals(Buffer.concat([own, own])))
})

t.test('rejects a body when the connection closes in the middle', async (t) => {
  const { file } = await target(t)
  const server = createServer((incoming) =>
    refused.resolve(receive(incoming, file, plain).then(String, String)),
  )
  const refused = Promise.withResolvers<string>()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const sending = request({ port, method: 'POST', headers: { 'content-length': 10 * MiB } })
  sending.on('error', () => undefined)
  sending.write(Buffer.alloc(MiB), () => sending.destroy())
  t.match(await refused.promise, 'the request body does not have the announced length')
  t.equal(uploadBytesInMemory(), 0)
})

t.test('rejects a body that is shorter or longer than announced', async (t) => {
  const { file } = await target(t)
  for (const expected of [9, 11, 0]) {
    const short = Readable.from([Buffer.alloc(10)])
    await t.rejects(receive(short, file, { ...plain, expected }), { code: 'request.cut' })
  }
})

t.test('rejects a body larger than the limit, before reading it when the size is announced', async (t) => {
  const { file } = await target(t)
  const refusal = { code: 'request.large', details: { limit: 10 } }
  const silent = new Readable({ read: () => undefined })
  await t.rejects(receive(silent, file, { ...plain, expected: 11, limit: 10 }), refusal)
  await t.rejects(receive(Readable.from([Buffer.alloc(11)]), file, { ...plain, limit: 10 }), refusal)
  t.equal(await receive(Readable.from([Buffer.alloc(10)]), file, { ...plain, limit: 10 }), 10)
  t.equal(uploadBytesInMemory(), 0)
})

t.test(
  'after a refusal the rest of the body is discarded, so that the sender reads the response',
  async (t) => {
    const { file } = await target(t)
    const long = Readable.from(body(20 * MiB, 65_536), { objectMode: false })
    await t.rejects(receive(long, file, { ...plain, limit: MiB }), { code: 'request.large' })
    if (!long.closed) await once(long, 'close')
    t.ok(long.readableEnded)
  },
)

t.test("a full disk is reported as disk.full, with the user's path", { skip: !onLinux() }, async (t) => {
  const full = await open('/dev/full', 'w')
  t.teardown(() => full.close())
  for (const length of [1, 20 * MiB]) {
    const long = Readable.from(body(length, 8 * MiB), { objectMode: false })
    await t.rejects(receive(long, full, plain), { code: 'disk.full', details: { path: '/a b#?.bin' } })
    t.equal(uploadBytesInMemory(), 0)
  }
})

t.test(
  'rejects an upload when the system writes only a part of the last piece',
  { skip: process.platform === 'win32' },
  async (t) => {
    // The file size limit is inside the very last write, so no later write would fail.
    const script = join(t.testdir({ 'up.ts': uploader() }), 'up.ts')
    const command = 'ulimit -f 6001; exec "$0" "$1" "$2"'
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      command,
      process.execPath,
      script,
      `${script}.part`,
    ])
    t.equal(stdout.trim(), 'path.large')
  },
)

t.test('an upload is aborted when its request ends', async (t) => {
  const { file } = await target(t)
  const ending = new AbortController()
  const endless = new Readable({ read: () => undefined })
  endless.push(Buffer.alloc(10))
  const receiving = receive(endless, file, { ...plain, signal: ending.signal })
  ending.abort(new Error('the request is over'))
  await t.rejects(receiving, { message: 'the request is over' })
  await t.rejects(receive(endless, file, { ...plain, signal: ending.signal }), {
    message: 'the request is over',
  })
  t.equal(uploadBytesInMemory(), 0)
})

function onLinux(): boolean {
  return process.platform === 'linux'
}

function uploader(): string {
  const receiver = JSON.stringify(new URL('./receive.ts', import.meta.url))
  return `import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { receive } from ${receiver}
const file = await open(process.argv[2], 'w')
process.on('SIGXFSZ', () => undefined)
const pieces = Array.from({ length: 47 }, () => Buffer.alloc(65_536))
const options = { path: '/a', signal: new AbortController().signal }
await receive(Readable.from(pieces), file, options).then(console.log, (error) => console.log(error.code ?? error))`
}
