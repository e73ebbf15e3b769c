import { lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unconditional } from '#src/core/problem.ts'
import { createLister } from '#src/entries/list.ts'
import { openJail } from '#src/files/jail/jail.ts'
import { rootPath } from '#src/files/paths/user-path.ts'
import { absentMode, beginStats, helpWithStats, type StatColumns, type StatTask } from './stat-names.ts'

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

function checkStats(t: Test, root: string, names: string[], actual: StatColumns): void {
  const wrong = names.filter((name, at) => {
    const stats = lstatSync(join(root, name), { throwIfNoEntry: false })
    if (!stats) return actual.modes[at] !== absentMode
    return (
      actual.modes[at] !== stats.mode || actual.sizes[at] !== stats.size || actual.times[at] !== stats.mtimeMs
    )
  })
  t.strictSame(wrong, [])
}

t.test('returns the stats of every name, with and without a helper thread', async (t) => {
  const { root, names } = fill(t)
  checkStats(t, root, names, beginStats(root, names).finish())
  checkStats(t, root, names, beginStats(root, names, helpWithStats).finish())
  const begun: StatTask[] = []
  checkStats(t, root, names, beginStats(root, names, (task) => begun.push(task)).finish())
  const [late] = begun
  t.ok(late, 'shares a task for many names')
  if (late) helpWithStats(late)
})

t.test('stats names again that another thread took but did not complete', async (t) => {
  const { root, names } = fill(t)
  const stats = beginStats(root, names, ({ shared }) => Atomics.add(new Int32Array(shared), 0, 1000)).finish()
  checkStats(t, root, names, stats)
})

t.test('does not share a task for a few names', async (t) => {
  const { root } = fill(t)
  beginStats(root, ['folder'], () => t.fail('shared')).finish()
})

t.test('lists large folders with two threads, without waiting for a helper that never starts', async (t) => {
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
  const listings = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      let first = ''
      const start = ({ items }: { items: Uint8Array }) => {
        first = Buffer.from(items).toString()
      }
      const { items, ...numbers } = await lister.list(task, { recheck: unconditional, start })
      return { ...numbers, first, items: JSON.parse(`[${first},${Buffer.from(items)}]`) }
    }),
  )
  for (const { items, first, numDirs, numFiles } of listings) {
    t.strictSame({ numDirs, numFiles }, { numDirs: 2, numFiles: many })
    t.strictSame([items.length, JSON.parse(`[${first}]`).length], [many + 2, 200])
    const { name, size } = items.at(-1)
    t.strictSame({ name, size }, { name: '4999 é.txt', size: 7 })
  }
  rmSync(root, { recursive: true })
  await t.rejects(lister.list(task, { recheck: unconditional, start: () => t.fail('begun') }), {
    code: 'ENOENT',
  })
})
