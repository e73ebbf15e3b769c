import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Rule } from '#contract/users.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { hostileNames } from '#src/testing/names.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { runTreeTask } from './tree-tasks.ts'

const path = (written: string) => normalizePath(written).path
const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })

const all = { file: 0o777, dir: 0o777 }

function copy(base: string, rules: Rule[] = [], most = all) {
  const places = { from: join(base, 'a'), fromReal: join(base, 'a'), to: join(base, 'b'), secret: [] }
  return runTreeTask({ kind: 'copy', ...places, fromPath: path('/a'), toPath: path('/b'), rules, most })
}

/** A name in Latin-1, as old archives extract it. It is not valid UTF-8. */
const broken = (folder: string) =>
  Buffer.concat([Buffer.from(`${folder}/gr`), Buffer.from([0xfc]), Buffer.from('n')])

t.test('a copy of a folder has all its contents under any names, with modes and times', async (t) => {
  const base = t.testdir({ a: { d: {} } })
  for (const name of hostileNames) writeFileSync(join(base, 'a/d', name), `is ${name}`)
  chmodSync(join(base, 'a/d', '-rf.txt'), 0o604)
  chmodSync(join(base, 'a/d'), 0o705)
  utimesSync(join(base, 'a/d'), 1000, 2000)
  t.strictSame(copy(base), {})
  t.strictSame(readdirSync(join(base, 'b/d')).sort(), [...hostileNames].sort())
  for (const name of hostileNames) t.equal(readFileSync(join(base, 'b/d', name), 'utf8'), `is ${name}`)
  t.equal(statSync(join(base, 'b/d', '-rf.txt')).mode & 0o777, 0o604)
  t.strictSame(
    [statSync(join(base, 'b/d')).mode & 0o777, statSync(join(base, 'b/d')).mtimeMs],
    [0o705, 2_000_000],
  )
})

t.test('a copy keeps only the permitted mode bits of its original, and never setuid or setgid', async (t) => {
  const base = t.testdir({ a: { plain: 'a', run: 'b', open: 'c', secret: 'd', d: {} } })
  const modes = { plain: 0o644, run: 0o6755, open: 0o666, secret: 0o400, d: 0o7777 }
  for (const [name, mode] of Object.entries(modes)) chmodSync(join(base, 'a', name), mode)
  t.strictSame(copy(base, [], { file: 0o740, dir: 0o750 }), {})
  const made = Object.keys(modes).map((name) => (statSync(join(base, 'b', name)).mode & 0o7777).toString(8))
  t.strictSame(made, ['640', '740', '640', '400', '750'])
  t.equal(readFileSync(join(base, 'b/run'), 'utf8') + readFileSync(join(base, 'b/open'), 'utf8'), 'bc')
})

t.test('names that are not UTF-8 are copied and removed like any other', async (t) => {
  const base = t.testdir({ a: { 'gr\ufffdn': 'another file' } })
  writeFileSync(broken(join(base, 'a')), 'green')
  mkdirSync(Buffer.concat([Buffer.from(`${base}/a/d`), Buffer.from([0xff])]))
  t.strictSame(copy(base), {})
  t.equal(readFileSync(broken(join(base, 'b')), 'utf8'), 'green')
  t.equal(readFileSync(join(base, 'b/gr\ufffdn'), 'utf8'), 'another file')
  t.equal(readdirSync(join(base, 'b')).length, 3)
  for (const name of ['a', 'b']) runTreeTask({ kind: 'remove', address: join(base, name) })
  t.strictSame(readdirSync(base), [])
})

t.test('symbolic links are copied and removed as links, and their targets stay', async (t) => {
  const base = t.testdir({ a: {}, outside: { 'o.txt': 'OUTSIDE' } })
  symlinkSync('../outside', join(base, 'a/folder'))
  symlinkSync('nowhere', join(base, 'a/dangling'))
  t.strictSame(copy(base), {})
  t.ok(lstatSync(join(base, 'b/folder')).isSymbolicLink())
  t.equal(readlinkSync(join(base, 'b/dangling')), 'nowhere')
  runTreeTask({ kind: 'remove', address: join(base, 'a') })
  runTreeTask({ kind: 'remove', address: join(base, 'b') })
  t.strictSame(readdirSync(base), ['outside'])
  t.strictSame(readdirSync(join(base, 'outside')), ['o.txt'])
})

t.test(
  'a denied path anywhere in the source or target tree rejects the whole task and is not named',
  async (t) => {
    const base = t.testdir({ a: { d: { 'shut.txt': '' }, 'x.txt': '' } })
    const address = join(base, 'a')
    const check = (rules: Rule[]) => runTreeTask({ kind: 'check', address, path: path('/a'), rules })
    t.strictSame(check([deny('/b')]), {})
    t.strictSame(check([deny('/a/d/shut.txt')]), { refused: { code: 'path.forbidden', path: '/a/d' } })
    t.strictSame(check([deny('/a')]), { refused: { code: 'path.forbidden', path: '/' } })
    t.match(copy(base, [deny('/b/d/shut.txt')]), { refused: { code: 'path.forbidden', path: '/b/d' } })
  },
)

t.test(
  'rejects copying a tree with a named pipe, without waiting for the pipe',
  { timeout: 10_000 },
  async (t) => {
    const base = t.testdir({ a: {} })
    execFileSync(systemTool('mkfifo'), [join(base, 'a/pipe')])
    t.strictSame(copy(base), { refused: { code: 'path.special', path: '/a/pipe' } })
    runTreeTask({ kind: 'remove', address: join(base, 'a') })
    t.notOk(existsSync(join(base, 'a')))
  },
)

t.test('a tree is flushed with one call for the disk, or entry by entry', async (t) => {
  const address = t.testdir({
    folder: { 'file.txt': 'hello', link: t.fixture('symlink', 'nowhere'), empty: {} },
  })
  for (const isLocal of [true, false]) t.same(runTreeTask({ kind: 'flush', address, isLocal }), {})
})
