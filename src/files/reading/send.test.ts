import { once } from 'node:events'
import { type FileHandle, open, stat, truncate, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { acquireBuffer, buffersInUse, largeBytes, releaseBuffer } from './buffer-pool.ts'
import { send } from './send.ts'

const never = new AbortController().signal

// Each 4-byte word of the content is different, so that any shift by a wrong buffer is detected.
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

/** A connection: bytes written to `out` arrive at `client`, which reads nothing before the test does. */
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

async function download(t: Test, file: FileHandle, range: { start: number; end: number }): Promise<Buffer> {
  const { out, client } = await connection(t)
  const arriving = buffer(client)
  await send(file, range, out, never)
  out.end()
  return arriving
}

t.test('a download has exactly the bytes of the file or of the requested range', async (t) => {
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
    const arrived = await download(t, file, { start, end })
    t.ok(arrived.equals(bytes.subarray(start, end)), `[${start}, ${end})`)
  }
  t.equal(buffersInUse(), 0)
})

t.test('downloads continue with small buffers when no large ones are left', async (t) => {
  const bytes = content(32 * largeBytes + 1)
  const { file } = await stored(t, bytes)
  const { out, client } = await connection(t)
  const taken: Buffer[] = []
  for (let one = acquireBuffer(); one; one = acquireBuffer()) taken.push(one)
  const sending = send(file, { start: 0, end: bytes.length }, out, never)
  await stalled(out)
  const arriving = buffer(client)
  await sending
  for (const one of taken) releaseBuffer(one)
  out.end()
  t.ok((await arriving).equals(bytes))
})

t.test('stops sending and frees its buffers when the client disconnects', async (t) => {
  const { file } = await stored(t, content(64 * largeBytes))
  const { out, client } = await connection(t)
  client.once('data', () => client.destroy())
  await t.rejects(send(file, { start: 0, end: 64 * largeBytes }, out, never), { code: /EPIPE|ECONNRESET/ })
  t.equal(buffersInUse(), 0)
  t.equal((await file.read(Buffer.alloc(1), 0, 1, 0)).bytesRead, 1, 'the file is still open for the caller')
})

t.test('stops sending an HTTP response when the browser closes the connection', async (t) => {
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
  t.equal(buffersInUse(), 0)
})

t.test('aborting the request ends a write to a stalled client', async (t) => {
  const { file } = await stored(t, content(64 * largeBytes))
  const { out } = await connection(t)
  const ending = new AbortController()
  const sending = send(file, { start: 0, end: 64 * largeBytes }, out, ending.signal)
  // The client reads nothing: once the buffers of the system are full, a write stays pending in the socket.
  await stalled(out)
  ending.abort(new Error('the request is over'))
  await t.rejects(sending, { message: 'the request is over' })
  t.equal(buffersInUse(), 0)
})

t.test('rejects at once for a client that has already disconnected', async (t) => {
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

t.test('stops sending when a stream closes without calling back its pending write', async (t) => {
  const { file } = await stored(t, content(10))
  const out = new Writable({ write: () => undefined })
  const sending = send(file, { start: 0, end: 10 }, out, never)
  setImmediate(() => out.destroy())
  await t.rejects(sending, { code: 'ECONNRESET' })
})

t.test('a stream that emits its error a second time does not end the process', async (t) => {
  const { file } = await stored(t, content(10))
  const out = new Writable({
    write: (_chunk, _encoding, done) => done(new Error('the cable is cut')),
    destroy: (error, done) => void setImmediate(done, error),
  })
  await t.rejects(send(file, { start: 0, end: 10 }, out, never), { message: 'the cable is cut' })
  if (!out.closed) await new Promise((resolve) => out.once('close', resolve))
})

t.test('sending a file that is truncated meanwhile fails without sending wrong bytes', async (t) => {
  const bytes = content(8 * largeBytes)
  const { file, path } = await stored(t, bytes)
  const { out, client } = await connection(t)
  const arriving = buffer(client)
  await truncate(path, 3 * largeBytes + 5)
  await t.rejects(send(file, { start: 0, end: bytes.length }, out, never), { message: /became shorter/ })
  out.end()
  const arrived = await arriving
  t.ok(arrived.equals(bytes.subarray(0, arrived.length)), 'the received bytes are those of the file')
  t.equal(buffersInUse(), 0)
})

t.test('reports a failed read only after the pending write', async (t) => {
  const { file, path } = await stored(t, content(3 * largeBytes))
  // Takes a chunk only after the disk has responded many times, so that the read fails first.
  const slowly = async (done: () => void) => {
    for (let i = 0; i < 20; i++) await stat(path)
    done()
  }
  const out = new Writable({ write: (_chunk, _encoding, done) => void slowly(done) })
  await truncate(path, 2 * largeBytes)
  await t.rejects(send(file, { start: 0, end: 3 * largeBytes }, out, never), { message: /became shorter/ })
  t.equal(buffersInUse(), 0)
})

/** Waits until `out` has kept the same bytes buffered for a while: the kernel accepts no more. */
async function stalled(out: Writable): Promise<void> {
  let before = -1
  for (let same = 0; same < 50; ) {
    await new Promise(setImmediate)
    same = out.writableLength > 0 && out.writableLength === before ? same + 1 : 0
    before = out.writableLength
  }
}
