import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { start } from '#src/testing/start.ts'
import { dial, listen, openDescriptors, until, type Wire } from '#src/testing/wire.ts'

const MiB = 1024 * 1024
const size = 40 * MiB + 4321
const content = randomBytes(size)
const half = content.subarray(0, size / 2)
const rest = content.subarray(half.length)

/** Starts the application, and returns a function that begins an upload to `a.bin`. */
async function open(t: Test, config: Partial<Config> = {}) {
  const started = await start(t, { config, people: { alice: { perm: { create: true, modify: true } } } })
  const port = await listen(started.app)
  const token = await started.login('alice')

  /** Sends the head of an upload and the first half of its body, which has then arrived. */
  async function begin(): Promise<Wire> {
    // Like the clients that send everything before they read the response.
    const wire = await dial(t, port, { allowHalfOpen: true })
    const head = `POST /api/resources/a.bin HTTP/1.1\r\nHost: a\r\nX-Auth: ${token}\r\n`
    wire.socket.write(`${head}Content-Length: ${size}\r\n\r\n`)
    await send(wire, half)
    await until(() => readdirSync(started.root).length > 0)
    return wire
  }

  return { ...started, begin }
}

async function send({ socket }: Wire, bytes: Buffer): Promise<void> {
  if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
}

t.test('a large upload that the client cuts off leaves no file and no descriptor', async (t) => {
  const { begin, root } = await open(t)
  let before = 0
  for (let tries = 0; tries < 4; tries++) {
    const wire = await begin()
    wire.socket.destroy()
    await until(() => readdirSync(root).length === 0)
    // The first upload starts threads, which keep descriptors of their own.
    if (tries === 0) before = await openDescriptors()
    else await until(async () => (await openDescriptors()) <= before)
  }
})

t.test('a client that stops sending before the end of its upload gets the status 400', async (t) => {
  const { begin, root } = await open(t)
  const wire = await begin()
  wire.socket.end()
  t.match(await wire.closed(), /^HTTP\/1.1 400 /)
  t.strictSame(readdirSync(root), [])
})

t.test('a session that ends during an upload ends it, and the client reads the response', async (t) => {
  const { begin, as, services, root } = await open(t)
  const wire = await begin()
  const admin = await as('admin')
  const { id } = (await services.users.findByName('alice')) ?? {}
  t.equal((await admin('DELETE', `/api/users/${id}/sessions`)).statusCode, 200)
  await until(() => readdirSync(root).length === 0)
  // This client reads only after it has sent everything.
  await send(wire, rest)
  await wire.until(/^HTTP\/1.1 401 /)
})

t.test('a client that sends nothing more of its upload is disconnected', async (t) => {
  const { begin, root } = await open(t, { idleTimeoutMs: 1000 })
  const wire = await begin()
  t.equal(await wire.closed(), '', 'no response')
  await until(() => readdirSync(root).length === 0)
})

t.test('a client that sends its upload slowly stays connected', async (t) => {
  const { begin, root } = await open(t, { idleTimeoutMs: 1000 })
  const wire = await begin()
  const start = performance.now()
  let sent = 0
  for (; performance.now() - start < 2500; sent++) {
    wire.socket.write(rest.subarray(sent, sent + 1))
    await setTimeout(50)
  }
  await send(wire, rest.subarray(sent))
  await wire.until(/^HTTP\/1.1 200 /)
  t.equal(statSync(join(root, 'a.bin')).size, size)
  t.ok(readFileSync(join(root, 'a.bin')).equals(content))
})
