import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { archiveAlgorithms } from '#contract/resources.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { dial, until } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'
import { zipEntries } from './unpack.ts'

const target = await openTarget(t)
const { ask, raw, row, rules, share, root } = target
const alice = join(root, 'alice')

const zipNames = async (user: 'alice' | '', url: string) => {
  const response = await ask(user, 'GET', url)
  if (response.status !== 200) throw new Error(response.text)
  return zipEntries(response.body).map(({ name }) => name)
}

row('I01 CVE-2026-54093 names in an archive never lead out of the folder it is unpacked to', async (t) => {
  mkdirSync(join(alice, 'z'))
  const upload = '/api/resources/z/..%5C..%5Cevil.sh'
  t.equal((await ask('alice', 'POST', upload, { body: 'x' })).status, 200)
  for (const name of ['C:\\x', '\\\\srv\\x', 'a:b', '..\\x', 'C:', '..;', '. .', '\\etc\\passwd']) {
    writeFileSync(join(alice, 'z', name), 'x')
  }
  const shareId = await share('/z')
  for (const [user, url] of [
    ['alice', '/api/raw/z?algo=zip'],
    ['alice', '/api/raw/z?files=..%255C..%255Cevil.sh,C%253A%255Cx'],
    ['', `/api/public/dl/${shareId}/?algo=zip`],
  ] as const) {
    for (const name of await zipNames(user, url)) {
      t.notMatch(name, /\\|^\/|^[A-Za-z]:|(^|\/)\.\.?(\/|$)|\0/)
    }
  }
  for (const algorithm of archiveAlgorithms) {
    t.equal((await ask('alice', 'GET', `/api/raw/z?algo=${algorithm}`)).status, 200, algorithm)
  }
  const tar = (await ask('alice', 'GET', '/api/raw/z?algo=tar')).body
  const names = execFileSync('tar', ['-tf', '-', '--quoting-style=literal'], { input: tar })
    .toString()
    .trim()
    .split('\n')
  for (const name of names) t.notMatch(name, /\\|^\/|^[A-Za-z]:|(^|\/)\.\.?(\/|$)/)
})

row('I02 an archive contains exactly the files that its reader may read', async (t) => {
  await rules('alice', ['/docs/private'])
  symlinkSync(join(target.outside, 'secret.txt'), join(alice, 'docs/link'))
  symlinkSync('../pub.txt', join(alice, 'docs/inner'))
  execFileSync(systemTool('mkfifo'), [join(alice, 'docs/pipe')])
  writeFileSync(join(alice, 'docs/shut.txt'), 'shut')
  chmodSync(join(alice, 'docs/shut.txt'), 0)
  const shareId = await share('/docs')
  const named = ['private', 'private/secret.txt', 'link', 'pipe', 'public.txt']
    .map(encodeURIComponent)
    .join(',')
  for (const [user, url] of [
    ['alice', '/api/raw/docs?algo=zip'],
    ['alice', `/api/raw/docs?files=${named}`],
    ['', `/api/public/dl/${shareId}/?algo=zip`],
    ['', `/api/public/dl/${shareId}/?files=${named}`],
  ] as const) {
    const names = await zipNames(user, url)
    t.ok(names.some((name) => name.endsWith('public.txt')))
    t.strictSame(
      names.filter((name) => /private|link|pipe/.test(name)),
      [],
      url,
    )
  }
})

row('I03 selections and archive formats are read exactly or refused', async (t) => {
  const many = Array.from({ length: 10_001 }, () => 'a').join(',')
  isRefused(t, await ask('alice', 'GET', `/api/raw/docs?files=${many}`), [400, 414, 431])
  for (const rest of ['algo=exe', 'algo=zip&algo=tar', 'algo=__proto__', 'files=%25zz', 'files=a&files=b']) {
    isRefused(t, await ask('alice', 'GET', `/api/raw/docs?${rest}`), [400, 404])
  }
  writeFileSync(join(alice, 'a,b+c%.txt'), 'x')
  const exact = encodeURIComponent(encodeURIComponent('a,b+c%.txt'))
  const names = await zipNames('alice', `/api/raw/?files=${exact},,${exact},pub.txt,pub.txt`)
  t.strictSame(names.sort(), ['a,b+c%.txt', 'pub.txt'])
  t.equal(
    (await ask('alice', 'GET', '/api/raw/pub.txt?algo=tar')).text,
    'public',
    'a file is sent as itself, not as an archive',
  )
})

