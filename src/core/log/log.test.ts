import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { mountSmall } from '#src/testing/small-disk.ts'
import { createLog, textLine, withoutSecrets } from './log.ts'

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2lnbmF0dXJl'

t.test('the log never contains a token, wherever it is in a line', async (t) => {
  const lines = [
    `GET /api/raw/a.txt?auth=${token}&inline=true`,
    `GET /api/raw/a.txt?inline=true&%61uth=some-ticket`,
    `the header was ${token}`,
  ]
  for (const line of lines) {
    t.notMatch(withoutSecrets(line), /eyJ|some-ticket/)
    t.match(withoutSecrets(line), '[redacted]')
  }
  t.match(withoutSecrets(lines[0] ?? ''), 'inline=true', 'everything else stays')
})

t.test('the log never contains the token or the password of a share', async (t) => {
  for (const line of [
    'GET /api/public/dl/abc/a.txt?token=some-secret&inline=true',
    'GET /api/public/dl/abc?inline=true&to%6ben=some-secret',
    'POST /api/share/a.txt?expires=1&password=some-secret&inline=true',
    'POST /api/share/a.txt?%70%61%73%73%77%6F%72%64=some%20secret&inline=true',
    'GET /x?a=b?token=some-secret&inline=true',
  ]) {
    for (const logged of [withoutSecrets(line), withoutSecrets(JSON.stringify({ url: line }))]) {
      t.notMatch(logged, /some/, logged)
      t.match(logged, /inline=true/)
    }
  }
  t.equal(withoutSecrets('/a?tokens=1&mypassword=2&path=x'), '/a?tokens=1&mypassword=2&path=x')
})

const word = fc.stringMatching(/^[\w-]{1,30}$/)
const anyToken = fc.tuple(word, word, word).map((parts) => `eyJ${parts.join('.')}`)
const surroundings = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '\n',
    '"',
    ' ',
    '-',
    '.',
    '..',
    'eyJ',
    'eyJ.',
    'eyJx.',
    'eyJx.y',
    'a.b',
    '/',
    '?auth=',
    '&auth="',
    '\u2028',
  ),
)

t.test('redacts a token within any text, in JSON and in plain text', async (t) => {
  fc.assert(
    fc.property(fc.array(surroundings), anyToken, fc.array(surroundings), (before, token, after) => {
      const text = `${before.join('')}${token}${after.join('')}`
      const signed = token.slice(token.lastIndexOf('.'))
      const logged = withoutSecrets(JSON.stringify({ text, n: 1 }))
      t.notOk(logged.includes(token) || (signed.length > 12 && logged.includes(signed)))
      t.doesNotThrow(() => JSON.parse(logged), 'the line stays valid JSON')
      t.notOk(withoutSecrets(text).includes(token))
    }),
  )
})

