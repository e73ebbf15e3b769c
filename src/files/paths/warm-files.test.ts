import { statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { mountSpelling } from '#src/testing/folding-disk.ts'
import {
  callNow,
  isOpenAndBeingWritten,
  isWarm,
  noteRead,
  noteWritten,
  smallFileBytes,
} from './local-calls.ts'

function filesIn(t: Test, content: Record<string, string>) {
  const folder = t.testdir(content)
  return (name: string) => {
    const real = join(folder, name)
    return { real, stats: statSync(real) }
  }
}

t.test('only a small file that was read just now is warm, and only in the state that was read', async (t) => {
  const file = filesIn(t, { a: 'text', b: 'text', large: 'x'.repeat(smallFileBytes + 1) })
  const { real, stats } = file('a')
  t.notOk(isWarm(real, stats))
  noteRead(real, stats)
  t.ok(isWarm(real, stats))
  t.notOk(isWarm(file('b').real, stats), 'another name')
  writeFileSync(real, 'next')
  t.notOk(isWarm(real, { ...file('a').stats, mtimeMs: stats.mtimeMs + 1 }), 'another state')
  const large = file('large')
  noteRead(large.real, large.stats)
  t.notOk(isWarm(large.real, large.stats))
})

t.test('the list of warm files is bounded: the oldest are forgotten', async (t) => {
  const { real, stats } = filesIn(t, { a: 'text' })('a')
  for (let n = 0; n <= 4096; n++) noteRead(`${real} ${n}`, stats)
  t.notOk(isWarm(`${real} 0`, stats))
  t.ok(isWarm(`${real} 4096`, stats))
  const whole = { ...stats, size: smallFileBytes } as typeof stats
  for (let n = 0; n <= 1024; n++) noteRead(`${real} whole ${n}`, whole)
  t.notOk(isWarm(`${real} whole 0`, whole), '64 MiB of content')
  t.ok(isWarm(`${real} whole 1024`, whole))
})

t.test('a folder is being written after a file was created in it', async (t) => {
  const folder = t.testdir({})
  const held = { real: folder, stats: statSync(folder) }
  t.notOk(isOpenAndBeingWritten(held))
  noteWritten(folder)
  t.ok(isOpenAndBeingWritten(held))
  for (let n = 0; n < 4096; n++) noteWritten(`${folder}/${n}`)
  t.notOk(isOpenAndBeingWritten(held), 'the oldest are forgotten')
})

t.test(
  'beside a network disk, only calls through an open folder on a local disk are made at once',
  async (t) => {
    const far = mountSpelling(t, 'forms', { folder: {} })
    if (far === undefined) return
    const [local, remote] = [t.testdir({}), join(far, 'folder')]
    for (const real of [local, remote]) noteWritten(real)
    t.ok(isOpenAndBeingWritten({ real: local, stats: statSync(local) }))
    t.notOk(isOpenAndBeingWritten({ real: remote, stats: statSync(remote) }))
  },
)

t.test(
  'after a call that was slow, no file is warm for a second, so that a slow disk does not stop the server',
  async (t) => {
    const { real, stats } = filesIn(t, { a: 'text' })('a')
    noteRead(real, stats)
    t.equal(
      callNow(() => 'quick'),
      'quick',
    )
    t.ok(isWarm(real, stats))
    const folder = dirname(real)
    noteWritten(folder)
    callNow(() => {
      for (const end = performance.now() + 11; performance.now() < end; );
    })
    t.notOk(isWarm(real, stats))
    t.notOk(isOpenAndBeingWritten({ real: folder, stats: statSync(folder) }))
  },
)
