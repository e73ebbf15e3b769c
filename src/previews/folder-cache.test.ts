import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createFolderCache } from './folder-cache.ts'

const dayMs = 24 * 60 * 60_000
// Each small entry takes one block of the disk.
const block = 4096
const most = { bytes: 4 * block, files: 100, ageMs: 30 * dayMs }
const bytes = (count: number) => Buffer.alloc(count, 'x')

t.test('returns exactly the stored entries', async (t) => {
  const folder = join(t.testdir({}), 'not/yet')
  const cache = createFolderCache(folder, most, Date.now)
  t.equal(await cache.get('ab12'), undefined)
  await cache.put('ab12', bytes(10))
  t.match(await cache.get('ab12'), { bytes: bytes(10) })
  await cache.put('ab12', bytes(20))
  t.equal((await cache.get('ab12'))?.bytes.length, 20)
  t.strictSame(readdirSync(join(folder, 'ab')), ['ab12'], 'no unfinished file is left')
  t.equal(statSync(join(folder, 'ab/ab12')).mode & 0o777, 0o600)
})

t.test('removes the least recently used entries first when the cache is full', async (t) => {
  const folder = t.testdir({})
  let now = Date.now()
  const cache = createFolderCache(folder, most, () => now)
  for (const [n, key] of ['aa1', 'ab2', 'ac3', 'ad4'].entries()) {
    await cache.put(key, bytes(240))
    utimesSync(join(folder, key.slice(0, 2), key), 0, now / 1000 - 1_000_000 + n)
  }
  now += 1000
  t.ok((await cache.get('aa1'))?.bytes, 'the oldest entry is read')
  // A new start, which counts the existing files.
  const next = createFolderCache(folder, most, () => now)
  await next.put('ae5', bytes(240))
  const left = ['aa1', 'ab2', 'ac3', 'ad4', 'ae5'].filter((key) =>
    existsSync(join(folder, key.slice(0, 2), key)),
  )
  t.strictSame(left, ['aa1', 'ad4', 'ae5'])
  t.ok(statSync(join(folder, 'aa/aa1')).mtimeMs > now - 60_000)
})

t.test('returns the age of an entry', async (t) => {
  let now = Date.now()
  const cache = createFolderCache(t.testdir({}), most, () => now)
  await cache.put('ab1', bytes(1))
  now += 5000
  t.ok(((await cache.get('ab1'))?.ageMs ?? 0) >= 4000)
})

t.test('ignores write errors and stores nothing', async (t) => {
  const file = join(t.testdir({ file: '' }), 'file')
  const cache = createFolderCache(join(file, 'below'), most, Date.now)
  await cache.put('ab1', bytes(1))
  t.equal(await cache.get('ab1'), undefined)
})

t.test('counts and removes foreign files in its folder like its own', async (t) => {
  const folder = t.testdir({ zz: { 'ab1.unfinished': '' }, loose: '' })
  writeFileSync(join(folder, 'zz/ab1.unfinished'), bytes(4 * block))
  utimesSync(join(folder, 'zz/ab1.unfinished'), 0, 0)
  const cache = createFolderCache(folder, most, Date.now)
  await cache.put('ab2', bytes(200))
  t.strictSame(readdirSync(join(folder, 'zz')), [])
  t.ok(await cache.get('ab2'))
})

t.test('removes unused entries after a month and dropped entries at once', async (t) => {
  const folder = t.testdir({})
  let now = Date.now()
  const cache = createFolderCache(folder, most, () => now)
  for (const key of ['aa1', 'ab2', 'ac3']) await cache.put(key, bytes(10))
  await cache.remove('ac3')
  await cache.remove('none')
  t.notOk(existsSync(join(folder, 'ac/ac3')))
  now += 20 * dayMs
  t.ok(await cache.get('ab2'))
  now += 20 * dayMs
  await cache.put('ad4', bytes(10))
  t.notOk(existsSync(join(folder, 'aa/aa1')))
  t.ok(await cache.get('ab2'), 'this entry was read')
})

t.test('never has more files than the limit, however small they are', async (t) => {
  const folder = t.testdir({})
  let now = Date.now()
  const cache = createFolderCache(folder, { bytes: 1000 * block, files: 20, ageMs: 30 * dayMs }, () => now)
  const count = () =>
    readdirSync(folder, { recursive: true }).filter((name) => /\/./.test(String(name))).length
  const put = async (n: number) => {
    await cache.put(`k${n}`, bytes(1))
    utimesSync(join(folder, `k${n}`.slice(0, 2), `k${n}`), 0, now++ / 1000)
  }
  for (let n = 100; n < 120; n++) await put(n)
  t.equal(count(), 20)
  await put(120)
  t.equal(count(), 15, 'a sweep removes more than necessary')
  t.ok(await cache.get('k120'))
  t.notOk(await cache.get('k100'))
  // In parallel, like a page with many pictures.
  await Promise.all(Array.from({ length: 100 }, (_, n) => cache.put(`p${n + 100}`, bytes(1))))
  t.ok(count() <= 20, String(count()))
})

t.test('leaves no unfinished file when a write fails', async (t) => {
  const folder = t.testdir({ ab: { ab1: {} } }) // a folder at the path of the file
  const cache = createFolderCache(folder, most, Date.now)
  await cache.put('ab1', bytes(10))
  t.strictSame(readdirSync(join(folder, 'ab')), ['ab1'])
  t.equal(await cache.get('ab1'), undefined)
})