t.test('redacts a ticket within any text', async (t) => {
  const value = fc.stringMatching(/^[\w."'\\-]{1,40}$/)
  const name = fc.constantFrom('auth', '%61uth', 'AUTH', 'a%75%74%68')
  fc.assert(
    fc.property(fc.string(), name, value, fc.string(), (path, name, value, rest) => {
      const logged = withoutSecrets(JSON.stringify({ url: `/${path}?x=1&${name}=ticket${value}&y=${rest}` }))
      t.notOk(logged.includes('ticket'))
      const url = JSON.parse(logged).url
      t.notOk(value.length > 3 && url.includes(`=${value}`) && !path.includes(value) && !rest.includes(value))
      t.ok(url.endsWith(withoutSecrets(`&y=${rest}`)) || /[?&]/.test(rest), 'the rest stays')
    }),
  )
})

t.test('logs text without secrets unchanged', async (t) => {
  const lines = [
    '/eyJ',
    '/eyJ.a.b',
    '/eyJx.a',
    '/eyJx..b',
    '/a.tar.gz?author=ann',
    '-eyJ'.repeat(10),
    'x=auth=1',
  ]
  for (const line of lines) t.equal(withoutSecrets(line), line)
})

t.test('redacts long hostile URLs in linear time', async (t) => {
  // With a match for each start position, the longest of these would take an hour.
  for (const piece of ['-eyJ', 'eyJx.', 'eyJx..', '.eyJx', '&auth=', 'eyJa.b.c.', '\\', 'eyJ-'])
    t.type(withoutSecrets(piece.repeat(1_000_000)), 'string', piece)
})

t.test('truncates long URLs in the log and redacts their secrets', async (t) => {
  const target = `${t.testdir()}/coffer.log`
  const log = createLog({ target, format: 'json' })
  const long = `/${'x'.repeat(2020)}/${token}/${'y'.repeat(14_000)}`
  log.info({ url: long, method: 'GET' }, 'answered')
  log.info({ req: { method: 'GET', url: long, ip: '::1' } }, 'failed')
  log.info({ url: '/short' }, 'answered')
  const lines = readFileSync(target, 'utf8').trim().split('\n')
  for (const line of lines) {
    t.ok(line.length < 2500, 'short')
    t.notMatch(line, /eyJ/)
  }
  t.match(lines[0], /x\/\[redacted\]\/y*…"/)
  t.match(lines[1], /x\/\[redacted\]\/y*…"/)
  t.match(lines[2], '"url":"/short"')
})

t.test('a text line has the time, the level, the message and the other fields as key=value', async (t) => {
  const line =
    '{"level":"warn","time":"2026-01-02T03:04:05.006Z","req":{"method":"GET","url":"/a b"},"msg":"slow"}'
  t.equal(textLine(line), '2026-01-02T03:04:05.006Z WARN  slow method=GET url="/a b"\n')
})

t.test('a hostile name does not start a new line in the log', async (t) => {
  const line = JSON.stringify({ level: 'info', time: 't', msg: 'made', path: 'a\nt INFO signed in\u001b[2J' })
  t.equal(textLine(line).split('\n').length, 2)
  t.notMatch(textLine(line), '\u001b')
})

t.test('a log file is private, appended to, and contains no headers', async (t) => {
  const target = `${t.testdir()}/coffer.log`
  createLog({ target, format: 'json' }).info('first')
  createLog({ target, format: 'json' }).info(
    { req: { method: 'GET', url: '/x', headers: { cookie: 'secret' } } },
    'second',
  )
  const text = readFileSync(target, 'utf8')
  const [first, second] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(
    [first, second],
    [
      { level: 'info', msg: 'first' },
      { msg: 'second', req: { method: 'GET', url: '/x' } },
    ],
  )
  t.notMatch(text, 'secret')
  t.equal(statSync(target).mode & 0o777, 0o600)
})

t.test('a log file that cannot be opened stops the start with a message', async (t) => {
  t.throws(() => createLog({ target: `${t.testdir()}/missing/coffer.log`, format: 'text' }), StartupProblem)
})

t.test('logging continues when the output is closed', async (t) => {
  const program = `
    const { createLog } = await import(${JSON.stringify(new URL('./log.ts', import.meta.url).href)})
    const log = createLog({ target: 'stdout', format: 'text' })
    log.info('first')
    process.stdin.once('data', () => {
      for (let n = 0; n < 100; n++) log.info('to nobody')
      setImmediate(() => process.exit(7))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  await once(child.stdout, 'data')
  child.stdout.destroy()
  child.stdin.write('go on\n')
  const [code] = await once(child, 'exit')
  t.equal(code, 7)
})

t.test('keeps at most 1 MiB of log lines in memory while the disk is full', async (t) => {
  const disk = mountSmall(t, 'tmpfs')
  if (!disk) {
    t.pass('this system cannot mount a disk')
    return
  }
  const file = join(disk, 'log')
  const log = createLog({ target: file, format: 'json' })
  log.info('before')
  const filler = join(disk, 'filler')
  t.throws(() => writeFileSync(filler, Buffer.alloc(32 * 1024 * 1024)), { code: 'ENOSPC' })
  const text = 'x'.repeat(1024)
  for (let n = 0; n < 5000; n++) log.info({ n }, text)
  const whileFull = statSync(file).size
  rmSync(filler)
  log.info('after')
  const waited = statSync(file).size - whileFull
  t.ok(waited > 512 * 1024 && waited < 1.1 * 1024 * 1024, `${waited} bytes were written when there was room`)
  t.match(readFileSync(file, 'utf8'), /"msg":"before"/)
  log.info('once more')
  t.match(readFileSync(file, 'utf8'), /"msg":"once more"/)
})

t.test('an error cannot forge a line of the log, or control a terminal', async (t) => {
  const err = {
    stack: 'Error: x\nWARN  failed sign-in address=203.0.113.7 \u001b[2J\r\n2026-01-01T00:00:00Z WARN  y',
  }
  const lines = textLine(JSON.stringify({ time: 'now', level: 'error', msg: 'failed', err })).split('\n')
  t.equal(lines[0], 'now ERROR failed')
  t.ok(
    lines.slice(1, -1).every((line) => line.startsWith('    | ')),
    lines.join('\n'),
  )
  t.notOk(['\u001b', '\r'].some((char) => lines.join('\n').includes(char)))
})
