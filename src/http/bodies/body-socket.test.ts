import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import type { SocketReceiver } from '#src/files/receiving/socket-receivers.ts'
import { start } from '#src/testing/start.ts'
import { dial, listen, openDescriptors, until, type Wire } from '#src/testing/wire.ts'

const MiB = 1024 * 1024
const size = 160 * MiB + 4321
const piece = randomBytes(3 * MiB + 1)
const perm = { create: true, modify: true }
const onLinux = { skip: process.platform !== 'linux' && 'only on Linux does a thread read a connection' }

/** Starts the application. Records which bodies a thread receives. `storingMs`: how long the last bytes take to be stored. */
async function open(t: Test, config: Partial<Config> = {}, storingMs = 0) {
  const started = await start(t, { config, people: { alice: { perm } } })
  const { receivers } = started.services
  const taken: SocketReceiver[] = []
  const { take } = receivers
  receivers.take = (socket) => {
    const receiver = take(socket)
    if (!receiver) return undefined
    taken.push(receiver)
    const receive: typeof receiver.receive = async (...given) => {
      const position = await receiver.receive(...given)
      await setTimeout(storingMs)
      return position
    }
    return { ...receiver, receive }
  }
  const port = await listen(started.app)
  const token = await started.login('alice')

  /** Sends the head of an upload. Each of `headers` ends with a line break. */
  async function begin(head: string, bytes = size, headers = ''): Promise<Wire> {
    // Like the clients that send everything before they read the response.
    const wire = await dial(t, port, { allowHalfOpen: true })
    const length = `Content-Length: ${bytes}\r\n`
    wire.socket.write(`${head} HTTP/1.1\r\nHost: a\r\nX-Auth: ${token}\r\n${length}${headers}\r\n`)
    return wire
  }

  /** Sends a body of which a thread has begun to receive the rest, and returns the number of bytes that are missing. */
  async function sendUntilTaken(wire: Wire): Promise<number> {
    const before = taken.length
    let left = size
    while (taken.length === before && left > 32 * MiB) left -= await send(wire, left)
    if (taken.length === before) throw new Error('no thread has received the body')
    return left
  }

  return { ...started, port, token, taken, begin, sendUntilTaken }
}

/** Sends the next piece of a body of which `left` bytes are missing. Returns its length. */
async function send({ socket }: Wire, left: number): Promise<number> {
  const bytes = piece.subarray(0, left)
  const done = new AbortController()
  const next = (event: string) => once(socket, event, { signal: done.signal })
  if (!socket.write(bytes)) await Promise.race([next('drain'), next('close')]).finally(() => done.abort())
  return bytes.length
}

async function sendAll(wire: Wire, left = size): Promise<void> {
  for (let rest = left; rest > 0; ) rest -= await send(wire, rest)
}

/** The hash of a file with the content of bodies of these lengths, in bytes. */
function hashOfBodies(...lengths: number[]): string {
  const hash = createHash('sha256')
  for (const bytes of lengths) {
    for (let left = bytes; left > 0; left -= piece.length) hash.update(piece.subarray(0, left))
  }
  return hash.digest('hex')
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(path)) hash.update(part)
  return hash.digest('hex')
}

t.test('a thread receives the rest of a large upload from a fast client', onLinux, async (t) => {
  const { begin, taken, root } = await open(t)
  // More uploads than threads: each thread is used again.
  for (const name of ['a', 'b', 'c']) {
    const wire = await begin(`POST /api/resources/${name}.bin`)
    await sendAll(wire)
    t.match(await wire.closed(), /^HTTP\/1.1 200 [\s\S]*\r\nconnection: close\r\n/i)
    t.equal(await hashOfFile(join(root, `${name}.bin`)), hashOfBodies(size))
  }
  t.equal(taken.length, 3)
})

t.test('a thread receives a large piece of a resumable upload', onLinux, async (t) => {
  const { begin, taken, root } = await open(t)
  const offset = 4
  const start = await begin('POST /api/tus/a.bin', 0, `Upload-Length: ${size + offset}\r\n`)
  await start.until(/^HTTP\/1.1 201 /)
  const piecesAt: [number, number][] = [
    [0, offset],
    [offset, size],
  ]
  for (const [from, bytes] of piecesAt) {
    const headers = `Content-Type: application/offset+octet-stream\r\nUpload-Offset: ${from}\r\n`
    const wire = await begin('PATCH /api/tus/a.bin', bytes, headers)
    await sendAll(wire, bytes)
    await wire.until(/^HTTP\/1.1 204 /)
  }
  t.equal(taken.length, 1)
  t.equal(await hashOfFile(join(root, 'a.bin')), hashOfBodies(offset, size))
})

