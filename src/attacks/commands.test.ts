// Needs a process of its own: it counts the children of the process.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { dial } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import { pathsBelow } from './world.ts'

const target = await openTarget(t)
const { ask, row, settings, idOf, base, root } = target
const alice = join(root, 'alice')

/** Processes started by this process that still run, without the compiler of the tests. */
const children = () =>
  readdirSync('/proc/self/task')
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean))
    .map((id) => `/proc/${id}/comm`)
    .filter((file) => existsSync(file) && nameIn(file) !== 'esbuild')

function nameIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return 'one that ended meanwhile'
  }
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

const tricks = [
  'a;touch p;.txt',
  '$(touch p)',
  '`touch p`',
  '-rf',
  "' ; touch p ; '",
  '| touch p',
  '&& touch p',
  '> p',
]

row(
  'G01 G02 G03 without the flag at start no user can run commands, whatever their permissions',
  async (t) => {
    const before = children()
    const id = idOf('alice')
    const json = { what: 'user', which: ['commands'], data: { id, commands: ['ls', 'find', 'env'] } }
    t.equal((await ask('admin', 'PUT', `/api/users/${id}`, { json })).status, 200)
    for (const user of ['', 'alice', 'admin'] as const) {
      for (const path of ['', '/', '/docs', '/?command=id', `/?auth=${await target.token('admin')}`]) {
        for (const headers of [{}, upgrade, { ...upgrade, origin: 'https://evil.test' }]) {
          isRefused(t, await ask(user, 'GET', `/api/command${path}`, { headers }), [401, 403, 404, 405])
        }
        isRefused(t, await ask(user, 'POST', `/api/command${path}`, { body: 'ls; id' }), [401, 403, 404, 405])
      }
    }
    t.strictSame(children(), before)
  },
)

t.test('G01 G02 G03 with the flag there is no shell', async (t) => {
  const own = await openTarget(t, { config: { enableExec: true } })
  await own.row(
    'G01 CVE-2025-52995 a program runs by its listed name, and shell operators are plain arguments',
    async (t) => {
      const id = own.idOf('alice')
      const { perm } = own.document.data.users[id] ?? {}
      const data = { id, perm: { ...perm, execute: true }, commands: ['ls', 'echo'] }
      const json = { what: 'user', which: ['perm', 'commands'], data }
      t.equal((await own.ask('admin', 'PUT', `/api/users/${id}`, { json })).status, 200)
      const token = await own.token('alice')
      const run = async (command: string, path = '/') => {
        const socket = new WebSocket(`ws://127.0.0.1:${own.port}/api/command${path}?auth=${token}`)
        const said: string[] = []
        socket.addEventListener('open', () => socket.send(command))
        socket.addEventListener('message', ({ data }) => said.push(String(data)))
        await new Promise((resolve) => socket.addEventListener('close', resolve))
        return said.join('\n')
      }
      t.match(await run('ls'), 'pub.txt')
      const refused = [
        'id',
        'lsof',
        '/bin/ls',
        './ls',
        'LS',
        'env ls',
        'sh -c ls',
        'l*',
        '$(echo ls)',
        '\nid',
        'find .',
      ]
      for (const command of refused) t.notMatch(await run(command), /uid=|pub\.txt/, command)
      const tricks = [
        '; touch p',
        '&& touch p',
        '| touch p',
        '> p',
        '$(touch p)',
        '`touch p`',
        '\ntouch p',
        '& touch p',
      ]
      for (const trick of tricks) {
        await run(`echo a${trick}`)
        await run(`ls ${trick}`)
      }
      for (const path of ['/../outside', '/..%2foutside', '/%2e%2e/bob/'])
        t.notMatch(await run('ls', path), /victim|a\.txt/, path)
      t.strictSame(
        pathsBelow(own.base).filter((path) => /\/p$/.test(path)),
        [],
      )
    },
  )
})

