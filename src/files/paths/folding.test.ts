// Needs a process of its own: it is about what the process knows of disks.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { openJail, openPath } from '#src/files/jail/jail.ts'
import { newNameIn } from '#src/files/jail/locate.ts'
import { mountFolding, mountSpelling } from '#src/testing/folding-disk.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { until } from '#src/testing/wire.ts'
import { type DiskTask, runTask, runTaskSync } from './ask-disk.ts'
import { cachedFolding, cacheFolding, foldingIn, foldsSync, isPlain, maxCachedChars } from './folding.ts'
import { mountsVersion } from './remote-mounts.ts'
import { spell } from './true-name.ts'
import { normalizePath, rootPath } from './user-path.ts'

const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })

/** Counts the questions that a task asks the disk. */
function questionsOf(work: DiskTask<unknown>): number {
  let count = 0
  const counted = function* (): DiskTask<unknown> {
    let step = work.next()
    while (!step.done) {
      count++
      step = work.next(yield step.value)
    }
    return step.value
  }
  runTaskSync(counted())
  return count
}

t.test('queries a case-sensitive disk once a minute for each folder, and never for a file', async (t) => {
  const folder = t.testdir({ deep: { er: { 'a.txt': '', 'B.txt': '' } }, both: { a: '', A: '' } })
  const deep = join(folder, 'deep', 'er')
  t.ok(questionsOf(foldingIn(deep)) > 0)
  t.match(cachedFolding(deep), { own: false, any: false, isSure: true })
  t.equal(questionsOf(foldingIn(deep)), 0)
  t.equal(foldsSync(deep), false)
  t.strictSame(await spell(folder, normalizePath('/deep/er/A.TXT').path), {
    path: '/deep/er/A.TXT',
    folds: false,
  })
  t.match(await runTask(foldingIn(join(folder, 'both'))), { own: false, any: false }, 'both spellings exist')
})

t.test('a result that was found before a disk was mounted is not used afterwards', async (t) => {
  const folder = t.testdir({ 'a.txt': '' })
  const before = mountsVersion()
  const work = foldingIn(folder)
  let step = work.next()
  if (mountFolding(t, 'ntfs') === undefined) return
  await until(() => mountsVersion() !== before)
  while (!step.done) step = work.next(step.value[0] === 'some' ? ['a.txt'] : [])
  t.equal(cachedFolding(folder), undefined)
  t.match(await runTask(foldingIn(folder)), { any: false })
  t.match(cachedFolding(folder), { any: false })
})

t.test('uses an unsure result only for names without another spelling', async (t) => {
  const folder = t.testdir({ empty: {}, numbers: { 1: '', 2: '' } })
  for (const name of ['empty', 'numbers']) {
    const place = join(folder, name)
    t.match(await runTask(foldingIn(place)), { own: false, any: false, isSure: false }, name)
    t.equal(cachedFolding(place), undefined, name)
    t.ok(isPlain(place, '2024-11-22'), name)
    t.notOk(isPlain(place, 'Docs'), name)
  }
})

t.test('names that appear in an empty folder show at once that the disk ignores case', async (t) => {
  const disk = mountFolding(t, 'ntfs')
  if (disk === undefined) return
  t.match(await runTask(foldingIn(disk)), { own: false })
  mkdirSync(join(disk, 'home'))
  const jail = await openJail(disk, normalizePath('/HOME').path, { allows: () => true, secret: [] })
  t.equal(jail.root, join(disk, 'home'))
})

t.test('the cache of results has a size limit', async (t) => {
  const plain = { own: false, any: false, isSure: true }
  cacheFolding('/first', plain, mountsVersion())
  const long = 'x'.repeat(4000)
  for (let n = 0; n * long.length <= maxCachedChars; n++) cacheFolding(`/${long}${n}`, plain, mountsVersion())
  t.equal(cachedFolding('/first'), undefined)
  t.match(cachedFolding(`/${long}1`), undefined)
  cacheFolding('/last', plain, mountsVersion())
  t.match(cachedFolding('/last'), plain)
})

t.test('detects a disk that is mounted below or over a folder', async (t) => {
  const disk = mountFolding(t, 'exfat')
  if (disk === undefined) return
  mkdirSync(join(disk, 'Photos'))
  const folder = t.testdir({ ordinary: { 'a.txt': '' } })
  const place = join(folder, 'ordinary')
  t.match(await runTask(foldingIn(place)), { own: false, any: false })
  spawnSync(systemTool('mount'), ['--bind', disk, place])
  try {
    t.ok(await until(async () => (await runTask(foldingIn(place))).own))
    // The table of mounts may be 100 ms old.
    await until(async () => (await runTask(foldingIn(join(place, 'Photos')))).isSure)
    t.match(
      await runTask(foldingIn(join(place, 'Photos'))),
      { own: true, any: true, isSure: true },
      'an empty folder too',
    )
    t.match(await runTask(foldingIn(folder)), { own: false, any: false }, 'the folder above is unchanged')
    const rest = { allows: compileRules([deny('/ordinary/PHOTOS')]), secret: [] }
    const jail = await openJail(folder, rootPath, rest)
    await t.rejects(openPath(jail, normalizePath('/ordinary/photos').path), { code: 'path.forbidden' })
  } finally {
    spawnSync(systemTool('umount'), ['--lazy', place])
  }
})

t.test('probes a read-only disk as well', async (t) => {
  const disk = mountSpelling(t, 'windows', { Empty: {}, Full: { 'a.txt': '' } })
  if (disk === undefined) return
  t.match(await runTask(foldingIn(join(disk, 'Full'))), { own: true, any: true, isSure: true })
  t.match(
    await runTask(foldingIn(join(disk, 'Empty'))),
    { own: true, any: true },
    'inherits the result of the folder above it',
  )
})

t.test('probes a folder without names before it creates a name that a rule may deny', async (t) => {
  const rules = [deny('/Secret.txt')]
  const free = async (root: string, name: string) => {
    const jail = await openJail(root, rootPath, { allows: compileRules(rules), secret: [] })
    await using folder = await openPath(jail, rootPath)
    return await newNameIn(jail, folder, name).then(
      () => 'free',
      (error) => error.code,
    )
  }
  const ordinary = t.testdir({ empty: {} })
  t.equal(await free(join(ordinary, 'empty'), 'SECRET.txt'), 'free')
  const disk = mountFolding(t, 'ntfs')
  if (disk === undefined) return
  t.match(await runTask(foldingIn(disk)), { own: false, isSure: false })
  t.equal(await free(disk, 'SECRET.txt'), 'path.forbidden')
  t.equal(await free(disk, 'Other.txt'), 'free')
  t.strictSame(readdirSync(disk), [], 'removes the probe folder')
  writeFileSync(join(disk, 'other.txt'), '')
  t.ok(await until(async () => (await runTask(foldingIn(disk))).own))
})
