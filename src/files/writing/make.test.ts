import { mkdirSync, statSync } from 'node:fs'
import { readdir, realpath, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { unrecorded } from '#src/files/changes/change.ts'
import { openJail } from '#src/files/jail/jail.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import { hostileNames } from '#src/testing/names.ts'
import { makeFolder, makeParent } from './make.ts'

const path = (written: string) => normalizePath(written).path

async function setUp(t: Test, tree = {}, rest: Partial<Jail> = {}) {
  const base = await realpath(t.testdir({ root: tree, outside: {} }))
  const root = join(base, 'root')
  const jail = await openJail(root, rootPath, { allows: () => true, secret: [], ...rest })
  const make = async (written: string, mode = 0o750) => {
    await using folder = await makeFolder(jail, path(written), { mode, change: unrecorded })
    return folder.path
  }
  return { base, root, jail, make }
}

t.test('a folder is made with all missing parent folders, under any names', async (t) => {
  const before = process.umask(0)
  t.teardown(() => process.umask(before))
  const { make, root } = await setUp(t)
  t.equal(await make('/a/b/c', 0o710), '/a/b/c')
  for (const each of ['a', 'a/b', 'a/b/c']) t.equal(statSync(join(root, each)).mode & 0o777, 0o710, each)
  for (const name of hostileNames) t.equal(await make(`/${name}/${name}`), `/${name}/${name}`)
  t.strictSame((await readdir(root)).sort(), ['a', ...hostileNames].sort())
})

t.test('making a folder that exists succeeds and keeps its mode', async (t) => {
  const { make, root } = await setUp(t, { d: {} })
  const { mode } = statSync(join(root, 'd'))
  t.equal(await make('/d', 0o700), '/d')
  t.equal(await make('/'), '/')
  t.equal(statSync(join(root, 'd')).mode, mode)
})

t.test('20 concurrent calls that make the same folder all succeed', async (t) => {
  const { make } = await setUp(t)
  t.strictSame(
    new Set(await Promise.all(Array.from({ length: 20 }, () => make('/x/y/z')))),
    new Set(['/x/y/z']),
  )
})

t.test('a folder that cannot be made leaves no new parent folders behind', async (t) => {
  const secret: string[] = []
  const { make, root } = await setUp(t, { d: {} }, { secret })
  secret.push(join(root, 'a/b/no'), join(root, 'd/b/no'))
  await t.rejects(make('/a/b/no/c'), { code: 'path.forbidden' })
  await t.rejects(make('/d/b/no'), { code: 'path.forbidden' })
  t.strictSame(await readdir(root), ['d'])
  t.strictSame(await readdir(join(root, 'd')), [])
})

t.test('rejects making a folder where a file exists, or below a file', async (t) => {
  const { make } = await setUp(t, { 'f.txt': '' })
  await t.rejects(make('/f.txt'), { code: 'path.exists' })
  await t.rejects(make('/f.txt/a/b'), { code: 'path.exists' })
})

t.test(
  'rejects folders outside the root, denied by a rule, at a secret path or with a temporary name',
  async (t) => {
    const secret: string[] = []
    const allows = (one: string) => !one.startsWith('/shut')
    const { make, root, base } = await setUp(t, { shut: {}, open: {} }, { allows, secret })
    secret.push(join(root, 'state.d'))
    mkdirSync(join(root, 'state.d'))
    await symlink('../outside', join(root, 'out'))
    await symlink('../outside/none', join(root, 'dangling'))
    await symlink('../shut', join(root, 'open/around'))
    await t.rejects(make('/out/new'), { code: 'path.outside' })
    await t.rejects(make('/dangling'), { code: 'path.outside' })
    await t.rejects(make('/dangling/new'), { code: 'path.outside' })
    for (const written of [
      '/shut',
      '/shut/new',
      '/open/around/new',
      '/open/around/a/b',
      '/state.d',
      '/state.d/new',
      '/.coffer-part-x',
    ]) {
      await t.rejects(make(written), { code: 'path.forbidden' }, written)
    }
    t.strictSame(await readdir(join(base, 'outside')), [])
    t.strictSame(await readdir(join(root, 'shut')), [])
    t.strictSame(await readdir(join(root, 'state.d')), [])
  },
)

t.test('makes a missing parent folder of an allowed path, also inside a denied folder', async (t) => {
  const allows = (one: string) => one === '/shut/free' || one.startsWith('/open')
  const { jail, root } = await setUp(t, { shut: {} }, { allows })
  for (const written of ['/shut/free', '/open/a/b']) {
    await using folder = await makeParent(jail, path(written), { mode: 0o750 })
    t.equal(folder.path, written.slice(0, written.lastIndexOf('/')))
  }
  await t.rejects(makeParent(jail, path('/shut/new'), { mode: 0o750 }), { code: 'path.forbidden' })
  await t.rejects(makeParent(jail, path('/shut/none/free'), { mode: 0o750 }), { code: 'path.forbidden' })
  t.strictSame(await readdir(join(root, 'shut')), [])
})
