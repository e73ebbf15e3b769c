import { mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openParts } from './parts.ts'
import { temporaryName } from './temporary.ts'

t.test('what a crash left half-written is removed at the next start, and nothing else is', async (t) => {
  const base = t.testdir({ place: { 'mine.txt': 'x' }, 'other place\n': { 'f.txt': '' } })
  const notes = join(base, 'state', 'parts')
  const parts = await openParts(notes)
  const [file, folder, finished] = [temporaryName(), temporaryName(), temporaryName()]
  await parts.begin(join(base, 'place'), file)
  await writeFile(join(base, 'place', file), 'half')
  await parts.begin(join(base, 'other place\n'), folder)
  await mkdir(join(base, 'other place\n', folder, 'deep'), { recursive: true })
  const done = await parts.begin(join(base, 'place'), finished)
  await done.end()
  await openParts(notes)
  t.strictSame(await readdir(join(base, 'place')), ['mine.txt'])
  t.strictSame(await readdir(join(base, 'other place\n')), ['f.txt'])
  t.strictSame(await readdir(notes), [])
})

t.test('notes are private', async (t) => {
  const notes = join(t.testdir(), 'parts')
  const parts = await openParts(notes)
  const name = temporaryName()
  await parts.begin('/srv/files', name)
  t.equal((await stat(notes)).mode & 0o777, 0o700)
  t.equal((await stat(join(notes, name))).mode & 0o777, 0o600)
})

t.test('a note about a place that is gone, or about nothing, stops no start', async (t) => {
  const base = t.testdir({ parts: { 'not-ours': '/etc', empty: '' }, file: '' })
  const notes = join(base, 'parts')
  for (const place of [join(base, 'gone'), join(base, 'file'), '', 'x'.repeat(5000), '\0']) {
    await writeFile(join(notes, temporaryName()), place)
  }
  await openParts(notes)
  await openParts(notes)
  t.notOk((await readdir(notes)).includes('not-ours'))
})

t.test('a part that cannot be removed now keeps its note for the next start', async (t) => {
  const base = t.testdir({ parts: {} })
  const name = temporaryName()
  await symlink('loop', join(base, 'loop'))
  await writeFile(join(base, 'parts', name), join(base, 'loop'))
  await openParts(join(base, 'parts'))
  t.strictSame(await readdir(join(base, 'parts')), [name])
})

t.test('a note that somebody forged can only remove what has a temporary name', async (t) => {
  const base = t.testdir({ parts: { victim: '' }, place: { victim: 'precious' } })
  await writeFile(join(base, 'parts', 'victim'), join(base, 'place'))
  await openParts(join(base, 'parts'))
  t.strictSame(await readdir(join(base, 'place')), ['victim'])
})

t.test('ending a part twice is ending it once', async (t) => {
  const parts = await openParts(t.testdir())
  const part = await parts.begin('/srv', temporaryName())
  await part.end()
  await part.end()
})

t.test('a state folder that cannot be written refuses the upload before it begins', async (t) => {
  const base = t.testdir()
  const parts = await openParts(join(base, 'parts'))
  const name = temporaryName()
  await mkdir(join(base, 'parts', name))
  await t.rejects(parts.begin('/srv', name), { code: 'path.exists', message: 'the state folder exists' })
})
