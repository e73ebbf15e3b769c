import t from 'tap'
import { eicar, fakeClamd, realClamd } from '#src/testing/clamd.ts'
import { parseClamdAddress } from './address.ts'
import { createClamd } from './clamd.ts'

function pieces(...texts: (string | Buffer)[]) {
  return async function* () {
    for (const text of texts) yield Buffer.from(text)
  }
}

const never = new AbortController().signal

t.test('the address of a scanner is the path of a socket, or a host and a port', async (t) => {
  for (const [text, address] of [
    ['/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['unix:/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
    ['scanner.example:3310', { host: 'scanner.example', port: 3310 }],
    ['[::1]:3310', { host: '::1', port: 3310 }],
  ] as const)
    t.strictSame(parseClamdAddress(text), address, text)
  for (const text of [
    '',
    '/',
    'unix:',
    'unix:clamd.ctl',
    'localhost',
    '::1:3310',
    'a:0',
    'a:65536',
    'http://a:3310',
  ])
    t.equal(parseClamdAddress(text), undefined, text)
})

t.test('only the exact answer OK is a clean content', async (t) => {
  const scanner = await fakeClamd(t)
  const { scan } = createClamd(scanner.address)
  t.strictSame(await scan(pieces('hel', '', 'lo'), never), { kind: 'clean' })
  t.strictSame(scanner.contents.map(String), ['hello'], 'an empty piece does not end the stream')
  for (const [answer, kind] of [
    ['stream: OK', 'away'],
    ['stream: OK\0stream: OK\0', 'away'],
    ['stream: OK\0\n', 'away'],
    ['stream: OK\n', 'away'],
    ['stream: not OK\0', 'away'],
    ['STREAM: OK\0', 'away'],
    ['OK\0', 'away'],
    ['', 'away'],
    ["stream: Can't allocate memory ERROR\0", 'away'],
    [`stream: ${'x'.repeat(5000)} FOUND\0`, 'away'],
    ['\x01\x02\xff', 'away'],
    ['stream: Win.Test-1 FOUND\0', 'infected'],
    ['INSTREAM size limit exceeded. ERROR\0', 'unscannable'],
    ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0', 'unscannable'],
    ['stream: Heuristics.Encrypted.Zip FOUND\0', 'unscannable'],
  ] as const) {
    scanner.behaviour = answer
    t.equal((await scan(pieces('hello'), never)).kind, kind, JSON.stringify(answer.slice(0, 60)))
  }
})

t.test('an answer that breaks off is no verdict, even if it begins like one', async (t) => {
  const scanner = await fakeClamd(t, (socket) => {
    socket.write('stream: OK\0')
    setImmediate(() => socket.resetAndDestroy())
  })
  const { scan } = createClamd(scanner.address)
  t.equal((await scan(pieces('hello'), never)).kind, 'away')
  scanner.behaviour = (socket) => socket.end('stream: Eicar-Te')
  t.equal((await scan(pieces('hello'), never)).kind, 'away')
})

t.test('a scanner that is silent, or is not there, is away', async (t) => {
  const scanner = await fakeClamd(t, () => {})
  const { scan, fault } = createClamd(scanner.address, { silenceMs: 50 })
  t.match(await scan(pieces('hello'), never), { kind: 'away', isSilent: true, reason: /silent/ })
  await scanner.stop()
  t.match(await scan(pieces('hello'), never), { kind: 'away', isSilent: false, reason: /ECONNREFUSED/ })
  t.match(await fault(never), /ECONNREFUSED/)
})

t.test('a scan stops when its signal aborts', async (t) => {
  const stopping = new AbortController()
  const scanner = await fakeClamd(t, () => stopping.abort(new Error('the client has left')))
  const { scan } = createClamd(scanner.address)
  await t.rejects(scan(pieces('hello'), stopping.signal), { message: 'the client has left' })
  await t.rejects(scan(pieces('hello'), stopping.signal), { message: 'the client has left' })
})

t.test('reads no further when the scanner has answered', async (t) => {
  const scanner = await fakeClamd(t)
  scanner.refusesAfterBytes = 1000
  let read = 0
  async function* endless() {
    for (; read < 1000; read++) yield Buffer.alloc(100_000)
  }
  const verdict = await createClamd(scanner.address).scan(endless, never)
  t.equal(verdict.kind, 'unscannable')
  t.ok(read < 1000, `${read} pieces were read`)
})

t.test('works with the clamd of this machine', async (t) => {
  const address = await realClamd(t, ['StreamMaxLength 1M', 'AlertExceedsMax yes', 'MaxFileSize 500K'])
  if (!address) return t.pass('clamd', { skip: 'clamav-daemon is not installed' })
  const clamd = createClamd(address)
  t.equal(await clamd.fault(never), undefined)
  t.match(await clamd.version(never), /^ClamAV 1\./)
  t.strictSame(await clamd.scan(pieces('hello'), never), { kind: 'clean' })
  t.match(await clamd.scan(pieces('a', eicar.slice(0, 9), eicar.slice(9), 'b'), never), {
    kind: 'infected',
    signature: /^Eicar-Test/,
  })
  for (let n = 0; n < 5; n++) {
    const large = Array.from({ length: 40 }, () => Buffer.alloc(256 * 1024, 'a'))
    t.match(await clamd.scan(pieces(...large), never), { kind: 'unscannable', reason: /StreamMaxLength/ })
  }
  t.match(await clamd.scan(pieces(Buffer.alloc(800 * 1024, 'a')), never), {
    kind: 'unscannable',
    reason: /^Heuristics\.Limits\.Exceeded/,
  })
  return undefined
})
