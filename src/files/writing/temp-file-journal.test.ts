import { spawnSync } from 'node:child_process'
import { mkdir, open, readdir, readFile, stat, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { temporaryName } from '#src/files/paths/user-path.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { openJournal } from './note-journal.ts'
import { openTempFileJournal } from './temp-file-journal.ts'

t.test('the next start removes only the temporary files that a crash left behind', async (t) => {
  const base = t.testdir({ place: { 'mine.txt': 'x' }, 'other place\n': { 'f.txt': '' } })
  const notes = join(base, 'state', 'parts')
  const parts = await openTempFileJournal(notes)
  const [file, folder, finished] = [temporaryName(), temporaryName(), temporaryName()]
  await parts.begin(join(base, 'place'), file)
  await writeFile(join(base, 'place', file), 'half')
  await parts.begin(join(base, 'other place\n'), folder)
  await mkdir(join(base, 'other place\n', folder, 'deep'), { recursive: true })
  const done = await parts.begin(join(base, 'place'), finished)
  await done.end()
  await openTempFileJournal(notes)
  t.strictSame(await readdir(join(base, 'place')), ['mine.txt'])
  t.strictSame(await readdir(join(base, 'other place\n')), ['f.txt'])
  t.strictSame(await readdir(notes), ['journal'])
})

t.test('only the owner of the process can read the notes', async (t) => {
  const notes = join(t.testdir(), 'parts')
  const parts = await openTempFileJournal(notes)
  await parts.begin('/srv/files', temporaryName())
  t.equal((await stat(notes)).mode & 0o777, 0o700)
  t.equal((await stat(join(notes, 'journal'))).mode & 0o777, 0o600)
})

t.test('the journal has a fixed size, and notes that find no free slot are separate files', async (t) => {
  const base = t.testdir({ place: {} })
  const [notes, place] = [join(base, 'parts'), join(base, 'place')]
  const parts = await openTempFileJournal(notes)
  const { size } = await stat(join(notes, 'journal'))
  const names = Array.from({ length: 100 }, temporaryName)
  const started = await Promise.all(names.map((name) => parts.begin(place, name)))
  t.equal((await stat(join(notes, 'journal'))).size, size)
  t.equal((await readdir(notes)).length, 1 + 36, 'notes without a slot are files')
  for (const name of names) await writeFile(join(place, name), 'half')
  for (const part of started.slice(0, 50)) await part.end()
  await parts.begin(place, temporaryName())
  t.equal((await readdir(notes)).length, 1 + 36, 'a free slot is used again')
  await openTempFileJournal(notes)
  t.equal((await readdir(place)).length, 50, 'finished files are not removed')
  t.strictSame(await readdir(notes), ['journal'])
})

t.test('a note with a wrong checksum is ignored', async (t) => {
  const base = t.testdir({ place: {} })
  const [notes, place] = [join(base, 'parts'), join(base, 'place')]
  const parts = await openTempFileJournal(notes)
  const [torn, whole] = [temporaryName(), temporaryName()]
  await parts.begin(place, torn)
  await parts.begin(place, whole)
  for (const name of [torn, whole]) await writeFile(join(place, name), 'half')
  const journal = await readFile(join(notes, 'journal'))
  const at = journal.indexOf(torn)
  t.ok(at > 0)
  journal.fill(0, at + 20, at + 30)
  await writeFile(join(notes, 'journal'), journal)
  await openTempFileJournal(notes)
  t.strictSame(await readdir(place), [torn])
})

t.test('replaces a journal that is damaged or too short', async (t) => {
  for (const content of ['', 'x'.repeat(100_000), '\0'.repeat(1_000_000)]) {
    const base = t.testdir({ place: { 'mine.txt': '' }, parts: { journal: content } })
    const [notes, place] = [join(base, 'parts'), join(base, 'place')]
    const parts = await openTempFileJournal(notes)
    const name = temporaryName()
    await parts.begin(place, name)
    await writeFile(join(place, name), 'half')
    await openTempFileJournal(notes)
    t.strictSame(await readdir(place), ['mine.txt'])
  }
})

t.test('ending a temporary file after the journal was closed writes to no other file', async (t) => {
  const base = t.testdir({ 'other.txt': 'x'.repeat(100) })
  const parts = await openTempFileJournal(join(base, 'parts'))
  const part = await parts.begin(base, temporaryName())
  await parts.close()
  const other = await open(join(base, 'other.txt'), 'r+')
  await part.end()
  t.equal(await readFile(join(base, 'other.txt'), 'utf8'), 'x'.repeat(100))
  await other.close()
})

t.test('the start succeeds with invalid notes and notes about missing folders', async (t) => {
  const base = t.testdir({ parts: { 'not-ours': '/etc', empty: '' }, file: '' })
  const notes = join(base, 'parts')
  for (const place of [join(base, 'gone'), join(base, 'file'), '', 'x'.repeat(5000), '\0']) {
    await writeFile(join(notes, temporaryName()), place)
  }
  await openTempFileJournal(notes)
  await openTempFileJournal(notes)
  t.notOk((await readdir(notes)).includes('not-ours'))
})

t.test('a temporary file that cannot be removed keeps its note for the next start', async (t) => {
  const base = t.testdir({ parts: {} })
  const [notes, loop] = [join(base, 'parts'), join(base, 'loop')]
  const [former, name] = [temporaryName(), temporaryName()]
  await symlink('loop', loop)
  await writeFile(join(notes, former), loop)
  await (await openTempFileJournal(notes)).begin(loop, name)
  await openTempFileJournal(notes)
  t.strictSame((await readdir(notes)).sort(), [former, 'journal'])
  await unlink(loop)
  await mkdir(loop)
  for (const left of [former, name]) await writeFile(join(loop, left), 'half')
  await openTempFileJournal(notes)
  t.strictSame(await readdir(loop), [])
})

t.test('a forged note can only remove a file with a temporary name', async (t) => {
  const base = t.testdir({ parts: { victim: '' }, place: { victim: 'precious' } })
  await writeFile(join(base, 'parts', 'victim'), join(base, 'place'))
  await openTempFileJournal(join(base, 'parts'))
  t.strictSame(await readdir(join(base, 'place')), ['victim'])
})

t.test('ending a temporary file twice has the effect of ending it once', async (t) => {
  const parts = await openTempFileJournal(t.testdir())
  const part = await parts.begin('/srv', temporaryName())
  await part.end()
  await part.end()
})

t.test(
  'the note of a file that got its name is overwritten by the next note, or cleared at the end',
  async (t) => {
    const base = t.testdir({ place: {} })
    const [notes, place] = [join(base, 'parts'), join(base, 'place')]
    const parts = await openTempFileJournal(notes)
    const names = Array.from({ length: 65 }, temporaryName)
    for (const name of names) (await parts.begin(place, name)).endLater()
    const open = await parts.begin(place, temporaryName())
    t.strictSame(await readdir(notes), ['journal'], 'the slots are free at once')
    await parts.close()
    const journal = await readFile(join(notes, 'journal'))
    t.ok(journal.includes(open.name), 'a file in use keeps its note')
    const found = await openJournal(join(notes, 'journal'))
    t.strictSame(
      found?.found.map(({ name }) => name),
      [open.name],
    )
    await found?.close()
  },
)

const strace = systemTool('strace')
const skip = spawnSync(strace, ['-V']).error !== undefined && 'strace is not installed'

t.test('the note of a file that is written in less than a second is not flushed', { skip }, async (t) => {
  t.equal(flushesOf(t, "const part = await parts.beginNow('/srv', name); part.endLater()"), 0)
  t.equal(flushesOf(t, "await parts.beginNow('/srv', name)"), 1)
  t.equal(flushesOf(t, "await parts.begin('/srv', name)"), 1)
})

/** Runs `work` with a journal that exists, and waits until late flushes have ended. Returns the number of flushes. */
function flushesOf(t: Test, work: string): number {
  const folder = t.testdir()
  const script = `
    import { openTempFileJournal } from '#src/files/writing/temp-file-journal.ts'
    const name = '${temporaryName()}'
    const open = () => openTempFileJournal(${JSON.stringify(folder)})
    await (await open()).close()
    const parts = await open()
    console.error('the journal is open')
    ${work}
    setTimeout(() => {}, 1500)`
  const node = ['--import', './scripts/test-hooks.mjs', '--input-type=module', '-e', script]
  const args = ['-f', '-e', 'trace=fdatasync,write', process.execPath, ...node]
  const { stderr } = spawnSync(strace, args, { encoding: 'utf8' })
  t.match(stderr, 'the journal is open')
  const after = stderr.slice(stderr.indexOf('the journal is open'))
  return after.match(/fdatasync\(/g)?.length ?? 0
}
