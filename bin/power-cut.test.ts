// Tests the model of a disk that `npm run faults` uses for power cuts, with short records, and with one of a real server.
import t from 'tap'
import { find } from '../scripts/bench/run.ts'
import { checkRecording, type Strictness } from '../scripts/faults/power-cut/check.ts'
import { recordServer } from '../scripts/faults/power-cut/record.ts'
import type { Value } from '../scripts/faults/power-cut/recording.ts'
import { changeEverything } from '../scripts/faults/power-cut/work.ts'

const strict: Strictness = { order: 'alone', keepsOld: false }
const journal: Strictness = { order: 'in order', keepsOld: true }

const database = [
  'openat(AT_FDCWD, "/top/state/db-wal", O_RDWR|O_CREAT, 0600) = 5</top/state/db-wal>',
  'write(5</top/state/db-wal>, "put /a.txt, put /b.txt", 22) = 22',
  'fsync(5</top/state/db-wal>) = 0',
]
const openFolder = 'openat(AT_FDCWD, "/top/root", O_RDONLY) = 9</top/root>'
const openFile = 'openat(AT_FDCWD, "/proc/self/fd/9/part", O_WRONLY|O_CREAT, 0600) = 7</top/root/part>'
const writeFile = 'pwrite64(7</top/root/part>, "hello", 5, 0) = 5'
const flushFile = 'fdatasync(7</top/root/part>) = 0'
const rename = 'rename("/proc/self/fd/9/part", "/proc/self/fd/9/a.txt") = 0'
const flushFolder = 'fsync(9</top/root>) = 0'
const answer = (id: string) =>
  `write(8<socket:[1]>, "HTTP/1.1 200 OK\\r\\nx-request-id: ${id}\\r\\n"..., 99) = 99`
const upload = [...database, openFolder, openFile, writeFile, flushFile, rename, flushFolder, answer('one')]
const without = (...left: string[]) => upload.filter((line) => !left.includes(line))
const hello = Buffer.from('hello')

/** Checks a record in which the request `one`, and then `two`, change these paths. */
function lossesIn(
  lines: readonly string[],
  how = strict,
  changes: readonly Record<string, Value>[] = [{ '/a.txt': hello }],
): readonly string[] {
  const record = lines.map((line) => (/^\d/.test(line) ? line : `77 ${line}`)).join('\n')
  const exchanges = changes.map((each, index) => ({
    what: `request ${index}`,
    changes: each,
    answersBefore: index,
    id: ['one', 'two'][index] ?? '',
  }))
  const folders = ['root', 'state', 'kept']
  return checkRecording({ record, top: '/top', folders, root: 'root', exchanges }, how).losses
}

t.test('an upload that is flushed before its answer loses nothing', async (t) => {
  t.same(lossesIn(upload), [])
  t.same(lossesIn(upload, journal), [])
})

t.test('a file whose writes flush what they write needs no flush of its own', async (t) => {
  const flushing = openFile.replace('O_CREAT', 'O_CREAT|O_DSYNC')
  const lines = without(flushFile).map((line) => (line === openFile ? flushing : line))
  t.same(lossesIn(lines), [])
  t.same(lossesIn(lines, journal), [])
})

const upTo = (line: string) => [...upload.slice(0, upload.indexOf(line)), answer('one')]

for (const [what, lines, loss] of [
  ['content is not flushed', without(flushFile), /a\.txt is a file of 0 flushed bytes, of 5/],
  ['name is not flushed', without(flushFolder), /a\.txt is absent, not a file of 5 bytes/],
  ['name is flushed after the answer', [...without(flushFolder), flushFolder], /a\.txt is absent/],
  ['file is not renamed', upTo(rename), /a\.txt is absent/],
  [
    'file is flushed before it is written',
    [...upTo(writeFile).slice(0, -1), flushFile, writeFile, rename, flushFolder, answer('one')],
    /0 flushed bytes/,
  ],
  [
    'step is not in the log of the database',
    upload.slice(3),
    /comes before the record of the step for \/a\.txt/,
  ],
  [
    'step is in the log, but not flushed',
    without(...database.slice(2)),
    /comes before the record of the step/,
  ],
  ['answer is not in the record', without(answer('one')), /no answer to request 0/],
  [
    'content differs',
    upload.map((line) => line.replace('"hello"', '"jello"')),
    /a\.txt is a file of 5 flushed bytes, of 5, not/,
  ],
] as const) {
  t.test(`reports a loss when the ${what}`, async (t) => t.match(lossesIn(lines).join('\n'), loss))
}

t.test('a write that ends during a flush is not part of it', async (t) => {
  const [start, end] = ['78 fdatasync(7</top/root/part> <unfinished ...>', '78 <... fdatasync resumed>) = 0']
  const rest = [rename, flushFolder, answer('one')]
  const before = [...database, openFolder, openFile]
  t.same(lossesIn([...before, writeFile, start, end, ...rest]), [])
  t.match(lossesIn([...before, start, writeFile, end, ...rest]).join(), /0 flushed bytes/)
})

const toTrash = [
  'rename("/top/root/a.txt", "/top/kept/one") = 0',
  flushFolder,
  'openat(AT_FDCWD, "/top/kept", O_RDONLY) = 4</top/kept>',
  'fsync(4</top/kept>) = 0',
  answer('two'),
]
const deletion = [{ '/a.txt': hello }, { '/a.txt': 'absent' }] as const
const planAgain = database.slice(1)

t.test('a deleted file stays in the trash where names are written in order', async (t) => {
  t.same(lossesIn([...upload, ...planAgain, ...toTrash], journal, deletion), [])
  const all = { order: 'alone', keepsOld: true } as const
  t.match(lossesIn([...upload, ...planAgain, ...toTrash], all, deletion).join(), /has no name any more/)
})

t.test('a move flushes the new name before the old one', async (t) => {
  const move = [
    ...planAgain,
    'mkdir("/top/root/sub", 0700) = 0',
    flushFolder,
    'openat(AT_FDCWD, "/top/root/sub", O_RDONLY) = 4</top/root/sub>',
    'rename("/proc/self/fd/9/a.txt", "/proc/self/fd/4/b.txt") = 0',
  ]
  const changes = [{ '/a.txt': hello }, { '/a.txt': 'absent', '/sub/b.txt': hello }] as const
  const flushNew = 'fsync(4</top/root/sub>) = 0'
  const plan = 'write(5</top/state/db-wal>, "/a.txt /sub/b.txt", 17) = 17'
  const start = [...upload, plan, ...move]
  t.same(lossesIn([...start, flushNew, flushFolder, answer('two')], strict, changes), [])
  const losses = lossesIn([...start, flushFolder, flushNew, answer('two')], strict, changes)
  t.match(losses.join(), /the content of \/a\.txt after request 0 has no name any more/)
})

const strace = await find('strace')
const skip = strace === undefined && 'strace is not installed'

t.test('a server under strace loses nothing in a power cut', { skip }, async (t) => {
  const recording = await recordServer(strace ?? '', t.testdir(), (client) =>
    changeEverything(client, { isShort: true }),
  )
  for (const how of [strict, journal]) {
    const { answers, losses } = checkRecording(recording, how)
    t.equal(answers, recording.exchanges.length)
    t.same(losses, [])
  }
  const unflushed = recording.record.replace(/^\d+ +(fsync|fdatasync|syncfs)\(.*$/gm, '')
  t.not(checkRecording({ ...recording, record: unflushed }, journal).losses.length, 0)
})
