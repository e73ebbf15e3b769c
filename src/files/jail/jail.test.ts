import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join, relative } from 'node:path'
import t, { type Test } from 'tap'
import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { Problem } from '#src/core/problem.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { normalizePath, rootPath, temporaryName } from '#src/files/paths/user-path.ts'
import { openHeld } from '#src/files/reading/readable-file.ts'
import { killAfter } from '#src/testing/kill-after.ts'
import { hostileNames } from '#src/testing/names.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { openJail, openParent, openPath } from './jail.ts'
import { exists, newNameIn } from './locate.ts'

type Tree = NonNullable<Parameters<Test['testdir']>[0]>

const path = (written: string) => normalizePath(written).path
const denied = (...paths: string[]): Rule[] =>
  paths.map((path) => ({ allow: false, path, regex: false, regexp: null }))

/** A jail of `served/alice`. The folders of other users and the folder `outside` are beside it. */
async function createJail(t: Test, inside: Tree, { rules = [] as Rule[], secret = [] as string[] } = {}) {
  const base = await realpath(
    t.testdir({
      served: { alice: inside, 'alice-two': { 'mine.txt': 'SIBLING' }, bob: { 'b.txt': 'BOB' } },
      outside: { 'secret.txt': 'OUTSIDE', deep: { 'd.txt': 'OUTSIDE' } },
    }),
  )
  const root = join(base, 'served', 'alice')
  const rest = { allows: compileRules(rules), secret: secret.map((name) => join(root, name)) }
  const jail = await openJail(join(base, 'served'), path('/alice'), rest)
  return { base, root, jail, at: (name: string) => join(root, name) }
}

async function text(jail: Jail, written: string): Promise<string> {
  await using held = await openPath(jail, path(written))
  await using file = await openHeld(held)
  return await file.readFile('utf8')
}

/** The text of the file, or the code of the error. */
async function outcome(jail: Jail, written: string): Promise<string> {
  return text(jail, written).catch((error: unknown) => {
    if (error instanceof Problem) return error.code
    throw error
  })
}

t.test('reads files in the scope, whatever their names', async (t) => {
  const tree = Object.fromEntries(hostileNames.map((name) => [name, `is ${name}`]))
  const { jail, root } = await createJail(t, {})
  await mkdir(join(root, 'd'))
  for (const [name, content] of Object.entries(tree)) await writeFile(join(root, 'd', name), content)
  for (const name of hostileNames) {
    t.equal(await text(jail, `/d/${name}`), `is ${name}`)
    await using held = await openPath(jail, path(`/d/${name}`))
    t.equal(held.path, `/d/${name}`)
    t.equal(held.real, join(root, 'd', name))
  }
})

t.test('returns different errors for a missing file, a folder and a path that is too long', async (t) => {
  const { jail } = await createJail(t, { 'a.txt': '', d: {} })
  t.equal(await outcome(jail, '/none'), 'path.unknown')
  t.equal(await outcome(jail, '/none/deeper'), 'path.unknown')
  t.equal(await outcome(jail, '/a.txt/deeper'), 'path.unknown')
  t.equal(await outcome(jail, '/d'), 'path.folder')
  t.equal(await outcome(jail, `/${'x/'.repeat(2040)}`), 'path.invalid')
})

t.test('follows symbolic links inside the scope to their targets', async (t) => {
  const { jail, at } = await createJail(t, { d: { e: { 'f.txt': 'inside' } } })
  await symlink('d/e/f.txt', at('relative'))
  await symlink(at('d/e/f.txt'), at('absolute'))
  await symlink('relative', at('chain1'))
  await symlink('chain1', at('chain2'))
  await symlink('d', at('folder'))
  await symlink('../alice/d', at('around'))
  await symlink('../..', at('d/e/home'))
  for (const written of [
    '/relative',
    '/absolute',
    '/chain2',
    '/folder/e/f.txt',
    '/around/e/f.txt',
    '/d/e/home/d/e/home/relative',
  ]) {
    t.equal(await text(jail, written), 'inside', written)
    await using held = await openPath(jail, path(written))
    t.equal(held.path, '/d/e/f.txt')
  }
})

