import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readFromSocket } from './socket-task.ts'

const MiB = 1024 * 1024
const onLinux = { skip: process.platform !== 'linux' && 'only on Linux does a thread read a connection' }

/** A connection whose other end has sent `bytes`, and the descriptor that they can be read from. */
async function connection(t: Test, bytes: Buffer): Promise<{ client: Socket; socket: number }> {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket & { _handle: { fd: number } }]
  t.teardown(() => {
    for (const one of [client, accepted]) one.destroy()
    server.close()
  })
  await new Promise((sent) => client.write(bytes, sent))
  return { client, socket: accepted._handle.fd }
}

function opened(t: Test, path: string, flags: string): number {
  const file = openSync(path, flags)
  t.teardown(() => closeSync(file))
  return file
}

const idleMs = 0
const go = () => new Int32Array(new SharedArrayBuffer(4))
const content = Buffer.from(Array.from({ length: MiB + 5 }, (_, i) => i % 251))

t.test('a body that ends early is written as far as it has arrived', onLinux, async (t) => {
  const path = join(t.testdir(), 'a')
  const { client, socket } = await connection(t, content)
  await new Promise<void>((ended) => client.end(ended))
  const rest = { file: opened(t, path, 'w'), from: 0, to: 9 * MiB }
  t.same(
    readFromSocket({ socket, rest, stopped: go(), idleMs }, () => {}),
    { position: content.length, isIdle: false },
  )
  t.ok(readFileSync(path).equals(content))
})

t.test(
  'a client that sends nothing for too long is given up, and what it has sent is written',
  onLinux,
  async (t) => {
    const path = join(t.testdir(), 'a')
    const { socket } = await connection(t, content)
    const rest = { file: opened(t, path, 'w'), from: 0, to: 9 * MiB }
    t.same(
      readFromSocket({ socket, rest, stopped: go(), idleMs: 500 }, () => {}),
      { position: content.length, isIdle: true },
    )
    t.ok(readFileSync(path).equals(content))
  },
)

t.test('a connection that is reset counts as closed', onLinux, async (t) => {
  const path = join(t.testdir(), 'a')
  const { client, socket } = await connection(t, content.subarray(0, 5))
  client.resetAndDestroy()
  await once(client, 'close')
  const rest = { file: opened(t, path, 'w'), from: 0, to: 9 * MiB }
  t.match(
    readFromSocket({ socket, rest, stopped: go(), idleMs }, () => {}),
    { isIdle: false },
  )
})

t.test('what belongs to the next request on a connection is not read', onLinux, async (t) => {
  const path = join(t.testdir({ a: 'xyz' }), 'a')
  const { socket } = await connection(t, content)
  const rest = { file: opened(t, path, 'r+'), from: 3, to: MiB }
  t.equal(readFromSocket({ socket, rest, stopped: go(), idleMs }, () => {}).position, MiB)
  t.ok(readFileSync(path).equals(Buffer.concat([Buffer.from('xyz'), content.subarray(0, MiB - 3)])))
})

t.test('an error of the disk ends the writing of a body', onLinux, async (t) => {
  const { socket } = await connection(t, content)
  const rest = { file: opened(t, '/dev/full', 'w'), from: 0, to: 9 * MiB }
  t.throws(() => readFromSocket({ socket, rest, stopped: go(), idleMs }, () => {}), { code: 'ENOSPC' })
})

t.test('nothing is written after a stop, and what is left is discarded', onLinux, async (t) => {
  const path = join(t.testdir(), 'a')
  const { client, socket } = await connection(t, content)
  const stopped = go()
  stopped[0] = 1
  const rest = { file: opened(t, path, 'w'), from: 7, to: 9 * MiB }
  t.equal(readFromSocket({ socket, rest, stopped, idleMs }, () => {}).position, 7)
  t.equal(readFileSync(path).length, 0)
  await new Promise<void>((ended) => client.end(ended))
  t.equal(readFromSocket({ socket, stopped, idleMs }, () => {}).position, 0)
})
