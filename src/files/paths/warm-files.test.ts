import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mountSpelling } from '#src/testing/folding-disk.ts'
import { hasRemoteMounts } from './remote-mounts.ts'
import {
  callNow,
  isBeingWritten,
  isOpenAndBeingWritten,
  isWarm,
  isWarmFolder,
  isWarmName,
  noteFolder,
  noteRead,
  noteWritten,
  smallFileBytes,
} from './warm-files.ts'

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
  t.ok(isWarmName(real))
  t.ok(isWarm(real, stats))
  t.notOk(isWarm(file('b').real, stats), 'another name')
  writeFileSync(real, 'next')
  t.notOk(isWarm(real, { ...file('a').stats, mtimeMs: stats.mtimeMs + 1 }), 'another state')
  const large = file('large')
  noteRead(large.real, large.stats)
  t.notOk(isWarmName(large.real))
})

t.test('the list of warm files is bounded: the oldest are forgotten', async (t) => {
  const { real, stats } = filesIn(t, { a: 'text' })('a')
  for (let n = 0; n <= 4096; n++) noteRead(`${real} ${n}`, stats)
  t.notOk(isWarmName(`${real} 0`))
  t.ok(isWarmName(`${real} 4096`))
  const whole = { ...stats, size: smallFileBytes } as typeof stats
  for (let n = 0; n <= 1024; n++) noteRead(`${real} whole ${n}`, whole)
  t.notOk(isWarmName(`${real} whole 0`), '64 MiB of content')
  t.ok(isWarmName(`${real} whole 1024`))
})

t.test(
  'a folder is being written after a file was created in it, and not because it was opened',
  async (t) => {
    const folder = t.testdir({})
    noteFolder(folder)
    t.ok(isWarmFolder(folder))
    t.notOk(isBeingWritten(folder))
    noteWritten(folder)
    t.equal(isBeingWritten(folder), !hasRemoteMounts())
    for (let n = 0; n < 4096; n++) noteWritten(`${folder}/${n}`)
    t.notOk(isBeingWritten(folder), 'the oldest are forgotten')
  },
)

t.test(
  'beside a network disk, only calls through an open folder on a local disk are made at once',
  async (t) => {
    const far = mountSpelling(t, 'forms', { folder: {} })
    if (far === undefined) return
    const [local, remote] = [t.testdir({}), join(far, 'folder')]
    for (const real of [local, remote]) {
      noteWritten(real)
      t.notOk(isBeingWritten(real), 'a name may lead to the network disk')
    }
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
    t.ok(isWarmName(real))
    noteWritten('/folder')
    callNow(() => {
      for (const end = performance.now() + 11; performance.now() < end; );
    })
    t.notOk(isWarmName(real))
    t.notOk(isBeingWritten('/folder'))
  },
)
