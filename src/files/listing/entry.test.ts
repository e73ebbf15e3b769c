import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, link, lstat, mkdir, rename, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import t from 'tap'
import { decodePath } from '#src/files/paths/user-path.ts'
import { hostileNames } from '#src/testing/names.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { etagOf, extensionOf, goMode, modifiedOf, pageUrl } from './entry.ts'

t.test('returns the mode bits of Go', async (t) => {
  const folder = t.testdir({ 'a.txt': '', d: {} })
  const at = (name: string) => join(folder, name)
  await symlink('a.txt', at('link'))
  await once(spawn(systemTool('mkfifo'), [at('pipe')]), 'exit')
  const server = createServer().listen(relative('', at('s'))) // the path of a socket has about 100 bytes at most
  await once(server, 'listening')
  t.teardown(() => server.close())
  await chmod(at('a.txt'), 0o4644)
  await chmod(at('d'), 0o1755)
  t.equal(goMode(await lstat(at('a.txt'))), 420)
  t.equal(goMode(await lstat(at('d'))), 2147484141)
  t.equal(goMode(await lstat(at('link'))) & ~0o777, 1 << 27)
  t.equal(goMode(await lstat(at('pipe'))) & ~0o777, 1 << 25)
  t.equal(goMode(await lstat(at('s'))) & ~0o777, 1 << 24)
  t.equal(goMode(await lstat('/dev/null')) & ~0o777, (1 << 26) | (1 << 21))
})

t.test('an extension is the last dot and the text after it', async (t) => {
  for (const [name, extension] of [
    ['a.txt', '.txt'],
    ['a.tar.gz', '.gz'],
    ['.hidden', '.hidden'],
    ['README', ''],
    ['a.', '.'],
    ['...', '.'],
    ['', ''],
    ['a.B C', '.B C'],
  ] as const) {
    t.equal(extensionOf(name), extension, name)
  }
})

t.test('the URL of a page decodes to the same path', async (t) => {
  t.equal(pageUrl('/', true), '/files/')
  t.equal(pageUrl('/a b', true), '/files/a%20b/')
  t.equal(pageUrl('/a b', false), '/files/a%20b')
  for (const name of hostileNames) {
    const url = pageUrl(`/d/${name}`, true)
    t.equal(decodePath(url.slice('/files'.length)).path, `/d/${name}`)
    t.notMatch(url, /[?#"<>\s]/)
  }
})

t.test('the etag of a file changes only when the file changes', async (t) => {
  const file = join(t.testdir({ a: 'one' }), 'a')
  const first = etagOf(await stat(file))
  t.match(first, /^"[\da-f]+-[\da-f]+-[\da-f]+"$/)
  t.equal(etagOf(await stat(file)), first)
  await writeFile(file, 'three')
  t.not(etagOf(await stat(file)), first)
})

t.test('two writes in one clock tick have different etags', async (t) => {
  const folder = t.testdir({ a: 'one', b: 'two' })
  const time = new Date(1_000_000_000_000)
  await utimes(join(folder, 'a'), time, time)
  await utimes(join(folder, 'b'), time, time)
  const before = etagOf(await stat(join(folder, 'a')))
  await rename(join(folder, 'b'), join(folder, 'a'))
  t.not(etagOf(await stat(join(folder, 'a'))), before)
})

t.test('hard links of one file have the same etag', async (t) => {
  const folder = t.testdir({ a: 'one' })
  await link(join(folder, 'a'), join(folder, 'b'))
  t.equal(etagOf(await stat(join(folder, 'a'))), etagOf(await stat(join(folder, 'b'))))
})

t.test('formats times as RFC 3339, also times outside its range', async (t) => {
  const folder = t.testdir()
  await mkdir(join(folder, 'd'))
  t.match(modifiedOf(await stat(join(folder, 'd'))), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const real = await stat(folder)
  for (const [mtimeMs, expected] of [
    [0, '1970-01-01T00:00:00.000Z'],
    [1e18, '9999-12-31T23:59:59.999Z'],
    [-1e18, '0000-01-01T00:00:00.000Z'],
    [Number.NaN, '1970-01-01T00:00:00.000Z'],
  ] as const) {
    const stats = Object.assign(Object.create(Object.getPrototypeOf(real)), real, { mtimeMs })
    t.equal(modifiedOf(stats), expected)
  }
})