t.test('never follows a symbolic link out of the scope, wherever it is in a path', async (t) => {
  const { jail, at, base } = await createJail(t, { d: {} })
  await symlink('../../outside/secret.txt', at('final'))
  await symlink(join(base, 'outside'), at('ancestor'))
  await symlink('final', at('chain'))
  await symlink('ancestor/deep', at('deeper'))
  await symlink('/', at('world'))
  await symlink('..', at('d/up'))
  await symlink('../..', at('up'))
  await symlink('../alice-two', at('sibling'))
  await symlink('../bob/b.txt', at('bob'))
  await symlink('/proc/self/root', at('magic'))
  await symlink('/proc/self/cwd', at('cwd'))
  await symlink('/dev/fd/0', at('stdin'))
  for (const written of [
    '/final',
    '/ancestor',
    '/ancestor/secret.txt',
    '/chain',
    '/deeper/d.txt',
    '/world/etc/passwd',
    '/up/bob/b.txt',
    '/sibling/mine.txt',
    '/sibling',
    '/bob',
    '/magic/etc/passwd',
    '/cwd/package.json',
    '/stdin',
  ]) {
    t.equal(await outcome(jail, written), 'path.outside', written)
  }
  t.equal(await outcome(jail, '/d/up'), 'path.folder', 'a link to the scope itself stays inside')
})

t.test('does not reveal through a symbolic link what exists outside the scope', async (t) => {
  const { jail, at } = await createJail(t, { denied: { 'there.txt': '' } }, { rules: denied('/denied') })
  await symlink('../../outside', at('out'))
  await symlink('denied', at('around'))
  for (const name of ['secret.txt', 'none', 'none/deeper', 'secret.txt/deeper', 'deep/d.txt', 'deep/none']) {
    t.equal(await outcome(jail, `/out/${name}`), 'path.outside', name)
  }
  for (const name of ['there.txt', 'none', 'none/deeper', 'there.txt/deeper']) {
    t.equal(await outcome(jail, `/around/${name}`), 'path.forbidden', name)
  }
})

t.test('rejects symbolic links with a missing target and links that loop', async (t) => {
  const { jail, at } = await createJail(t, {})
  await symlink('../../outside/new.txt', at('dangling'))
  await symlink('nothing', at('inside'))
  await symlink('dangling', at('chain'))
  await symlink(at('inside'), at('around'))
  await symlink('loop', at('loop'))
  await symlink('b', at('a'))
  await symlink('a', at('b'))
  for (const [code, ...links] of [
    ['path.outside', '/dangling', '/chain', '/dangling/x'],
    ['path.dangling', '/inside', '/inside/x', '/around'],
    ['path.link', '/loop', '/a', '/loop/x'],
  ] as const) {
    for (const written of links) {
      t.equal(await outcome(jail, written), code, written)
      await t.rejects(exists(jail, path(written)), { code })
    }
  }
})

t.test(
  'links are followed inside the scope, and refused where they lead out, to nothing or to themselves',
  async (t) => {
    const { jail, at } = await createJail(t, { 'file.txt': 'text', folder: { 'a.txt': '' } })
    for (const [target, name] of [
      ['file.txt', 'good'],
      ['folder', 'way'],
      ['../../outside', 'out'],
      ['../../outside/secret.txt', 'file-out'],
      ['../../outside/new.txt', 'dangling'],
      ['nothing', 'inside'],
      ['loop', 'loop'],
    ] as const) {
      await symlink(target, at(name))
    }
    const names = [
      'good',
      'way',
      'way/a.txt',
      'out',
      'file-out',
      'dangling',
      'inside',
      'loop',
      'file.txt',
      'none',
    ]
    const outcomes = await Promise.all(names.map((name) => outcome(jail, `/${name}`)))
    t.strictSame(outcomes.slice(3, 8), [
      'path.outside',
      'path.outside',
      'path.outside',
      'path.dangling',
      'path.link',
    ])
  },
)

