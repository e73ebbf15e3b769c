import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { killAfter } from '#src/testing/kill-after.ts'
import { rounds } from '#src/testing/long.ts'
import { createOpenFolder, otherUser } from '#src/testing/other-user.ts'
import { serveAs, signIn } from '#src/testing/program.ts'
import { password, start } from '#src/testing/start.ts'
import { dial, exchange, listen, openDescriptors, until } from '#src/testing/wire.ts'

/** A tree with a folder in its middle that the system denies, served by a user without special permissions. */
async function serveDeniedFolder(t: Test) {
  const folder = createOpenFolder()
  t.teardown(() => {
    if (existsSync(closed)) chmodSync(closed, 0o700)
    rmSync(folder, { recursive: true, force: true })
  })
  const root = join(folder, 'root')
  const closed = join(root, 'tree', 'closed')
  const paths = ['', 'tree', 'tree/closed', 'tree/other'].map((name) => join(root, name))
  for (const path of paths) mkdirSync(path)
  const files = ['tree/a.txt', 'tree/z.txt', 'tree/closed/x.txt', 'tree/other/b.txt'].map((name) =>
    join(root, name),
  )
  for (const file of files) writeFileSync(file, 'here')
  if (otherUser)
    for (const path of [folder, ...paths, ...files]) chownSync(path, otherUser.uid, otherUser.gid)
  chmodSync(closed, 0)
  const { port } = await serveAs(t, otherUser, root, '--password', password)
  const headers = { 'x-auth': await signIn(port) }
  const request = (method: string, path: string) => exchange(port, method, `/api/${path}`, { headers })
  return { root, closed, request }
}

t.test('listings, searches and archives leave out folders that the system denies', async (t) => {
  const { request } = await serveDeniedFolder(t)
  const { items } = JSON.parse((await request('GET', 'resources/tree/')).body)
  t.strictSame(
    items.map(({ name }: { name: string }) => name),
    ['closed', 'other', 'a.txt', 'z.txt'],
  )
  for (const call of ['resources/recursive/tree', 'search/tree?query=txt']) {
    const { status, body } = await request('GET', call)
    t.equal(status, 200, call)
    for (const name of ['a.txt', 'z.txt', 'b.txt']) t.match(body, name)
    t.notMatch(body, 'x.txt')
  }
  const archive = (await request('GET', 'raw/tree?algo=tar')).body
  for (const name of ['tree/a.txt', 'tree/z.txt', 'tree/other/b.txt', '_errors.txt']) {
    t.ok(archive.includes(name), name)
  }
  t.ok(archive.includes('tree/closed/: the operating system denies access'))
})

t.test(
  'copies and deletions of a tree stop at a folder that the system denies, and lose nothing',
  async (t) => {
    const { request, root, closed } = await serveDeniedFolder(t)
    t.equal((await request('PATCH', 'resources/tree?action=copy&destination=/copy')).status, 403)
    t.strictSame(readdirSync(root), ['tree'], 'no partial copy')
    t.equal((await request('DELETE', 'resources/tree?permanent=true')).status, 403)
    chmodSync(closed, 0o700)
    t.equal(readFileSync(join(closed, 'x.txt'), 'utf8'), 'here')
    t.equal((await request('PATCH', 'resources/tree?action=copy&destination=/copy')).status, 200)
    t.equal(readFileSync(join(root, 'copy/closed/x.txt'), 'utf8'), 'here')
    t.equal((await request('DELETE', 'resources/tree')).status, 200)
    t.strictSame(readdirSync(root), ['copy'])
  },
)

const large = 64 * 1024 * 1024

t.test('a download is the file as it was at the start, or aborts', async (t) => {
  const { app, login, root } = await start(t, { tree: { 'gone.bin': '', 'new.bin': '', 'short.bin': '' } })
  for (const name of readdirSync(root)) writeFileSync(join(root, name), Buffer.alloc(large, name[0]))
  const port = await listen(app)
  const own = `HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Auth: ${await login('admin')}\r\n\r\n`
  const begin = async (name: string) => {
    const wire = await dial(t, port)
    wire.socket.write(`GET /api/raw/${name} ${own}`)
    await wire.until(/\r\n\r\n/)
    wire.socket.pause()
    return wire
  }
  const [gone, fresh, short] = await Promise.all(['gone.bin', 'new.bin', 'short.bin'].map(begin))
  unlinkSync(join(root, 'gone.bin'))
  writeFileSync(join(root, 'other'), Buffer.alloc(large, 'X'))
  renameSync(join(root, 'other'), join(root, 'new.bin'))
  truncateSync(join(root, 'short.bin'), 1000)
  const bodyOf = async (wire = gone) => {
    wire?.socket.resume()
    const text = (await wire?.closed()) ?? ''
    return text.slice(text.indexOf('\r\n\r\n') + 4)
  }
  t.ok((await bodyOf(gone)) === 'g'.repeat(large), 'a deleted file is sent whole')
  t.ok((await bodyOf(fresh)) === 'n'.repeat(large), 'the old content of a replaced file is sent')
  t.ok((await bodyOf(short)).length < large, 'a truncated file is not padded')
})

