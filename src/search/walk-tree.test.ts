import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import { rootPath, temporaryName, type UserPath } from '#src/files/paths/user-path.ts'
import { hostileNames } from '#src/testing/names.ts'
import { type WalkRoot, walkTree } from './walk-tree.ts'

function walk(t: Test, tree: NonNullable<Parameters<Test['testdir']>[0]>, rest: Partial<WalkRoot> = {}) {
  const real = realpathSync(t.testdir(tree))
  const places = { address: real, real, path: rootPath, resolvedPath: rootPath }
  const whole = { ...places, secret: [], rules: [], hideDotfiles: false }
  return {
    real,
    from: (after: UserPath) => [...walkTree({ ...whole, ...rest }, { after })].map(({ path }) => path),
    paths: (more: Partial<WalkRoot> = {}) =>
      [...walkTree({ ...whole, ...rest, ...more })].map(({ path }) => path),
  }
}

const rule = (path: string, allow: boolean): Rule => ({ allow, path, regex: false, regexp: null })

t.test('visits every entry below a folder once, each folder before its entries', async (t) => {
  const { paths } = walk(t, { b: { c: { d: '' }, a: '' }, a: '', z: {} })
  t.strictSame(paths(), ['/a', '/b', '/b/a', '/b/c', '/b/c/d', '/z'])
})

t.test('reports hostile names exactly, and a name that is not UTF-8 matches no other file', async (t) => {
  const { real, paths } = walk(t, {})
  for (const name of hostileNames) {
    mkdirSync(join(real, name))
    writeFileSync(join(real, name, name), '')
  }
  t.strictSame(paths().sort(), hostileNames.flatMap((name) => [`/${name}`, `/${name}/${name}`]).sort())
  writeFileSync(Buffer.concat([Buffer.from(`${real}/f`), Buffer.from([0xff])]), '')
  t.ok(paths().map(String).includes('/f\ufffd%FF'))
  writeFileSync(`${real}/f\ufffd`, '')
  t.equal(paths().filter((path) => path === '/f\ufffd').length, 1)
})

t.test('reports symbolic links but never follows them', async (t) => {
  const { real, paths } = walk(t, { d: { x: '' } })
  symlinkSync('d', join(real, 'inside'))
  symlinkSync('/', join(real, 'outside'))
  symlinkSync('..', join(real, 'd', 'up'))
  t.strictSame(paths(), ['/d', '/d/up', '/d/x', '/inside', '/outside'])
})

t.test(
  "skips denied, hidden and Coffer's own entries, but visits allowed entries in denied folders",
  async (t) => {
    const { real, paths } = walk(t, { d: { shut: { x: '', free: '' }, '.h': { y: '' } }, state: { key: '' } })
    writeFileSync(join(real, temporaryName()), '')
    const secret = [join(real, 'state')]
    t.strictSame(paths({ secret, hideDotfiles: true }), ['/d', '/d/shut', '/d/shut/free', '/d/shut/x'])
    t.strictSame(paths({ secret, rules: [rule('/d/shut', false)] }), ['/d', '/d/.h', '/d/.h/y'])
    const free = [rule('/d/shut', false), rule('/d/shut/free', true)]
    t.strictSame(paths({ secret, hideDotfiles: true, rules: free }), ['/d', '/d/shut/free'])
  },
)

t.test('in a folder requested through a link, rules apply to both paths', async (t) => {
  const { paths } = walk(t, { shut: '', open: '', 'link-shut': '' })
  const through = { path: '/way' as UserPath, resolvedPath: '/docs' as UserPath }
  t.strictSame(paths({ ...through, rules: [rule('/docs/shut', false)] }), ['/way/link-shut', '/way/open'])
  t.strictSame(paths({ ...through, rules: [rule('/way/shut', false)] }), ['/way/link-shut', '/way/open'])
})

t.test('reports and skips a folder that disappears during the walk', async (t) => {
  const { real } = walk(t, {})
  const missing: string[] = []
  const place = join(real, 'none')
  const places = { address: place, real: place, path: rootPath, resolvedPath: rootPath }
  const tree = { ...places, secret: [], rules: [], hideDotfiles: false }
  t.strictSame([...walkTree(tree, { onUnreadable: (path) => missing.push(path) })], [])
  t.strictSame(missing, ['/'])
})

t.test('a walk resumed after any entry continues as if it had not stopped', async (t) => {
  const { paths, from } = walk(t, {
    a: { b: { c: '', 'c.d': '' }, 'b ': { x: '' }, 'b.': '' },
    'a b': '',
    z: { y: {} },
  })
  const all = paths()
  for (const [at, path] of all.entries()) t.strictSame(from(path), all.slice(at + 1), path)
  t.strictSame(
    from('/a/b/bb' as UserPath),
    all.slice(all.indexOf('/a/b/c' as UserPath)),
    'also when the entry was deleted meanwhile',
  )
})
