import { mkdir, rename, rm, rmdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '#src/core/log/log.ts'
import { openHostFolder, openPath } from '#src/files/jail/jail.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { until } from '#src/testing/wire.ts'
import { createFolderWatches, type WatchReport } from './folder-watches.ts'

/** Watches folders of the tree. `reports` are those of `collect` so far. */
async function open(t: Test, limits = { each: 10, all: 10 }) {
  const root = t.testdir({ a: {}, b: {}, c: {}, d: {} })
  const jail = await openHostFolder(root, { allows: () => true, secret: [] })
  const reports: WatchReport[] = []
  const log = createLog({ target: '', format: 'text' })
  const onActivity = () => void watches.collect().then((report) => reports.push(report))
  const watches = createFolderWatches({ limits, log, onActivity })
  t.teardown(() => watches.close())
  const watch = async (owner: string, path: string) => {
    await using held = await openPath(jail, path as UserPath)
    return watches.watch(owner, held)
  }
  const real = (path: string) => join(jail.root, path)
  return { watches, watch, real, reports }
}

t.test('a folder has one watch for all its users, which ends with the last of them', async (t) => {
  const { watches, watch, real, reports } = await open(t)
  const [one, other] = [await watch('ann', '/a'), await watch('bob', '/a')]
  t.equal(watches.size, 1)
  one?.[Symbol.dispose]()
  await writeFile(real('a/x'), '')
  await until(() => reports.some(({ changed }) => changed.get(real('a'))?.has('x')))
  t.ok(other?.isActive)
  other?.[Symbol.dispose]()
  t.equal(watches.size, 0)
})

t.test('no user watches more folders than the limit of one, nor all together more than theirs', async (t) => {
  const { watches, watch } = await open(t, { each: 2, all: 3 })
  const first = await watch('ann', '/a')
  t.ok(first && (await watch('ann', '/b')))
  t.notOk(await watch('ann', '/c'))
  t.ok(await watch('bob', '/c'))
  t.notOk(await watch('bob', '/d'), 'three folders are watched')
  t.ok(await watch('bob', '/b'), 'one that is watched already')
  t.equal(watches.size, 3)
  first?.[Symbol.dispose]()
  t.ok(await watch('ann', '/d'))
})

for (const [how, replace] of [
  ['deleted', (path: string) => rmdir(path)],
  ['moved', (path: string) => rename(path, `${path}-elsewhere`)],
  [
    'deleted and created again',
    async (path: string) => {
      await rmdir(path)
      await mkdir(path)
    },
  ],
  [
    'replaced by a link',
    async (path: string) => {
      await rename(path, `${path}-elsewhere`)
      await symlink(`${path}-elsewhere`, path)
    },
  ],
] as const) {
  t.test(`the watch of a folder ends when it is ${how}`, async (t) => {
    const { watches, watch, real, reports } = await open(t)
    const held = await watch('ann', '/a')
    await replace(real('a'))
    await until(() => reports.some(({ ended }) => ended.includes(real('a'))))
    t.notOk(held?.isActive)
    t.equal(watches.size, 0)
    held?.[Symbol.dispose]()
    t.equal(watches.size, 0)
  })
}

t.test('a change that the system has not reported is noticed by the time of the folder', async (t) => {
  const { watches, watch, real } = await open(t)
  // As if the folder had been changed after the last report.
  const later = new Date(Date.now() + 60_000)
  await utimes(real('a'), later, later)
  await watch('ann', '/a')
  await watch('ann', '/b')
  t.strictSame([...(await watches.check()).changed], [[real('a'), undefined]])
  t.strictSame((await watches.check()).changed.size, 0, 'reported once')
})

t.test('a folder below one that was moved is no longer watched after the next check', async (t) => {
  const { watches, watch, real } = await open(t)
  await mkdir(real('a/deep'))
  await watch('ann', '/a/deep')
  await rename(real('a'), real('z'))
  t.strictSame((await watches.check()).ended, [real('a/deep')])
  await rm(real('z'), { recursive: true })
})
