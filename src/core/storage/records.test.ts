import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openRecords } from './records.ts'

interface Note {
  id: string
  text: string
}

function isNote(value: unknown): value is Note {
  const { id, text } = (value ?? {}) as Partial<Note>
  return typeof id === 'string' && typeof text === 'string'
}

t.test('a record is unchanged after a restart, and its file is private', async (t) => {
  const folder = join(t.testdir(), 'deep', 'notes')
  const notes = await openRecords(folder, isNote)
  t.strictSame(notes.all(), [])
  await notes.put({ id: 'a', text: 'first' })
  await notes.put({ id: 'a', text: 'ä\n"second' })
  await notes.put({ id: 'b', text: '' })
  t.equal((await stat(folder)).mode & 0o777, 0o700)
  t.equal((await stat(join(folder, 'a.json'))).mode & 0o777, 0o600)
  const again = await openRecords(folder, isNote)
  t.strictSame(again.get('a'), { id: 'a', text: 'ä\n"second' })
  t.strictSame(
    again
      .all()
      .map(({ id }) => id)
      .sort(),
    ['a', 'b'],
  )
  t.equal(again.get('c'), undefined)
})

t.test('a removed record is missing immediately and after a restart', async (t) => {
  const folder = t.testdir()
  const notes = await openRecords(folder, isNote)
  await notes.put({ id: 'a', text: '' })
  const removal = notes.remove('a')
  t.equal(notes.get('a'), undefined)
  t.equal(await removal, true)
  t.equal(await notes.remove('a'), false)
  t.strictSame(await readdir(folder), [])
})

t.test('drops invalid files at the start and keeps the valid records', async (t) => {
  const folder = t.testdir({
    'good.json': '{"id":"good","text":""}',
    'half.json': '{"id":"half","te',
    'empty.json': '',
    'other.json': '{"id":"good","text":"an impostor"}',
    'wrong.json': '{"id":7}',
    'null.json': 'null',
    'good.json.new': '{"id":"good","text":"never finished"}',
    'folder.json': { inside: '' },
  })
  const notes = await openRecords(folder, isNote)
  t.strictSame(notes.all(), [{ id: 'good', text: '' }])
  t.strictSame(await readdir(folder), ['good.json'])
})

t.test('concurrent puts are all written, and the last one of each record wins', async (t) => {
  const folder = t.testdir()
  const notes = await openRecords(folder, isNote)
  const puts = Array.from({ length: 60 }, (_, n) => notes.put({ id: `n${n % 3}`, text: String(n).repeat(n) }))
  await Promise.all(puts)
  const again = await openRecords(folder, isNote)
  for (const n of [57, 58, 59]) t.strictSame(again.get(`n${n % 3}`)?.text, String(n).repeat(n))
  t.strictSame((await readdir(folder)).sort(), ['n0.json', 'n1.json', 'n2.json'])
})

t.test('a record that is removed during a write stays removed', async (t) => {
  const folder = t.testdir()
  const notes = await openRecords(folder, isNote)
  for (let round = 0; round < 20; round++) {
    const put = notes.put({ id: 'a', text: 'x'.repeat(100_000) })
    const removed = notes.remove('a')
    t.equal(await removed, true)
    t.strictSame(await readdir(folder), [], 'after remove returns, no crash restores the record')
    await put
    t.strictSame(await readdir(folder), [])
  }
})

t.test('a failed put changes nothing', async (t) => {
  const folder = t.testdir()
  const notes = await openRecords(folder, isNote)
  await notes.put({ id: 'a', text: 'old' })
  await mkdir(join(folder, 'a.json.new'))
  await mkdir(join(folder, 'b.json.new'))
  await t.rejects(notes.put({ id: 'a', text: 'new' }), { code: 'EISDIR' })
  await t.rejects(notes.put({ id: 'b', text: 'new' }), { code: 'EISDIR' })
  t.strictSame(notes.all(), [{ id: 'a', text: 'old' }])
  t.match(await readFile(join(folder, 'a.json'), 'utf8'), 'old')
})

t.test('refuses a record that could not be read again, and keeps the previous one', async (t) => {
  const folder = join(t.testdir(), 'a', 'notes')
  const isTimed = (value: unknown): value is { id: string; at: number } =>
    typeof (value as { id?: unknown }).id === 'string' && Number.isFinite((value as { at?: unknown }).at)
  const notes = await openRecords(folder, isTimed)
  await notes.put({ id: 'a', at: 1 })
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, undefined, '7'] as number[]) {
    await t.rejects(notes.put({ id: 'a', at }), { code: 'request.invalid' }, String(at))
  }
  for (const id of ['', '../b', 'b/c', '.', 'x'.repeat(65), 'b\u0000']) {
    await t.rejects(notes.put({ id, at: 1 }), { code: 'request.invalid' }, id)
  }
  t.strictSame(notes.all(), [{ id: 'a', at: 1 }])
  t.strictSame((await openRecords(folder, isTimed)).all(), [{ id: 'a', at: 1 }])
  t.strictSame(await readdir(join(folder, '..', '..')), ['a'])
})

t.test('unknown files in the folder do not stop the start', async (t) => {
  const folder = t.testdir()
  await writeFile(join(folder, Buffer.from([0x66, 0xff]).toString('latin1')), 'x')
  t.strictSame((await openRecords(folder, isNote)).all(), [])
})

t.test('keep leaves a record in memory when the disk cannot store it', async (t) => {
  const folder = t.testdir()
  const notes = await openRecords(folder, isNote)
  await mkdir(join(folder, 'a.json.new'))
  t.equal(await notes.keep({ id: 'a', text: 'kept' }), 'EISDIR')
  t.strictSame(notes.get('a'), { id: 'a', text: 'kept' })
  await rmdir(join(folder, 'a.json.new'))
  t.equal(await notes.keep({ id: 'a', text: 'kept' }), undefined)
  t.strictSame((await openRecords(folder, isNote)).all(), [{ id: 'a', text: 'kept' }])
  t.equal(await notes.remove('a'), true)
  t.strictSame((await openRecords(folder, isNote)).all(), [])
})
