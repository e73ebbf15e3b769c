import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { dial, until } from '#src/testing/wire.ts'
import { isRefused, openTarget, type Target } from './fixture.ts'
import { canaries, pathsBelow, type UserName, users } from './world.ts'

const target = await openTarget(t)
const { ask, row, rules, manifest, root, share } = target
const alice = join(root, 'alice')

/** Starts an upload, sends a part of it, and waits until the server writes it. */
async function begin(
  t: Test,
  user: Parameters<Target['ask']>[0],
  method: string,
  url: string,
  sent = 'half',
) {
  const wire = await dial(t, target.port)
  const head = [
    `${method} ${url} HTTP/1.1`,
    'Host: coffer',
    `X-Auth: ${await target.token(user)}`,
    'Content-Length: 10',
  ]
  wire.socket.write(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n${sent}`)
  const isPart = (path: string) => path.includes('/.coffer-part-')
  await until(() => pathsBelow(root).some(isPart) || wire.socket.destroyed || wire.socket.readableEnded)
  return wire
}

row('C01 a failed upload keeps the existing file and never deletes anything', async (t) => {
  await rules('alice', ['/docs/private'])
  const before = manifest('alice')
  for (const user of ['creator', 'alice'] as const) {
    for (const url of [
      '/api/resources/docs?override=true',
      '/api/resources/docs',
      '/api/resources/pics?override=true',
    ]) {
      isRefused(t, await ask(user, 'POST', url, { body: 'x' }), [403, 405, 409])
    }
    isRefused(t, await ask(user, 'PUT', '/api/resources/docs', { body: 'x' }), [403, 405])
  }
  isRefused(t, await ask('creator', 'POST', '/api/resources/pub.txt?override=true', { body: 'x' }), [403])
  for (const [method, url] of [
    ['POST', '/api/resources/pub.txt?override=true'],
    ['PUT', '/api/resources/pub.txt'],
    ['POST', '/api/resources/docs/new.txt'],
  ] as const) {
    const wire = await begin(t, 'alice', method, url)
    t.equal(readFileSync(join(alice, 'pub.txt'), 'utf8'), 'public', 'readers see the old file meanwhile')
    wire.socket.destroy()
    await until(() => !pathsBelow(root).some((path) => path.includes('/.coffer-part-')))
  }
  t.strictSame(manifest('alice'), before)
})

/** One request of a resumable upload. */
const tus = (user: UserName, method: string, path: string, body: string | Buffer = '', more: object = {}) => {
  const type = 'application/offset+octet-stream'
  const headers = { 'content-type': type, 'upload-length': '5', 'upload-offset': '0', ...more }
  return ask(user, method, `/api/tus/${path}`, { headers, body: method === 'PATCH' ? body : '' })
}

row('C02 CVE-2026-29188 cancelling an upload deletes nothing else, and nothing of other users', async (t) => {
  const before = manifest('alice')
  for (const path of ['pub.txt', 'docs', 'docs/']) {
    for (const user of ['creator', 'alice'] as const)
      isRefused(t, await tus(user, 'DELETE', path), [400, 404])
  }
  t.equal((await tus('creator', 'POST', 'new.txt')).status, 201)
  isRefused(t, await tus('alice', 'DELETE', 'new.txt'), [404])
  t.equal((await tus('creator', 'PATCH', 'new.txt', 'whole')).status, 204)
  // It is a file now, so cancelling the upload finds no upload and deletes nothing.
  for (const user of ['creator', 'alice'] as const) isRefused(t, await tus(user, 'DELETE', 'new.txt'), [404])
  t.equal((await ask('alice', 'DELETE', '/api/resources/new.txt')).status, 200)
  t.strictSame(manifest('alice'), before)
})

row('C04 an upload that starts but never ends keeps the existing file', async (t) => {
  const before = manifest('alice')
  for (const length of ['', '-1', 'NaN', '1e9', '0x5', '5, 6', '9007199254740993', ' ']) {
    isRefused(t, await tus('alice', 'POST', 'pub.txt?override=true', '', { 'upload-length': length }), [400])
  }
  t.strictSame(manifest('alice'), before)
  t.equal((await tus('alice', 'POST', 'pub.txt?override=true')).status, 201)
  t.equal((await tus('alice', 'PATCH', 'pub.txt', 'new')).status, 204)
  t.equal((await ask('alice', 'GET', '/api/raw/pub.txt')).text, 'public')
  target.advanceMinutes(2 * 24 * 60)
  await target.services.uploads.sweep()
  t.strictSame(manifest('alice'), before)
})

row('C05 CVE-2026-72838 an upload takes no more bytes than were announced', async (t) => {
  await tus('alice', 'POST', 'new.txt')
  isRefused(t, await tus('alice', 'PATCH', 'new.txt', Buffer.alloc(10 * 1024 ** 2)), [413])
  isRefused(t, await tus('alice', 'PATCH', 'new.txt', 'x', { 'upload-offset': '6' }), [400])
  isRefused(t, await tus('alice', 'PATCH', 'new.txt', 'x', { 'upload-offset': '5' }), [409])
  t.equal((await tus('alice', 'HEAD', 'new.txt')).headers['upload-offset'], '0')
  t.equal((await tus('alice', 'PATCH', 'new.txt', 'whole')).status, 204)
  isRefused(t, await tus('alice', 'PATCH', 'new.txt', 'more', { 'upload-offset': '5' }), [404])
  t.equal(readFileSync(join(alice, 'new.txt'), 'utf8'), 'whole')
})

row('C06 concurrent starts, chunks and cancellations of an upload never mix in one file', async (t) => {
  for (let round = 0; round < 5; round++) {
    await tus('alice', 'POST', 'new.txt?override=true')
    const racers = ['PATCH', 'DELETE', 'POST', 'HEAD', ...Array.from({ length: 16 }, () => 'PATCH')]
    const responses = await Promise.all(
      racers.map((method, n) =>
        tus('alice', method, 'new.txt?override=true', method === 'PATCH' ? `${n % 10}`.repeat(5) : ''),
      ),
    )
    for (const { status, request } of responses)
      t.ok([200, 201, 204, 404, 409, 423].includes(status), `${request}: ${status}`)
    if (existsSync(join(alice, 'new.txt')))
      t.match(readFileSync(join(alice, 'new.txt'), 'utf8'), /^(\d)\1{4}$/)
    await tus('alice', 'DELETE', 'new.txt')
  }
})

row('C07 no name or id of an upload is used as a path', async (t) => {
  const before = manifest('alice')
  await tus('alice', 'POST', 'new.txt')
  for (const id of ['../../state', '/etc/passwd', '.', 'x'.repeat(4096), '__proto__', 'constructor']) {
    isRefused(t, await tus('alice', 'PATCH', 'new.txt', 'whole', { 'upload-id': id }), [404])
  }
  for (const path of ['..%2f..%2fstate.json', 'a%00b', '%ff', `${'x'.repeat(256)}`, '.coffer-part-x']) {
    for (const method of ['HEAD', 'PATCH', 'DELETE']) {
      isRefused(t, await tus('alice', method, path, 'whole'), [400, 404])
    }
  }
  const climbing = await tus('alice', 'POST', '..%2f..%2fnew.txt?override=true', '', {
    'upload-metadata': 'filename Li4vZXZpbA==',
  })
  t.equal(
    climbing.headers.location,
    '/api/tus/new.txt',
    "'..' in a path stops at the top of the user's scope",
  )
  t.equal((await tus('alice', 'DELETE', 'new.txt')).status, 204)
  t.strictSame(manifest('alice'), before)
})

row('C08 an upload belongs to the user who started it, while that user may upload', async (t) => {
  t.equal((await tus('team1', 'POST', 'f.txt')).status, 201)
  for (const method of ['HEAD', 'PATCH', 'DELETE'])
    isRefused(t, await tus('team2', method, 'f.txt', 'whole'), [404])
  isRefused(t, await tus('', 'HEAD', 'f.txt'), [401])
  const id = target.idOf('team1')
  const may = async (perm: object) => {
    const json = { what: 'user', which: ['perm'], data: { id, perm } }
    t.equal((await ask('admin', 'PUT', `/api/users/${id}`, { json })).status, 200)
  }
  const { perm } = users.team1
  await may({ ...perm, create: false })
  for (const method of ['HEAD', 'PATCH', 'POST'])
    isRefused(t, await tus('team1', method, 'f.txt', 'whole'), [403])
  await may(perm)
  isRefused(t, await tus('team1', 'PATCH', 'a.txt', 'whole'), [404])
  t.equal((await ask('team1', 'GET', '/api/raw/a.txt')).text, 'of the team')
  t.equal((await tus('team1', 'DELETE', 'f.txt')).status, 204)
})

row(
  'C12 abandoned resumable uploads take only the space of the bytes received, and are removed',
  async (t) => {
    const before = manifest('alice')
    const huge = { 'upload-length': String(Number.MAX_SAFE_INTEGER) }
    for (let n = 0; n < 30; n++) t.equal((await tus('alice', 'POST', `left${n}`, '', huge)).status, 201)
    t.equal(
      (await ask('team1', 'POST', '/api/resources/mine.txt', { body: 'x' })).status,
      200,
      'other users can write',
    )
    target.advanceMinutes(24 * 60)
    await target.services.uploads.sweep()
    t.strictSame(manifest('alice'), before)
  },
)

row('C04 a partial body is not stored as the whole file', async (t) => {
  const before = manifest('alice')
  isRefused(
    t,
    await ask('alice', 'POST', '/api/resources/new.txt', {
      headers: { 'content-range': 'bytes 0-4/9' },
      body: 'x',
    }),
    [400],
  )
  t.strictSame(manifest('alice'), before)
})

row('C10 the whole scope cannot be deleted, moved or copied, and no folder can go into itself', async (t) => {
  const before = manifest('alice')
  for (const path of ['/', '', '//', '/x/..', '/.', '/docs/..', '/%2e', '/..']) {
    isRefused(t, await ask('alice', 'DELETE', `/api/resources${path}`), [400, 403])
    for (const action of ['copy', 'rename']) {
      isRefused(
        t,
        await ask('alice', 'PATCH', `/api/resources${path}?action=${action}&destination=/new`),
        [400, 403],
      )
      const onto = `/api/resources/docs?action=${action}&override=true&destination=${path || '/'}`
      isRefused(t, await ask('alice', 'PATCH', onto), [400, 403, 409])
    }
  }
  const into = ['/docs/sub', '/docs/sub/deeper', '/docs/../docs/sub/x', '/docs/private/docs']
  for (const action of ['copy', 'rename']) {
    for (const destination of into) {
      for (const more of ['', '&override=true']) {
        const url = `/api/resources/docs?action=${action}&destination=${destination}${more}`
        isRefused(t, await ask('alice', 'PATCH', url), [400, 403, 409])
      }
    }
    isRefused(
      t,
      await ask('alice', 'PATCH', `/api/resources/docs/sub?action=${action}&override=true&destination=/docs`),
      [400, 403, 409],
    )
  }
  isRefused(
    t,
    await ask('alice', 'PATCH', '/api/resources/pub.txt?action=copy&override=true&destination=/pub.txt'),
    [400, 409],
  )
  t.strictSame(manifest('alice'), before)
})

row(
  'C11 a folder is not used as a file, nor a file as a folder, and the refusal reveals nothing of the host',
  async (t) => {
    const before = manifest('alice')
    isRefused(t, await ask('alice', 'POST', '/api/resources/docs', { body: 'x' }), [405, 409])
    isRefused(t, await ask('alice', 'PUT', '/api/resources/docs', { body: 'x' }), [405])
    for (const path of ['/pub.txt/child', '/pub.txt/a/b/c']) {
      isRefused(t, await ask('alice', 'POST', `/api/resources${path}`, { body: 'x' }), [400, 404, 409])
      isRefused(t, await ask('alice', 'POST', `/api/resources${path}/`), [400, 404, 409])
      isRefused(t, await ask('alice', 'PUT', `/api/resources${path}`, { body: 'x' }), [400, 404, 409])
      for (const call of ['resources', 'raw', 'search', 'usage', 'share']) {
        isRefused(t, await ask('alice', 'GET', `/api/${call}${path}`), [400, 404])
      }
      isRefused(
        t,
        await ask('alice', 'PATCH', `/api/resources/docs?action=copy&destination=${path}`),
        [400, 404, 409],
      )
    }
    isRefused(t, await ask('alice', 'POST', '/api/resources/pub.txt/'), [409])
    isRefused(t, await ask('alice', 'GET', '/api/search/pub.txt?query=a'), [400])
    t.notMatch((await ask('alice', 'GET', '/api/resources/docs?checksum=md5')).text, /"checksums":\{"md5":"/)
    const shareId = await share('/pub.txt')
    t.match(JSON.parse((await ask('', 'GET', `/api/public/share/${shareId}/child/x`)).text), {
      name: 'pub.txt',
    })
    t.strictSame(manifest('alice'), before)
  },
)

row(
  'C12 free space is never promised twice, other users can still write, and cancelled uploads free their space',
  async (t) => {
    const before = manifest('alice')
    const { bavail, bsize } = statfsSync(root)
    const max = Math.floor(bavail * bsize * 0.9)
    const token = await target.token('alice')
    const begin = async (name: string, length: number | string = max) => {
      const wire = await dial(t, target.port)
      const head = `POST /api/resources/${name} HTTP/1.1\r\nHost: x\r\nX-Auth: ${token}\r\n`
      wire.socket.write(`${head}Content-Length: ${length}\r\n\r\nsome`)
      return wire
    }
    const parts = () => pathsBelow(root).filter((path) => path.includes('/.coffer-part-'))
    const wires = await Promise.all(Array.from({ length: 90 }, (_, n) => begin(`large${n}`)))
    const refused = () => wires.filter(({ seen }) => /^HTTP\/1\.1 507 /.test(seen()))
    await until(() => refused().length === wires.length - 1 && parts().length === 1)
    t.equal(
      (await ask('team1', 'POST', '/api/resources/mine.txt', { body: 'x' })).status,
      200,
      'other users can write',
    )
    const larger = Buffer.alloc(3 * 1024 * 1024)
    t.equal((await ask('team1', 'POST', '/api/resources/larger.bin', { body: larger })).status, 200)
    for (const length of [bavail * bsize + 1, '9007199254740993']) {
      await (await begin('huge', length)).until(/^HTTP\/1\.1 (507|413|400) /)
    }
    for (const { socket } of wires) socket.destroy()
    await until(() => parts().length === 0)
    const again = await begin('again')
    await until(() => parts().length === 1 || again.seen())
    t.equal(again.seen(), '', 'the space is free for the next upload')
    again.socket.destroy()
    await until(() => parts().length === 0)
    t.strictSame(manifest('alice'), before)
  },
)

row('C14 a name is refused or stored as it is, and is never interpreted', async (t) => {
  const refused = [
    'a%0ab',
    'a%0db',
    'a%00b',
    'a%1bb',
    'a%7fb',
    '%ff%fe',
    '%ed%a0%80',
    'x'.repeat(256),
    `${'x/'.repeat(2500)}x`,
    '%zz',
    '%',
  ]
  const before = manifest('alice')
  for (const name of refused) {
    isRefused(t, await ask('alice', 'POST', `/api/resources/${name}`, { body: 'x' }), [400, 414])
    isRefused(t, await ask('alice', 'POST', `/api/resources/${name}/`), [400, 414])
    isRefused(t, await ask('alice', 'PUT', `/api/resources/${name}`, { body: 'x' }), [400, 414])
    isRefused(t, await ask('alice', 'GET', `/api/raw/${name}`), [400, 404, 414])
    isRefused(
      t,
      await ask('alice', 'PATCH', `/api/resources/pub.txt?action=copy&destination=/${name}`),
      [400, 404],
    )
  }
  t.strictSame(manifest('alice'), before)
  const stored = [
    'a\u202eb',
    'trailing.',
    ' spaced ',
    'CON',
    'nul.txt',
    'a:stream',
    '-rf',
    '~',
    '$(x)',
    '.htaccess',
    'web.config',
    '....',
    '\u2028',
    'x'.repeat(255),
  ]
  for (const name of stored) {
    const url = `/api/resources/${encodeURIComponent(name)}`
    t.equal((await ask('alice', 'POST', url, { body: name })).status, 200, encodeURIComponent(name))
    t.equal(readFileSync(join(alice, name), 'utf8'), name)
    t.match(JSON.parse((await ask('alice', 'GET', url)).text), { name, content: name })
    t.equal((await ask('alice', 'GET', url.replace('resources', 'raw'))).text, name)
    t.equal((await ask('alice', 'DELETE', url)).status, 200)
  }
  for (const name of ['.coffer-part-x', '.coffer-part-x/below']) {
    isRefused(t, await ask('alice', 'POST', `/api/resources/${name}`, { body: 'x' }))
  }
  t.strictSame(manifest('alice'), before)
})

row('C15 a name on the disk that is not UTF-8 is never mistaken for another name', async (t) => {
  const odd = [0xff, 0xfe].map((byte) => Buffer.concat([Buffer.from(`${alice}/f`), Buffer.from([byte])]))
  for (const path of odd) writeFileSync(path, canaries.rule)
  const spelt = `f${encodeURIComponent('\ufffd')}`
  isRefused(t, await ask('alice', 'GET', `/api/raw/${spelt}`), [404])
  isRefused(t, await ask('alice', 'DELETE', `/api/resources/${spelt}`), [404])
  isRefused(t, await ask('alice', 'GET', '/api/raw/f%ff'), [400])
  writeFileSync(join(alice, 'f\ufffd'), 'mine')
  t.equal((await ask('alice', 'GET', `/api/raw/${spelt}`)).text, 'mine')
  t.equal((await ask('alice', 'PATCH', `/api/resources/${spelt}?action=rename&destination=/g`)).status, 200)
  t.equal(readFileSync(join(alice, 'g'), 'utf8'), 'mine')
  t.ok(odd.every((path) => existsSync(path)))
  mkdirSync(join(alice, 'odd'))
  writeFileSync(Buffer.concat([Buffer.from(`${alice}/odd/h`), Buffer.from([0xff])]), 'kept')
  t.equal((await ask('alice', 'PATCH', '/api/resources/odd?action=rename&destination=/even')).status, 200)
  t.equal(
    readdirSync(Buffer.from(`${alice}/even`), 'buffer')[0]?.at(-1),
    0xff,
    'moved unchanged with its folder',
  )
  t.equal((await ask('alice', 'DELETE', '/api/resources/even')).status, 200)
  t.notOk(existsSync(join(alice, 'even')))
})
