import { lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unconditional } from '#src/core/recheck.ts'
import { openJail } from '#src/files/jail/jail.ts'
import { rootPath } from '#src/files/paths/user-path.ts'
import { createLister } from './lister.ts'
import { absent, helpStat, type StatTask, statNames } from './stat-names.ts'

const many = 5000

function fill(t: Test) {
  const folder = realpathSync(t.testdir({ root: {} }))
  const root = join(folder, 'root')
  const names = Array.from({ length: many }, (_, at) => `${at} é.txt`)
  for (const name of names) writeFileSync(join(root, name), '')
  truncateSync(join(root, '4999 é.txt'), 7)
  mkdirSync(join(root, 'folder'))
  symlinkSync('folder', join(root, 'link'))
  return { root, names: [...names, 'folder', 'link', 'gone'] }
}

function isTold(t: Test, root: string, names: string[], told: ReturnType<typeof statNames>): void {
  const wrong = names.filter((name, at) => {
    const stats = lstatSync(join(root, name), { throwIfNoEntry: false })
    if (!stats) return told.modes[at] !== absent
    return told.modes[at] !== stats.mode || told.sizes[at] !== stats.size || told.times[at] !== stats.mtimeMs
  })
  t.strictSame(wrong, [])
}

t.test('of every name it is told what the disk says, whoever asks', async (t) => {
  const { root, names } = fill(t)
  isTold(t, root, names, statNames(root, names))
  isTold(t, root, names, statNames(root, names, helpStat))
  const begun: StatTask[] = []
  isTold(
    t,
    root,
    names,
    statNames(root, names, (task) => begun.push(task)),
  )
  const [late] = begun
  t.ok(late, 'many names are shared')
  if (late) helpStat(late)
})

t.test('what another thread took and never told is asked again', async (t) => {
  const { root, names } = fill(t)
  const told = statNames(root, names, ({ shared }) => Atomics.add(new Int32Array(shared), 0, 1000))
  isTold(t, root, names, told)
})

t.test('a few names are not shared', async (t) => {
  const { root } = fill(t)
  statNames(root, ['folder'], () => t.fail('shared'))
})

t.test('two threads list a large folder, and a third that is not there is not waited for', async (t) => {
  const { root } = fill(t)
  const lister = createLister()
  t.teardown(() => lister.close())
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [] })
  const sorting = { by: 'name', asc: false } as const
  const task = {
    address: root,
    real: root,
    root: jail.root,
    secret: [],
    path: '/',
    rules: [],
    hideDotfiles: false,
    sorting,
  }
  const listings = await Promise.all([1, 2, 3, 4].map(() => lister.list(task, { recheck: unconditional })))
  for (const { items, numDirs, numFiles } of listings) {
    t.strictSame({ numDirs, numFiles }, { numDirs: 2, numFiles: many })
    const { name, size } = JSON.parse(Buffer.from(items).toString()).at(-1)
    t.strictSame({ name, size }, { name: '4999 é.txt', size: 7 })
  }
  rmSync(root, { recursive: true })
  await t.rejects(lister.list(task, { recheck: unconditional }), { code: 'ENOENT' })
})