t.test(
  'an upload that a client cuts off while a thread receives it leaves no file, descriptor or busy thread',
  onLinux,
  async (t) => {
    const { begin, sendUntilTaken, root } = await open(t)
    let before = 0
    for (let tries = 0; tries < 4; tries++) {
      const wire = await begin('POST /api/resources/a.bin')
      await sendUntilTaken(wire)
      wire.socket.destroy()
      await until(() => readdirSync(root).length === 0)
      // The first upload starts a thread, which keeps descriptors of its own.
      if (tries === 0) before = await openDescriptors()
      else await until(async () => (await openDescriptors()) <= before)
    }
  },
)

t.test('a client that stops sending before the end of its upload gets the status 400', onLinux, async (t) => {
  const { begin, sendUntilTaken, root } = await open(t)
  const wire = await begin('POST /api/resources/a.bin')
  await sendUntilTaken(wire)
  wire.socket.end()
  t.match(await wire.closed(), /^HTTP\/1.1 400 /)
  t.strictSame(readdirSync(root), [])
})

t.test(
  'a session that ends while a thread receives an upload ends the upload, and the client reads the response',
  onLinux,
  async (t) => {
    const { begin, sendUntilTaken, as, services, root } = await open(t)
    const wire = await begin('POST /api/resources/a.bin')
    const left = await sendUntilTaken(wire)
    const admin = await as('admin')
    const { id } = services.users.findByName('alice') ?? {}
    t.equal((await admin('DELETE', `/api/users/${id}/sessions`)).statusCode, 200)
    await until(() => readdirSync(root).length === 0)
    // This client reads only after it has sent everything.
    await sendAll(wire, left)
    t.match(await wire.closed(), /^HTTP\/1.1 401 /)
  },
)

t.test(
  'a client that sends nothing while a thread receives its upload is disconnected',
  onLinux,
  async (t) => {
    const { begin, sendUntilTaken, root } = await open(t, { idleTimeoutMs: 1000 })
    const wire = await begin('POST /api/resources/a.bin')
    await sendUntilTaken(wire)
    t.equal(await wire.closed(), '', 'no response, as when no thread receives it')
    await until(() => readdirSync(root).length === 0)
  },
)

t.test(
  'of many large uploads at once, two are received by threads, and all are stored',
  onLinux,
  async (t) => {
    const { begin, sendUntilTaken, taken, root } = await open(t)
    const waiting: [Wire, number][] = []
    for (const name of ['a', 'b']) {
      const wire = await begin(`POST /api/resources/${name}.bin`)
      waiting.push([wire, await sendUntilTaken(wire)])
    }
    const third = await begin('POST /api/resources/c.bin')
    await sendAll(third)
    t.match(
      await third.until(/\r\n\r\n/).then(() => third.seen()),
      /^HTTP\/1.1 200 (?![\s\S]*connection: close)/i,
    )
    t.equal(taken.length, 2)
    for (const [wire, left] of waiting) {
      await sendAll(wire, left)
      t.match(await wire.closed(), /^HTTP\/1.1 200 /)
    }
    for (const name of ['a', 'b', 'c']) {
      t.equal(await hashOfFile(join(root, `${name}.bin`)), hashOfBodies(size))
    }
  },
)

t.test(
  'a client that becomes slow while a thread receives its upload stays connected',
  onLinux,
  async (t) => {
    const { begin, sendUntilTaken, root } = await open(t, { idleTimeoutMs: 1000 })
    const wire = await begin('POST /api/resources/a.bin')
    let left = await sendUntilTaken(wire)
    const startMs = performance.now()
    for (; performance.now() - startMs < 2500; left--) {
      wire.socket.write(piece.subarray(0, 1))
      await setTimeout(50)
    }
    await sendAll(wire, left)
    t.match(await wire.closed(), /^HTTP\/1.1 200 /)
    t.equal(statSync(join(root, 'a.bin')).size, size)
  },
)

t.test(
  'an upload that a slow disk stores for longer than the idle timeout is answered',
  onLinux,
  async (t) => {
    const { begin, sendUntilTaken, root } = await open(t, { idleTimeoutMs: 1000 }, 2500)
    const wire = await begin('POST /api/resources/a.bin')
    await sendAll(wire, await sendUntilTaken(wire))
    t.match(await wire.closed(), /^HTTP\/1.1 200 /)
    t.equal(statSync(join(root, 'a.bin')).size, size)
  },
)
