import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import Type from 'typebox'
import { createLog } from '#src/core/log/log.ts'
import { CommandProblem, StartupProblem } from '#src/core/problem.ts'
import { asOtherUser, openFolder, otherUser } from '#src/testing/other-user.ts'
import { controlCall } from './control-call.ts'
import { connectControl } from './control-client.ts'
import { openControl } from './control-socket.ts'

const calls = {
  double: controlCall(Type.Object({ number: Type.Number() }), async ({ number }) => number * 2),
  refuse: controlCall(Type.Object({}), async () => {
    throw new CommandProblem('This cannot be done.')
  }),
  misuse: controlCall(Type.Object({}), async () => {
    throw new StartupProblem('This call is wrong.')
  }),
  fail: controlCall(Type.Object({}), async () => {
    throw new Error('a secret detail')
  }),
  echo: controlCall(Type.Object({ name: Type.String() }), async (_, { body }) => Readable.from(body)),
  break: controlCall(Type.Object({}), async () =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000)
        throw new Error('the disk is broken')
      })(),
    ),
  ),
}

/** Opens the socket in a folder, and a client. */
async function socket(t: Test, folder = openFolder(t)) {
  const control = await openControl(folder, { calls, log: createLog({ target: '', format: 'text' }) })
  t.teardown(() => control[Symbol.asyncDispose]())
  const client = await connectControl(folder)
  if (!client) throw new Error('no server')
  t.teardown(() => client[Symbol.asyncDispose]())
  return { folder, control, call: client.call }
}

t.test('a command runs a control call in the server and gets its result', async (t) => {
  const { call } = await socket(t)
  t.equal(await call('double', { number: 21 }), 42)
  const big = Buffer.alloc(3_000_000, 'x')
  const back = await call('echo', { name: 'ü' }, Readable.from([big]))
  t.ok((await buffer(back as Readable)).equals(big))
})

t.test('a wrong or failing control call gets a sentence without details of the server', async (t) => {
  const { call } = await socket(t)
  await t.rejects(call('double', { number: 'x' }), { message: /^number: / })
  await t.rejects(call('constructor', {}), { message: /does not exist/ })
  await t.rejects(call('refuse', {}), { name: 'CommandProblem', message: 'This cannot be done.' })
  await t.rejects(call('misuse', {}), { name: 'StartupProblem', message: 'This call is wrong.' })
  await t.rejects(call('fail', {}), { message: 'the server failed; see the log for details' })
  t.equal(await call('double', { number: 1 }), 2, 'the server goes on')
})

t.test('a refusal reaches the caller who still sends, however much', async (t) => {
  const { call } = await socket(t)
  async function* endless() {
    for (;;) yield Buffer.alloc(256 * 1024)
  }
  for (let n = 0; n < 30; n++) {
    const body = Readable.from(endless(), { objectMode: false })
    await t.rejects(call('refuse', {}, body), { message: 'This cannot be done.' })
    body.destroy()
  }
})

t.test('a stream that breaks off does not look complete', async (t) => {
  const { call } = await socket(t)
  await t.rejects(buffer((await call('break', {})) as Readable))
})

t.test('a socket of a killed server does not matter, and the end removes it', async (t) => {
  const folder = openFolder(t)
  writeFileSync(join(folder, 'control'), '')
  const { control, call } = await socket(t, folder)
  t.equal(await call('double', { number: 1 }), 2)
  t.equal(lstatSync(join(folder, 'control')).mode & 0o777, 0o600)
  await control[Symbol.asyncDispose]()
  t.notOk(existsSync(join(folder, 'control')))
  t.equal(await connectControl(folder), undefined)
  await t.rejects(call('double', { number: 1 }), { message: /The server closed the connection/ })
})

t.test('a path that is too long for a socket works', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = join(openFolder(t), 'long'.repeat(50))
  mkdirSync(folder)
  const { call } = await socket(t, folder)
  t.equal(await call('double', { number: 1 }), 2)
})

t.test('other users of the same computer cannot connect', { skip: otherUser === undefined }, async (t) => {
  const { folder } = await socket(t)
  const errno = await asOtherUser(async () => {
    const peer = connect(join(folder, 'control'))
    return once(peer, 'error').catch((error) => [error])
  })
  t.equal((errno[0] as NodeJS.ErrnoException).code, 'EACCES')
})

t.test('what is no request, or too large, ends without harm', async (t) => {
  const { folder, call } = await socket(t)
  const path = join(folder, 'control')
  const noise = connect(path)
  noise.end('\0\0\0 GET nothing\r\n\r\n')
  t.match(await text(noise), /^HTTP\/1.1 400/)
  const cut = connect(path)
  cut.write(
    'POST /double HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"nu',
  )
  cut.destroy()
  const huge = request({ socketPath: path, method: 'POST', path: '/double' })
  const chunk = Buffer.alloc(1024 * 1024, ' ')
  huge.on('error', () => {}) // the server may close the connection first
  huge.end(Buffer.concat(Array.from({ length: 70 }, () => chunk)))
  const [response] = await once(huge, 'response')
  t.match(await text(response), /larger than/)
  const bad = request({ socketPath: path, method: 'POST', path: '/%ff' })
  bad.end('not json')
  const [refused] = await once(bad, 'response')
  t.ok(refused.statusCode >= 400)
  t.equal(await call('double', { number: 1 }), 2)
})