t.test('follows at most 40 links, like the system, to find out that a link is broken', async (t) => {
  const { jail, at } = await createJail(t, {})
  await symlink('nothing', at('link-1'))
  for (let n = 2; n <= 42; n++) await symlink(`link-${n - 1}`, at(`link-${n}`))
  t.equal(await outcome(jail, '/link-40'), 'path.dangling')
  t.equal(await outcome(jail, '/link-42'), 'path.link')
})

t.test('a broken symbolic link reveals nothing that is denied or outside the scope', async (t) => {
  const tree = { denied: { 'there.txt': '' }, open: {} }
  const { jail, at } = await createJail(t, tree, { rules: denied('/denied') })
  const links = {
    'to-denied': 'denied/none',
    'past-denied': 'denied/none/../../open/none',
    'past-outside': '../../outside/../none',
    'to-part': '.coffer-part-1',
    'up-and-in': `../${basename(jail.root)}/open/none`,
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, at(name))
  for (const name of ['to-denied', 'past-denied', 'past-outside', 'to-part'])
    t.not(await outcome(jail, `/${name}`), 'path.dangling', name)
  t.equal(await outcome(jail, '/up-and-in'), 'path.dangling')
})

t.test('checks the rules for the path as written and for its target', async (t) => {
  const tree = { open: { 'a.txt': 'A' }, shut: { 'b.txt': 'B' } }
  const { jail, at } = await createJail(t, tree, { rules: denied('/shut', '/alias') })
  await symlink('shut', at('through'))
  await symlink('shut/b.txt', at('straight'))
  await symlink('open', at('alias'))
  t.equal(await outcome(jail, '/open/a.txt'), 'A')
  for (const written of [
    '/shut',
    '/shut/b.txt',
    '/shut/none',
    '/through/b.txt',
    '/straight',
    '/alias/a.txt',
    '/alias',
  ]) {
    t.equal(await outcome(jail, written), 'path.forbidden', written)
  }
})

t.test(
  "Coffer's own state is not accessible by its name, through a symbolic link or through a folder",
  async (t) => {
    const tree = { 'state.json': 'KEY', 'state.d': { sessions: { 's.json': 'KEY' } }, d: {} }
    const { jail, at } = await createJail(t, tree, { secret: ['state.json', 'state.json.new', 'state.d'] })
    await symlink('state.json', at('link'))
    await symlink('../state.d', at('d/folder'))
    for (const written of [
      '/state.json',
      '/state.d',
      '/state.d/sessions/s.json',
      '/state.d/none',
      '/link',
      '/d/folder',
      '/d/folder/sessions/s.json',
    ]) {
      t.equal(await outcome(jail, written), 'path.unknown', written)
    }
    await using folder = await openPath(jail, rootPath)
    for (const name of ['state.json', 'state.json.new', 'state.d']) {
      await t.rejects(newNameIn(jail, folder, name), { code: 'path.forbidden' }, name)
    }
    const free = await newNameIn(jail, folder, 'state.json2')
    t.match(free.address, /\/state\.json2$/)
  },
)

t.test('a file that is still being written is not accessible', async (t) => {
  const { jail, at } = await createJail(t, {})
  const name = temporaryName()
  await writeFile(at(name), 'half')
  await mkdir(at(`${name}d`))
  await writeFile(at(`${name}d/inside`), 'half')
  await symlink(name, at('link'))
  await symlink(`${name}d`, at('folder'))
  for (const written of [`/${name}`, `/${name}d/inside`, '/link', '/folder/inside']) {
    t.equal(await outcome(jail, written), 'path.unknown', written)
  }
  await using folder = await openPath(jail, rootPath)
  await t.rejects(newNameIn(jail, folder, name), { code: 'path.forbidden' })
})

