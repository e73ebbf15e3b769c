import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { systemTool } from '#src/testing/system-tool.ts'
import { createLog } from './log.ts'
import { openLogFile, type Rotation } from './log-file.ts'

const days = 24 * 60 * 60_000
const rotation: Rotation = { maxSize: 100, keep: 3, maxAgeMs: 14 * days }
// Ten lines fill a file.
const line = (n: number) => `line ${String(n).padStart(4, '0')}\n`

function open(t: Test, more: Partial<Rotation> = {}) {
  const folder = t.testdir()
  const file = join(folder, 'coffer.log')
  const faults: string[] = []
  const log = openLogFile(file, { ...rotation, ...more }, (errno) => faults.push(errno))
  const write = (from: number, to: number) => {
    for (let n = from; n <= to; n++) log.write(line(n))
  }
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, file, faults, log, write, text }
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => line(from + at)).join('')

t.test('a log file that reaches its size becomes FILE.1, and the oldest files are deleted', async (t) => {
  const { folder, write, text, faults } = open(t)
  write(1, 10)
  t.strictSame(readdirSync(folder), ['coffer.log'])
  write(11, 55)
  t.strictSame(readdirSync(folder).sort(), ['coffer.log', 'coffer.log.1', 'coffer.log.2', 'coffer.log.3'])
  t.equal(text('coffer.log'), lines(51, 55))
  t.equal(text('coffer.log.1'), lines(41, 50))
  t.equal(text('coffer.log.2'), lines(31, 40))
  t.equal(text('coffer.log.3'), lines(21, 30))
  t.strictSame(faults, [])
})

t.test('a new log file is private, or has the mode that an administrator gave the old one', async (t) => {
  const { file, write } = open(t)
  write(1, 11)
  t.equal(statSync(file).mode & 0o777, 0o600)
  chmodSync(file, 0o640)
  write(12, 30)
  t.equal(statSync(file).mode & 0o777, 0o640)
})

t.test('old log files are deleted at a rotation: after their time, and when fewer are kept', async (t) => {
  const { folder, file, write } = open(t)
  for (const number of [1, 2, 4, 5]) writeFileSync(`${file}.${number}`, 'old')
  const past = new Date(Date.now() - 15 * days)
  utimesSync(`${file}.2`, past, past)
  mkdirSync(`${file}.6`)
  const old = [1, 2, 4, 5, 6].map((number) => `coffer.log.${number}`)
  write(1, 10)
  t.strictSame(
    readdirSync(folder).sort(),
    ['coffer.log', ...old],
    'until then they may be those of logrotate',
  )
  write(11, 11)
  const kept = ['coffer.log', 'coffer.log.1', 'coffer.log.2', 'coffer.log.6']
  t.strictSame(readdirSync(folder).sort(), kept)
})

t.test('a log file that another program has moved or truncated is not moved again', async (t) => {
  const { folder, file, log, write, text } = open(t)
  write(1, 9)
  renameSync(file, join(folder, 'moved'))
  write(10, 12)
  t.equal(text('moved'), lines(1, 10), 'written until the size is reached')
  t.equal(text('coffer.log'), lines(11, 12))
  renameSync(file, join(folder, 'moved-again'))
  log.reopen()
  write(13, 13)
  t.equal(text('coffer.log'), lines(13, 13))
  truncateSync(file)
  write(14, 23)
  t.equal(text('coffer.log'), lines(14, 23))
  t.notOk(existsSync(`${file}.1`))
})

t.test('logging continues in the old file when it cannot be replaced or opened again', async (t) => {
  const { folder, file, log, faults, write, text } = open(t, { keep: 1 })
  mkdirSync(`${file}.1`)
  write(1, 25)
  t.strictSame(faults, ['EISDIR'], 'it is reported once and tried again later')
  t.equal(text('coffer.log'), lines(1, 25))
  t.strictSame(readdirSync(folder).sort(), ['coffer.log', 'coffer.log.1'])
  const moved = `${folder}.moved`
  renameSync(folder, moved)
  t.teardown(() => rmSync(moved, { recursive: true }))
  log.reopen()
  write(26, 26)
  t.strictSame(faults, ['EISDIR', 'ENOENT'])
  t.equal(readFileSync(join(moved, 'coffer.log'), 'utf8'), lines(1, 26))
})

t.test('the target of a link is replaced, and a device never', async (t) => {
  const folder = t.testdir({ real: {} })
  const link = join(folder, 'link.log')
  symlinkSync(join(folder, 'real', 'a.log'), link)
  const linked = openLogFile(link, rotation, t.fail)
  const device = openLogFile('/dev/null', rotation, t.fail)
  for (let n = 1; n <= 15; n++) for (const log of [linked, device]) log.write(line(n))
  t.ok(lstatSync(link).isSymbolicLink())
  t.strictSame(readdirSync(join(folder, 'real')).sort(), ['a.log', 'a.log.1'])
  t.ok(lstatSync('/dev/null').isCharacterDevice())
})

t.test('the log can be written to /dev/stdout when it is a pipe', async (t) => {
  const script = `
    const { openLogFile } = await import(${JSON.stringify(new URL('./log-file.ts', import.meta.url).href)})
    const log = openLogFile('/dev/stdout', { maxSize: 10, keep: 1, maxAgeMs: 1 }, console.error)
    for (let n = 0; n < 5; n++) log.write('a line of text\\n')
    log.reopen()
    log.write('the end\\n')`
  // A shell pipe; Node itself connects its children by sockets, which cannot be opened.
  const piped = execFileSync(systemTool('sh'), [
    '-c',
    '"$0" --input-type=module -e "$1" | cat',
    process.execPath,
    script,
  ])
  t.equal(String(piped), `${'a line of text\n'.repeat(5)}the end\n`)
})

t.test('a log file without a maximum size is left to logrotate', async (t) => {
  const { folder, write } = open(t, { maxSize: Number.POSITIVE_INFINITY })
  write(1, 200)
  t.strictSame(readdirSync(folder), ['coffer.log'])
})

t.test('the log itself says that its file cannot be replaced', async (t) => {
  const target = join(t.testdir({ 'coffer.log.1': {} }), 'coffer.log')
  const log = createLog({ target, format: 'json', rotation: { ...rotation, keep: 1 } })
  for (let n = 0; n < 5; n++) log.info('a line of some length')
  t.match(readFileSync(target, 'utf8'), /"errno":"EISDIR","msg":"the log file cannot be replaced; [^"]+"/)
})