row('I04 an aborted archive leaves nothing behind, and no user can take all archive permits', async (t) => {
  mkdirSync(join(alice, 'big'))
  for (let n = 0; n < 4; n++) writeFileSync(join(alice, 'big', `${n}.bin`), Buffer.alloc(8 * 1024 * 1024, n))
  const head = ['HTTP/1.1', 'Host: coffer', `X-Auth: ${await target.token('alice')}`].join('\r\n')
  const wires = []
  for (const algorithm of ['tar', 'zip', 'tarxz', 'tarbr', 'tar', 'zip', 'tarzst', 'tarbz2']) {
    const wire = await dial(t, target.port)
    wire.socket.write(`GET /api/raw/big?algo=${algorithm} ${head}\r\n\r\n`)
    await until(() => wire.seen().startsWith('HTTP/1.1 200'))
    wire.socket.pause()
    wires.push(wire)
  }
  isRefused(t, await ask('alice', 'GET', '/api/raw/big?algo=tar'), [200, 503])
  t.equal((await ask('', 'GET', '/health')).status, 200)
  for (const { socket } of wires) socket.destroy()
  const download = () => ask('alice', 'GET', '/api/raw/docs-old?algo=tar')
  // The server may still be closing a connection that this client would use again.
  await until(async () => (await download().catch(() => undefined))?.status === 200)
})

row(
  'I07 a deleted file is restored only to a place that the user may write to, and replaces nothing',
  async (t) => {
    mkdirSync(join(alice, 'trashed'))
    writeFileSync(join(alice, 'trashed', 'a.txt'), 'deleted')
    t.equal((await ask('alice', 'DELETE', '/api/resources/trashed/a.txt')).status, 200)
    const list = JSON.parse((await ask('alice', 'GET', '/api/trash?search=trashed')).text)
    const restore = `/api/trash/${list.items[0].id}/restore`
    rmdirSync(join(alice, 'trashed'))
    symlinkSync(join(root, '..'), join(alice, 'trashed'))
    isRefused(t, await ask('alice', 'POST', restore), [403])
    isRefused(t, await ask('', 'POST', restore), [401])
    unlinkSync(join(alice, 'trashed'))
    mkdirSync(join(alice, 'trashed'))
    writeFileSync(join(alice, 'trashed', 'a.txt'), 'new')
    const restored = await ask('alice', 'POST', restore)
    t.equal(restored.status, 200, restored.text)
    t.equal(JSON.parse(restored.text).path, '/trashed/a(1).txt')
    t.equal(readFileSync(join(alice, 'trashed', 'a.txt'), 'utf8'), 'new')
  },
)

row('I05 I06 nothing is unpacked, or read compressed', async (t) => {
  for (const action of ['extract', 'unarchive', 'unzip', 'restore', '']) {
    isRefused(t, await ask('alice', 'PATCH', `/api/resources/pub.txt?action=${action}&destination=/x`), [400])
  }
  for (const call of ['extract', 'unarchive', 'restore']) {
    for (const method of ['GET', 'POST'])
      isRefused(t, await ask('alice', method, `/api/${call}/pub.txt`), [404])
  }
  const bytes = Buffer.from('H4sIAAAAAAAAA0vOT0tLLQIAGZ7PVQYAAAA=', 'base64')
  for (const how of ['gzip', 'GZIP', 'x-gzip', 'deflate', 'br', 'zstd', 'identity, gzip', 'aws-chunked']) {
    const packed = { headers: { 'content-encoding': how }, body: bytes }
    for (const [method, path] of [
      ['POST', '/api/resources/packed.txt'],
      ['PUT', '/api/resources/pub.txt'],
      ['PATCH', '/api/resources/pub.txt?action=rename&destination=/packed.txt'],
      ['POST', '/api/share/pub.txt'],
      ['PUT', '/api/settings'],
    ] as const) {
      const response = await ask(path === '/api/settings' ? 'admin' : 'alice', method, path, packed)
      isRefused(t, response, [415])
      t.equal(response.headers['accept-encoding'], 'identity')
    }
    isRefused(t, await ask('', 'POST', '/api/login', packed), [415])
    isRefused(t, await ask('', 'POST', '/api/resources/packed.txt', packed), [401])
  }
  isRefused(t, await ask('alice', 'GET', '/api/raw/packed.txt'), [404])
  const head = `PUT /api/resources/packed.txt HTTP/1.1\r\nHost: x\r\nX-Auth: ${await target.token('alice')}\r\n`
  const said = await raw(
    t,
    `${head}Connection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  )
  t.match(said, /^HTTP\/1\.1 4(00|15) /, 'compressed transfer codings are refused too')
  isRefused(t, await ask('alice', 'GET', '/api/raw/packed.txt'), [404])
  const plain = { headers: { 'content-encoding': 'Identity' }, body: 'plain' }
  isRefused(t, await ask('alice', 'POST', '/api/resources/plain.txt', plain), [200])
})