t.test('never opens pipes, sockets and devices', { timeout: 10_000 }, async (t) => {
  const { jail, at } = await createJail(t, {})
  await once(spawn(systemTool('mkfifo'), [at('pipe')]), 'exit')
  await once(spawn('mknod', [at('device'), 'c', '1', '5']), 'exit') // /dev/zero: reading it never ends
  const server = createServer().listen(relative('', at('s')))
  await once(server, 'listening')
  t.teardown(() => server.close())
  await symlink('pipe', at('link'))
  t.equal(await outcome(jail, '/pipe'), 'path.special')
  t.equal(await outcome(jail, '/link'), 'path.special')
  t.equal(await outcome(jail, '/s'), 'path.special')
  if (process.getuid?.() === 0) t.equal(await outcome(jail, '/device'), 'path.special')
})

t.test('reads hard links like other files, and follows the case sensitivity of the disk', async (t) => {
  const { jail, at } = await createJail(t, { 'a.txt': 'A', 'A.TXT': 'other' })
  await link(at('a.txt'), at('b.txt'))
  t.equal(await text(jail, '/b.txt'), 'A')
  t.equal(await text(jail, '/A.TXT'), 'other')
  t.equal(await outcome(jail, '/a.TXT'), 'path.unknown')
})

t.test('text with a replacement character never opens a file whose name is not UTF-8', async (t) => {
  const { jail, root } = await createJail(t, {})
  await writeFile(Buffer.concat([Buffer.from(`${root}/f`), Buffer.from([0xff])]), 'BROKEN NAME')
  t.equal(await outcome(jail, '/f\ufffd'), 'path.unknown')
  await writeFile(`${root}/f\ufffd`, 'whole name')
  t.equal(await text(jail, '/f\ufffd'), 'whole name')
})

t.test('accepts names that end in " (deleted)" as the kernel marks deleted files', async (t) => {
  const { jail } = await createJail(t, { 'a (deleted)': 'still here', 'b (deleted)': {} })
  t.equal(await text(jail, '/a (deleted)'), 'still here')
  await using held = await openPath(jail, path('/b (deleted)'))
  t.equal(held.path, '/b (deleted)')
})

t.test('while a file is replaced, a reader gets the old or the new file under the same name', async (t) => {
  const { jail, at } = await createJail(t, { 'a.txt': 'x' })
  // A second name keeps the replaced file alive, as hard-linked backups do.
  await link(at('a.txt'), at('backup1'))
  const replacer = `
    const { linkSync, renameSync, rmSync, writeFileSync } = require('node:fs')
    process.chdir(process.argv[1])
    process.stdout.write('replacing\\n')
    for (let n = 0; ; n++) {
      writeFileSync('new', 'x')
      rmSync('backup' + (n % 2), { force: true })
      linkSync('new', 'backup' + (n % 2))
      renameSync('new', 'a.txt')
    }`
  const child = spawn(process.execPath, ['-e', replacer, at('')])
  const ended = once(child, 'exit')
  killAfter(t, child)
  await once(child.stdout, 'data')
  for (let n = 0; n < 3000; n++) {
    await using held = await openPath(jail, path('/a.txt'))
    if (held.path !== '/a.txt') t.fail(`held under ${held.path}`)
    await using file = await openHeld(held)
    const content = await file.readFile('utf8')
    if (content !== 'x') t.fail(`read ${content}`)
  }
  child.kill('SIGKILL')
  await ended
})

t.test('rejects a scope that is missing or leads out of the served folder', async (t) => {
  const { base, at } = await createJail(t, { 'f.txt': '' })
  const served = join(base, 'served')
  const rest = { allows: () => true, secret: [] }
  await symlink('../../outside', at('out'))
  await t.rejects(openJail(served, path('/alice/out'), rest), { code: 'path.outside' })
  await t.rejects(openJail(served, path('/alice/none'), rest), { code: 'path.unknown' })
  await t.rejects(
    openJail(served, path('/alice/f.txt'), rest).then((jail) => openPath(jail, rootPath)),
    {
      code: 'path.unknown',
    },
  )
  await symlink('../bob', at('other'))
  const jail = await openJail(served, path('/alice/other'), rest)
  t.equal(await text(jail, '/b.txt'), 'BOB', 'a link inside the served folder may be a scope')
  const whole = await openJail(served, rootPath, rest)
  t.equal(await text(whole, '/alice/f.txt'), '')
  await t.rejects(text(whole, '/alice/out/secret.txt'), { code: 'path.outside' })
})