row(
  'G05 CVE-2026-35585 a file name is never run, even if command lines are stored in the settings',
  async (t) => {
    const lines = ['touch "$FILE"', 'sh -c "touch p"', 'touch p']
    const commands = Object.fromEntries(
      ['upload', 'save', 'rename', 'copy', 'delete'].map((on) => [`after_${on}`, lines]),
    )
    await settings({ commands, shell: ['/bin/sh', '-c'] })
    const before = children()
    for (const name of tricks) {
      const url = `/api/resources/${encodeURIComponent(name)}`
      t.equal((await ask('alice', 'POST', url, { body: 'x' })).status, 200, name)
      t.ok(existsSync(join(alice, name)), 'stored as it is written')
      t.equal((await ask('alice', 'PUT', url, { body: 'y' })).status, 200, name)
      t.equal(
        (await ask('alice', 'PATCH', `${url}?action=rename&destination=${encodeURIComponent(`/x${name}`)}`))
          .status,
        200,
      )
      t.equal((await ask('alice', 'DELETE', `/api/resources/${encodeURIComponent(`x${name}`)}`)).status, 200)
    }
    t.strictSame(children(), before)
    t.strictSame(
      pathsBelow(base).filter((path) => path.endsWith('/p')),
      [],
    )
    t.notOk(existsSync('p'))
    await settings({ commands: Object.fromEntries(Object.keys(commands).map((on) => [on, []])), shell: [] })
  },
)

row('G06 CVE-2026-90927 nothing is read from a WebSocket that was refused', async (t) => {
  const wire = await dial(t, target.port)
  const lines = Object.entries({ ...upgrade, 'x-auth': await target.token('alice') }).map(
    ([key, value]) => `${key}: ${value}`,
  )
  wire.socket.write(['GET /api/command/ HTTP/1.1', 'Host: coffer', ...lines, '', ''].join('\r\n'))
  wire.socket.write(Buffer.alloc(1024 * 1024, 0x81))
  t.match((await wire.until(/^HTTP\/1\.1 \d+/))[0], /(401|403|404|400)$/)
  t.notMatch(wire.seen(), / 101 /)
  wire.socket.destroy()
})

row('G10 CVE-2024-39943 free disk space is read by a system call, not by a program', async (t) => {
  const before = children()
  for (const name of tricks.slice(0, 4)) {
    mkdirSync(join(alice, name))
    writeFileSync(join(alice, name, 'x.srt'), '1\n00:00:00,000 --> 00:00:01,000\nhello\n')
    const path = `/${encodeURIComponent(name)}`
    t.match(JSON.parse((await ask('alice', 'GET', `/api/usage${path}`)).text), {
      total: Number,
      used: Number,
    })
    for (const call of ['resources', 'search', 'resources/recursive']) {
      t.equal((await ask('alice', 'GET', `/api/${call}${path}`)).status, 200)
    }
    t.equal((await ask('alice', 'GET', `/api/raw${path}?algo=tar`)).status, 200)
    t.equal((await ask('alice', 'GET', `/api/subtitle${path}/x.srt`)).status, 200)
  }
  isRefused(t, await ask('alice', 'GET', '/api/usage/$(touch%20q)'), [404])
  t.strictSame(children(), before)
  t.strictSame(
    pathsBelow(base).filter((path) => /\/[pq]$/.test(path)),
    [],
  )
})

row('G11 media files are never passed to a converter that could open other files', async (t) => {
  const before = children()
  const playlist = `#EXTM3U\nfile://${target.outside}/secret.txt\nhttp://127.0.0.1:${target.port}/health\n`
  for (const name of ['a.m3u8', 'a.avi', 'a.svg', 'a.mvg', 'a.jpg']) {
    writeFileSync(join(alice, name), playlist)
    for (const size of ['thumb', 'big']) {
      isRefused(t, await ask('alice', 'GET', `/api/preview/${size}/${name}`), [404, 415])
    }
  }
  t.strictSame(children(), before)
})
