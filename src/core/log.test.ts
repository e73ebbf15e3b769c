import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import t from 'tap'
import { createLog, textLine, withoutSecrets } from './log.ts'
import { StartupProblem } from './problem.ts'

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2lnbmF0dXJl'

t.test('the log never holds a token, wherever it stands', async (t) => {
  const lines = [
    `GET /api/raw/a.txt?auth=${token}&inline=true`,
    `GET /api/raw/a.txt?inline=true&%61uth=some-ticket`,
    `the header was ${token}`,
  ]
  for (const line of lines) {
    t.notMatch(withoutSecrets(line), /eyJ|some-ticket/)
    t.match(withoutSecrets(line), '[redacted]')
  }
  t.match(withoutSecrets(lines[0] ?? ''), 'inline=true', 'and everything else stays')
})

t.test('a text line is the time, the level, the message and the rest as key=value', async (t) => {
  const line =
    '{"level":"warn","time":"2026-01-02T03:04:05.006Z","req":{"method":"GET","url":"/a b"},"msg":"slow"}'
  t.equal(textLine(line), '2026-01-02T03:04:05.006Z WARN  slow method=GET url="/a b"\n')
})

t.test('a hostile name stays on its line', async (t) => {
  const line = JSON.stringify({ level: 'info', time: 't', msg: 'made', path: 'a\nt INFO signed in\u001b[2J' })
  t.equal(textLine(line).split('\n').length, 2)
  t.notMatch(textLine(line), '\u001b')
})

t.test('a log file is private, appended to, and free of headers', async (t) => {
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

t.test('a log file that cannot be opened stops the start with a sentence', async (t) => {
  t.throws(() => createLog({ target: `${t.testdir()}/missing/coffer.log`, format: 'text' }), StartupProblem)
})

t.test('logging goes on when nobody reads the output any more', async (t) => {
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