t.test('a folder that changes during a request is read without an error', async (t) => {
  const { as, root } = await start(t, {
    tree: { busy: { 'kept.txt': 'kept', deep: { 'kept.txt': 'kept' } } },
  })
  const request = await as('admin')
  const busy = join(root, 'busy')
  let round = 0
  let isDone = false
  const changing = (async () => {
    for (; !isDone; round++) {
      for (let n = 0; n < 20; n++) writeFileSync(join(busy, `${n}.txt`), 'x'.repeat(n * 1000))
      mkdirSync(join(busy, 'coming'), { recursive: true })
      await new Promise((resolve) => setImmediate(resolve))
      for (let n = 0; n < 20; n++) rmSync(join(busy, `${n}.txt`))
      rmSync(join(busy, 'coming'), { recursive: true })
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  const paths = ['resources/busy/', 'resources/recursive/busy', 'search/busy?query=txt', 'raw/busy?algo=tar']
  for (let n = 0; n < 60; n++) {
    const url = paths[n % paths.length] ?? ''
    const { statusCode, body } = await request('GET', `/api/${url}`)
    if (statusCode !== 200) t.fail(`${url}: ${statusCode} ${body.slice(0, 200)}`)
    t.ok(body.includes('kept.txt'), url)
  }
  isDone = true
  await changing
  t.ok(round > 0)
})

t.test('a clock set back or ahead neither blocks valid users nor restores expired tokens', async (t) => {
  const { call, login, clock, time } = await start(t)
  const guess = (given: string) =>
    call('POST', '/api/login', { payload: { username: 'admin', password: given } })
  const statusWith = async (token: string) =>
    (await call('GET', '/api/sessions', { headers: { 'x-auth': token } })).statusCode
  const token = await login('admin')
  for (let n = 0; n < 10; n++) await guess('wrong')
  t.equal((await guess(password)).statusCode, 429)
  clock.advance({ hours: -20 })
  t.equal(await statusWith(token), 200, 'less than a day back changes nothing')
  t.equal((await guess(password)).statusCode, 429, 'a limit still applies')
  clock.advance({ days: -20 })
  await time.check()
  t.equal(await statusWith(token), 401, 'a token signed at a wrong time is invalid')
  t.equal((await guess(password)).statusCode, 200, 'no limit waits until the clock is back')
  const early = await login('admin')
  t.equal(await statusWith(early), 200)
  clock.advance({ days: 20, hours: 20 })
  t.equal(await statusWith(early), 401, 'an earlier token has expired')
  const late = await login('admin')
  clock.advance({ days: 10 })
  t.equal(await statusWith(late), 401, 'a token expires')
  clock.advance({ days: -10 })
  t.equal(await statusWith(late), 401, 'an expired token stays expired')
  await time.check()
  t.equal(await statusWith(late), 401)
  t.equal((await guess(password)).statusCode, 200)
})

t.test(
  'a thousand clients that read nothing cost little memory, and the server keeps responding',
  async (t) => {
    const { app, login, root } = await start(t, { tree: { 'film.mkv': '' } })
    truncateSync(join(root, 'film.mkv'), 4 * 1024 ** 3)
    const port = await listen(app)
    const own = `HTTP/1.1\r\nHost: x\r\nX-Auth: ${await login('admin')}\r\n\r\n`
    const idle = await openDescriptors()
    const before = process.memoryUsage().rss
    const readers: Socket[] = []
    t.teardown(() => readers.map((reader) => reader.destroy()))
    // The system resets connections that a slow server has not accepted in time, so not all begin at once.
    while (readers.length < 1000) {
      const begun = Array.from({ length: 50 }, () => connect(port, '127.0.0.1'))
      await Promise.all(begun.map((reader) => once(reader, 'connect')))
      for (const reader of begun) reader.on('error', () => {}).write(`GET /api/raw/film.mkv ${own}`)
      readers.push(...begun)
    }
    // Two sockets and a file for each client.
    await until(async () => (await openDescriptors()) >= idle + 3000)
    t.equal((await exchange(port, 'GET', '/health')).status, 200)
    const megabytes = (process.memoryUsage().rss - before) / 1024 ** 2
    t.ok(megabytes < 300, `${megabytes.toFixed(0)} MB for both ends of a thousand connections`)
    for (const reader of readers) reader.destroy()
    await until(async () => (await openDescriptors()) <= idle + 8)
    t.equal((await exchange(port, 'GET', '/health')).status, 200)
  },
)

t.test('ten thousand idle connections do not block other clients', async (t) => {
  const [, most = '0'] = /Max open files +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  const many = Math.min(10_000, Number(most) - 1000)
  // A trusted proxy, so that one address may open all of them.
  const config = { connections: many + 100, trustedProxy: ['127.0.0.1'] }
  const { app } = await start(t, { config, openFiles: 65_536 })
  const port = await listen(app)
  const client = spawn(process.execPath, [
    '-e',
    `const { connect } = require('node:net')
    let open = 0
    const one = () => connect(${port}, '127.0.0.1').on('error', () => {}).on('connect', () => {
      if (++open < ${many}) one()
    })
    for (let n = 0; n < 50; n++) one()`,
  ])
  killAfter(t, client)
  const count = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, connections) => resolve(connections)))
  await until(async () => (await count()) >= many)
  t.equal((await exchange(port, 'GET', '/health')).status, 200)
  client.kill('SIGKILL')
  await once(client, 'exit')
  await until(async () => (await count()) === 0)
  t.equal((await exchange(port, 'GET', '/health')).status, 200)
})

t.test('a server killed at random during changes keeps all acknowledged changes', async (t) => {
  const kills = rounds(8)
  const script = spawn(process.execPath, ['scripts/faults.ts', '--times', String(kills)])
  killAfter(t, script)
  let output = ''
  script.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(script, 'close')
  t.equal(code, 0, output)
  t.match(
    output,
    new RegExp(
      `^${kills} kills in \\d+ s: all \\d+ acknowledged changes .+ intact, .+ no temporary files are left`,
      'm',
    ),
  )
})
