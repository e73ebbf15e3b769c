import { once } from 'node:events'
import { type FileHandle, open, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { borrow, giveBack, largeBytes, lentBuffers } from './buffer-pool.ts'
import { send } from './send.ts'

const never = new AbortController().signal

// Every place in the content differs from its neighbours at any distance a wrong buffer could shift it by.
function content(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i + 4 <= length; i += 4) bytes.writeUInt32LE((i * 2654435761) % 2 ** 32, i)
  return bytes
}

async function stored(t: Test, bytes: Buffer): Promise<{ file: FileHandle; path: string }> {
  const path = join(t.testdir(), 'a b#?%41.bin')
  await writeFile(path, bytes)
  const file = await open(path)
  t.teardown(() => file.close())
  return { file, path }
}

/** A connection: what is written to `out` arrives at `client`, which reads nothing until it is told to. */
async function connection(t: Test): Promise<{ out: Socket; client: Socket }> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [out] = (await once(server, 'connection')) as [Socket]
  client.on('error', () => undefined)
  t.teardown(() => {
    out.destroy()
    client.destroy()
    server.close()
  })
  return { out, client }
}

async function arrives(t: Test, file: FileHandle, range: { start: number; end: number }): Promise<Buffer> {
  const { out, client } = await connection(t)
  const arriving = buffer(client)
  await send(file, range, out, never)
  out.end()
  return arriving
}

t.test('a download holds the very bytes of the file, whole or any range of it', async (t) => {
  const bytes = content(5 * largeBytes + 12_345)
  const { file } = await stored(t, bytes)
  const size = bytes.length
  const ranges: [number, number][] = [
    [0, size],
    [0, 0],
    [0, 1],
    [size - 1, size],
    [1, 65_536],
    [0, 65_537],
    [65_535, 65_536 + largeBytes],
    [777, size - 777],
  ]
  for (const [start, end] of ranges) {
    const arrived = await arrives(t, file, { start, end })
    t.ok(arrived.equals(bytes.subarray(start, end)), `[${start}, ${end})`)
  }
  t.equal(lentBuffers(), 0)
})

t.test('when memory for downloads is used up, further ones go on in small pieces', async (t) => {
  const bytes = content(32 * largeBytes + 1)
  const { file } = await stored(t, bytes)
  const { out, client } = await connection(t)
  const taken: Buffer[] = []
  for (let one = borrow(); one; one = borrow()) taken.push(one)
  const sending = send(file, { start: 0, end: bytes.length }, out, never)
  await stalled(out)
  const arriving = buffer(client)
  await sending
  for (const one of taken) giveBack(one)
  out.end()
  t.ok((await arriving).equals(bytes))
})

t.test('a reader who leaves in the middle ends the sending and leaves nothing behind', async (t) => {
  const { file } = await stored(t, content(64 * largeBytes))
  const { out, client } = await connection(t)
  client.once('data', () => client.destroy())
  await t.rejects(send(file, { start: 0, end: 64 * largeBytes }, out, never), { code: /EPIPE|ECONNRESET/ })
  t.equal(lentBuffers(), 0)
  t.equal((await file.read(Buffer.alloc(1), 0, 1, 0)).bytesRead, 1, 'the file is still open for its owner')
})

t.test('a browser that closes the connection ends the sending of an HTTP reply', async (t) => {
  const { file } = await stored(t, content(64 * largeBytes))
  const server = createHttpServer((request, reply) => {
    reply.writeHead(200, { 'content-length': 64 * largeBytes })
    sending.resolve(
      send(file, { start: 0, end: 64 * largeBytes }, reply, never).then(
        () => 'sent',
        () => 'left',
      ),
    )
    void stalled(reply).then(() => request.socket.destroy())
  })
  const sending = Promise.withResolvers<string>()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => server.close())
  client.on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\nHost: coffer\r\n\r\n')
  t.equal(await await sending.promise, 'left')
  client.destroy()
  t.equal(lentBuffers(), 0)
})

t.test('a stalled reader is let go when the request is ended', async (t) => {
  const { file } = await stored(t, content(64 * largeBytes))
  const { out } = await connection(t)
  const ending = new AbortController()
  const sending = send(file, { start: 0, end: 64 * largeBytes }, out, ending.signal)
  // Nobody reads: once the system's own buffers are full, a write stays with the socket.
  await stalled(out)
  ending.abort(new Error('the request is over'))
  await t.rejects(sending, { message: 'the request is over' })
  t.equal(lentBuffers(), 0)
})

t.test('nothing is read for a reader who has already left', async (t) => {
  const { file } = await stored(t, content(10))
  const { out } = await connection(t)
  out.destroy()
  await once(out, 'close')
  await t.rejects(send(file, { start: 0, end: 10 }, out, never), { code: 'ECONNRESET' })
  const gone = AbortSignal.abort(new Error('the request is over'))
  await t.rejects(send(file, { start: 0, end: 10 }, new PassThrough(), gone), {
    message: 'the request is over',
  })
})

t.test('a stream that is closed without telling its pending write ends the sending', async (t) => {
  const { file } = await stored(t, content(10))
  const out = new Writable({ write: () => undefined })
  const sending = send(file, { start: 0, end: 10 }, out, never)
  setImmediate(() => out.destroy())
  await t.rejects(sending, { code: 'ECONNRESET' })
})

t.test('a stream that tells of its failure again, later, does not end the process', async (t) => {
  const { file } = await stored(t, content(10))
  const out = new Writable({
    write: (_chunk, _encoding, done) => done(new Error('the cable is cut')),
    destroy: (error, done) => void setImmediate(done, error),
  })
  await t.rejects(send(file, { start: 0, end: 10 }, out, never), { message: 'the cable is cut' })
  if (!out.closed) await new Promise((resolve) => out.once('close', resolve))
})

t.test('a file cut short while it is sent ends the sending, never with made-up bytes', async (t) => {
  const bytes = content(8 * largeBytes)
  const { file, path } = await stored(t, bytes)
  const { out, client } = await connection(t)
  const arriving = buffer(client)
  await truncate(path, 3 * largeBytes + 5)
  await t.rejects(send(file, { start: 0, end: bytes.length }, out, never), { message: /became shorter/ })
  out.end()
  const arrived = await arriving
  t.ok(arrived.equals(bytes.subarray(0, arrived.length)), 'what did arrive is the file')
  t.equal(lentBuffers(), 0)
})

t.test('a read that fails while bytes are on their way is told after them', async (t) => {
  const { file, path } = await stored(t, content(3 * largeBytes))
  // Takes a chunk only after the disk has answered many times, so that the failing read is there first.
  const slowly = async (done: () => void) => {
    for (let i = 0; i < 20; i++) await stat(path)
    done()
  }
  const out = new Writable({ write: (_chunk, _encoding, done) => void slowly(done) })
  await truncate(path, 2 * largeBytes)
  await t.rejects(send(file, { start: 0, end: 3 * largeBytes }, out, never), { message: /became shorter/ })
  t.equal(lentBuffers(), 0)
})

/** Waits until `out` has held the same bytes back for a while: the kernel takes no more. */
async function stalled(out: Writable): Promise<void> {
  let before = -1
  for (let same = 0; same < 50; ) {
    await new Promise(setImmediate)
    same = out.writableLength > 0 && out.writableLength === before ? same + 1 : 0
    before = out.writableLength
  }
}