t.test(
  'a scope that is later replaced by a symbolic link to the outside gives no access there',
  async (t) => {
    const { jail, root, base } = await createJail(t, { 'secret.txt': 'mine' })
    await rename(root, `${root}.old`)
    await symlink(join(base, 'outside'), root)
    t.equal(await outcome(jail, '/secret.txt'), 'path.outside')
    await rm(root)
  },
)

t.test(
  'an open entry stays the same when another one takes its name',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const { jail, at, base } = await createJail(t, { d: { 'f.txt': 'mine' } })
    await using folder = await openPath(jail, path('/d'))
    await using file = await openPath(jail, path('/d/f.txt'))
    await rename(at('d'), at('moved'))
    await symlink(join(base, 'outside'), at('d'))
    await writeFile((await newNameIn(jail, folder, 'new.txt')).address, 'written')
    t.equal(await readFile(at('moved/new.txt'), 'utf8'), 'written')
    t.equal(await readFile(file.address, 'utf8'), 'mine')
  },
)

t.test(
  'opens the folder that contains an allowed name even if a rule denies the folder itself',
  async (t) => {
    const rules = [...denied('/d'), { ...denied('/d/free.txt')[0], allow: true } as Rule]
    const { jail } = await createJail(t, { d: { 'free.txt': '', 'shut.txt': '' } }, { rules })
    await using folder = await openParent(jail, path('/d/free.txt'))
    t.ok(await newNameIn(jail, folder, 'free.txt'))
    await t.rejects(newNameIn(jail, folder, 'shut.txt'), { code: 'path.forbidden' })
    await t.rejects(openParent(jail, path('/d/shut.txt')), { code: 'path.forbidden' })
    await t.rejects(openPath(jail, path('/d')), { code: 'path.forbidden' })
  },
)

t.test('checks whether a path exists', async (t) => {
  const { jail } = await createJail(t, { 'a.txt': '' })
  t.equal(await exists(jail, path('/a.txt')), true)
  t.equal(await exists(jail, path('/none')), false)
})

// A child process keeps exchanging a folder with a symbolic link to the outside, as fast as it can.
const swapper = `
  const { renameSync, symlinkSync } = require('node:fs')
  const [root, outside] = process.argv.slice(1)
  symlinkSync(outside, root + '/link')
  process.stdout.write('swapping\\n')
  for (;;) {
    renameSync(root + '/d', root + '/folder')
    renameSync(root + '/link', root + '/d')
    renameSync(root + '/d', root + '/link')
    renameSync(root + '/folder', root + '/d')
  }`

t.test('replacing a folder by a symbolic link while it is read gives no access to the outside', async (t) => {
  const { jail, root, base } = await createJail(t, { d: { 'secret.txt': 'mine', deep: { 'd.txt': 'mine' } } })
  const child = spawn(process.execPath, ['-e', swapper, root, join(base, 'outside')])
  const ended = once(child, 'exit')
  killAfter(t, child)
  await once(child.stdout, 'data')
  const seen = new Map<string, number>()
  for (let n = 0; n < 2000; n++) {
    const result = await outcome(jail, n % 2 ? '/d/secret.txt' : '/d/deep/d.txt')
    seen.set(result, (seen.get(result) ?? 0) + 1)
  }
  child.kill('SIGKILL')
  await ended
  t.comment(JSON.stringify([...seen]))
  t.strictSame(
    [...seen.keys()].filter((result) => !['mine', 'path.outside', 'path.unknown'].includes(result)),
    [],
  )
  t.ok((seen.get('mine') ?? 0) > 0, 'reading the real folder still works sometimes')
})
