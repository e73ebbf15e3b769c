// Needs a process of its own: it measures the memory of the process.
import { once } from 'node:events'
import { closeSync, ftruncateSync, openSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import t from 'tap'
import { password, serve, signIn } from '#src/testing/program.ts'
import { dial, exchange, openDescriptors, until } from '#src/testing/wire.ts'
import { isRefused, openTarget } from './fixture.ts'

const target = await openTarget(t)
const { ask, row, rules, raw, root, idOf } = target
const alice = join(root, 'alice')

row('J01 CVE-2025-53893 a file is never read whole into memory', async (t) => {
  for (const name of ['huge.txt', 'huge.md', 'huge.csv', 'huge.json']) {
    const file = openSync(join(alice, name), 'w')
    ftruncateSync(file, 5 * 1024 ** 3)
    closeSync(file)
  }
  const before = process.memoryUsage().rss
  const urls = ['huge.txt', 'huge.md', 'huge.csv', 'huge.json'].map((name) => `/api/resources/${name}`)
  const responses = await Promise.all([...urls, ...urls].map((url) => ask('alice', 'GET', url)))
  for (const { text, status } of responses) {
    t.equal(status, 200)
    t.notMatch(text.slice(0, 2000), /"content"/)
  }
  const range = { headers: { range: 'bytes=5368709110-' } }
  t.equal((await ask('alice', 'GET', '/api/raw/huge.txt', range)).body.length, 10)
  t.ok(process.memoryUsage().rss - before < 300 * 1024 ** 2)
})

t.test(
  'J01 fifty concurrent requests for texts of almost 10 MiB use as much memory as a few, also through a share',
  async (t) => {
    const base = t.testdir({ root: {} })
    // One character that needs two bytes in memory makes the whole string use two bytes per character.
    const text = `\u65e5${'let a = "b"\n'.repeat(860_000)}`
    for (let n = 0; n < 5; n++) writeFileSync(join(base, 'root', `${n}.txt`), text)
    const { port, child } = await serve(t, join(base, 'root'), '--password', password)
    const token = await signIn(port)
    const header = { 'x-auth': token }
    const shareId = JSON.parse((await exchange(port, 'POST', '/api/share/', { headers: header })).body)
      .hash as string
    const before = peakOf(child.pid)
    const urls = (address: string) => Array.from({ length: 25 }, (_, n) => `${address}/${n % 5}.txt`)
    const looks = urls('/api/resources').map((url) => drain({ port, url, headers: header }))
    const visits = urls(`/api/public/share/${shareId}`).map((url) => drain({ port, url, headers: {} }))
    const responses = await Promise.all([...looks, ...visits])
    for (const { status, bytes } of responses) {
      t.ok([200, 429, 503].includes(status), `${status}`)
      if (status === 200) t.ok(bytes > text.length)
    }
    t.ok(responses.filter(({ status }) => status === 200).length >= 10, 'they are served in turn')
    const grown = (peakOf(child.pid) - before) / 1024 ** 2
    t.ok(grown < 700, `${Math.round(grown)} MiB more`)
    t.equal((await exchange(port, 'GET', '/health')).status, 200)
  },
)

/** The peak memory of a process, in bytes (proc(5), VmHWM). */
function peakOf(pid: number | undefined): number {
  const [, kilobytes = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Requests a URL, discards the body and counts its bytes. */
async function drain(options: { port: number; url: string; headers: Record<string, string> }) {
  const { port, url, headers } = options
  const outgoing = request({ host: '127.0.0.1', port, path: url, headers, agent: false }).end()
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of reply) bytes += (chunk as Buffer).length
  return { status: reply.statusCode ?? 0, bytes }
}

row('J05 CVE-2025-54796 no pattern of a rule takes more than linear time', async (t) => {
  const patterns = ['^(/?[a-z]+)+$', '(.+)+x', '^(a|aa)+$', '(.*)*y$', '([a-z/]*)*!$']
  await rules(
    'global',
    patterns.map((pattern) => ({ allow: false, regex: true, path: '', regexp: { raw: pattern } })),
  )
  const long = Array.from({ length: 10 }, () => 'a'.repeat(200)).join('/')
  for (const call of ['resources', 'raw', 'search', 'resources/recursive']) {
    isRefused(t, await ask('alice', 'GET', `/api/${call}/${long}!`), [403, 404])
  }
  isRefused(t, await ask('alice', 'GET', `/api/search/?query=${'a'.repeat(4000)}`), [200, 403])
})

row('J05 a small subtitle file does not block other requests', async (t) => {
  const max = 2 * 1024 * 1024
  const cue = '1\n00:00:01,000 --> 00:00:02,000\n'
  const line = 'Dialogue: 0:00:01.00,0:00:02.00,'
  const files = {
    'angles.srt': cue + '<'.repeat(max - cue.length),
    'lines.vtt': '<v\n'.repeat(max / 3),
    'braces.ass': `[Events]\n${`${line}{{{{<a<a\\N\n`.repeat(40_000)}`,
    'columns.ass': `[Events]\nFormat:${','.repeat(max / 2)}\n${`${line}x\n`.repeat(20_000)}`,
    'spaces.ass': `[Events]\nDialogue:${' '.repeat(max / 2)}\u2028`,
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(alice, name), text)
    let others = 0
    let isDone = false
    const asked = ask('alice', 'GET', `/api/subtitle/${name}`).finally(() => {
      isDone = true
    })
    while (!isDone && (await ask('', 'GET', '/health')).status === 200) others++
    if (name === 'lines.vtt') t.ok(others > 25, `${others} other requests were served meanwhile`)
    t.equal((await asked).status, 200, name)
  }
})

row('J07 CVE-2011-3192 a list of ranges never makes the server send more than the file', async (t) => {
  writeFileSync(join(alice, 'r.bin'), Buffer.alloc(10_000, 1))
  const many = Array.from({ length: 1000 }, (_, n) => `${n}-`).join(',')
  const lists = [
    many,
    '0-,0-,0-,0-',
    '5-2',
    '-0',
    '99999-',
    '99999999999999999999-',
    '0-0,-1',
    'x',
    '-',
    '0-9,5-2',
  ]
  for (const list of lists) {
    const response = await ask('alice', 'GET', '/api/raw/r.bin', { headers: { range: `bytes=${list}` } })
    isRefused(t, response, [200, 206, 416])
    t.ok(response.body.length <= 11_000, list.slice(0, 20))
  }
  const endless = Array.from({ length: 10_000 }, (_, n) => `${n}-${n}`).join(',')
  isRefused(t, await ask('alice', 'GET', '/api/raw/r.bin', { headers: { range: `bytes=${endless}` } }), [431])
})

row('J08 bodies have limits of size, depth and number', async (t) => {
  const deep = `{"rules":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const rule = { allow: true, path: '/x', regex: false }
  const bodies: [body: string | Buffer, statuses: number[]][] = [
    [deep, [400]],
    [JSON.stringify({ rules: Array.from({ length: 1001 }, () => rule) }), [400]],
    [JSON.stringify({ rules: Array.from({ length: 100_000 }, () => rule) }), [413]],
    [`{"branding":{"name":"${'x'.repeat(300)}"}}`, [400]],
    [Buffer.from('{"signup":true}', 'utf16le'), [400]],
    ['{"signup":true,', [400]],
    ['[]', [400]],
    ['"x"', [400]],
    ['1', [400]],
  ]
  for (const [body, statuses] of bodies)
    isRefused(t, await ask('admin', 'PUT', '/api/settings', { body }), statuses)
  const id = idOf('alice')
  const which = Array.from({ length: 1000 }, () => 'locale')
  isRefused(
    t,
    await ask('admin', 'PUT', `/api/users/${id}`, { json: { what: 'user', which, data: { id } } }),
    [400],
  )
  t.equal(target.document.data.settings.signup, false)
})

row('J09 CVE-2025-22871 an ambiguous request is refused before it is processed', async (t) => {
  const requests = [
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /a HTTP/1.1\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    'POST /api/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;a\nb\r\n{}\r\n0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n',
    'GET / HTTP/1.1\nHost: x\n\n',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nabcde',
  ]
  for (const text of requests) {
    const said = await raw(t, text)
    t.match(said, /^HTTP\/1\.1 400 /, JSON.stringify(text.slice(0, 60)))
    t.equal(said.match(/HTTP\/1\.1 \d/g)?.length, 1, 'one response')
  }
})

row('J10 CVE-2026-47219 malformed requests do not stop the server', async (t) => {
  for (const path of [
    '/%',
    '/%E0%A4%A',
    '/%ud800',
    '/api/%',
    '/api/resources/%E0%A4%A',
    '/static/%',
    '/share/%',
  ]) {
    const { status } = await ask('alice', 'GET', path)
    t.ok(status === 200 || status === 400 || status === 404, path)
  }
  isRefused(t, await ask('alice', 'GET', `/${'a'.repeat(64 * 1024)}`), [414, 431])
  const odd = [
    { cookie: 'a=%;=;;', 'content-type': ';;;' },
    { 'content-type': '/', accept: ';q=x,' },
    { 'accept-encoding': ';;,br;q=', 'if-none-match': '"' },
    { 'if-modified-since': 'x', 'if-range': 'y', range: 'z' },
    { 'content-type': 'multipart/form-data' },
  ]
  for (const headers of odd) {
    for (const url of ['/', '/api/resources/', '/api/raw/pub.txt']) {
      isRefused(t, await ask('alice', 'GET', url, { headers }), [200, 206, 400, 404, 412, 416])
    }
    isRefused(t, await ask('alice', 'POST', '/api/login', { headers, body: '{' }), [400, 403, 406, 415])
  }
  for (const method of ['constructor', '__proto__', 'GETX', '']) {
    t.match(await raw(t, `${method} / HTTP/1.1\r\nHost: x\r\n\r\n`), /^HTTP\/1\.1 400 /, method)
  }
  for (const [at, seconds] of [-1, -62_135_596_801, 0, 4_294_967_296, 8_000_000_000].entries()) {
    const path = join(alice, `time${at}`)
    writeFileSync(path, 'x')
    utimesSync(path, seconds, seconds)
    t.equal((await ask('alice', 'GET', `/api/resources/time${at}`)).status, 200)
    t.equal((await ask('alice', 'GET', `/api/raw/time${at}`)).text, 'x')
  }
  for (const url of ['resources/', 'resources/recursive/', 'raw/?algo=tar&files=time0,time1,time3,time4']) {
    t.equal((await ask('alice', 'GET', `/api/${url}`)).status, 200)
  }
})

row('J11 a hundred aborted requests leave no descriptors open', async (t) => {
  writeFileSync(join(alice, 'big.bin'), Buffer.alloc(4 * 1024 * 1024))
  const own = `HTTP/1.1\r\nHost: x\r\nX-Auth: ${await target.token('alice')}\r\n`
  const requests = [
    `GET /api/raw/big.bin ${own}\r\n`,
    `GET /api/raw/?algo=tar&files=big.bin ${own}\r\n`,
    `GET /api/search/?query=a ${own}\r\n`,
    `POST /api/resources/new.bin ${own}Content-Length: 1000\r\n\r\nhalf`,
    `PUT /api/resources/pub.txt ${own}Content-Length: 1000\r\n\r\nhalf`,
  ]
  const abort = async (text: string) => {
    const { socket } = await dial(t, target.port)
    socket.write(text)
    // Some are aborted before the server sees them, some after.
    if (Math.random() < 0.5) await new Promise((resolve) => setImmediate(resolve))
    socket.destroy()
  }
  for (const text of requests) await abort(text) // starts the worker threads, which keep descriptors open
  await until(async () => (await ask('alice', 'GET', '/health')).status === 200)
  await ask('alice', 'GET', '/api/raw/?algo=tar&files=pub.txt')
  const before = await openDescriptors()
  for (let round = 0; round < 20; round++) await Promise.all(requests.map(abort))
  await until(async () => (await openDescriptors()) <= before + 2)
})
