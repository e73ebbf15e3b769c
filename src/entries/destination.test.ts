import { linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Actor } from '#src/access/principal.ts'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import { unrecorded } from '#src/files/changes/change.ts'
import { openJail } from '#src/files/jail/jail.ts'
import { locate, requireStats } from '#src/files/jail/locate.ts'
import { normalizePath, rootPath } from '#src/files/paths/user-path.ts'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import type { TreeContext } from '#src/files/trees/tree-context.ts'
import { copyTree, moveTree } from '#src/files/trees/trees.ts'
import type { Destination } from '#src/files/writing/rename-into-place.ts'
import { openTempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { createDestinations, firstFree, withEnding } from './destination.ts'

const actor = { user: { perm: { modify: true, create: true, rename: true } }, check() {} } as unknown as Actor

async function open(t: Test, tree: NonNullable<Parameters<Test['testdir']>[0]>) {
  const root = join(realpathSync(t.testdir({ root: tree, parts: {} })), 'root')
  const tools: TreeContext = {
    jail: await openJail(root, rootPath, { allows: () => true, secret: [] }),
    rules: [],
    tempFiles: await openTempFileJournal(join(root, '../parts')),
    recheck: unconditional,
    workers: { inTurn: async (_recheck, work) => work(async (task) => runTreeTask(task)) },
    modes: () => ({ fileMode: 0o640, dirMode: 0o750 }),
    dropCached() {},
    change: unrecorded,
  }
  const destinations = createDestinations(createKeyedLock())
  /** Copies or moves a file; `before` simulates a slow operation. Returns the new name, or the problem code. */
  async function transfer(
    [written, onto]: [string, string],
    { before = async (_: Destination) => {}, isMove = false, override = false, rename = false } = {},
  ): Promise<string> {
    const [from, to] = [written, onto].map((path) => normalizePath(path).path)
    if (!from || !to) throw new Error('two paths')
    await using source = await locate(tools.jail, from)
    let name = ''
    const work = async (destination: Destination) => {
      name = destination.name
      await before(destination)
      if (isMove) return moveTree(tools, source, destination)
      return copyTree(tools, { ...source, stats: requireStats(source) }, destination)
    }
    try {
      const wanted = { from, to, override, rename }
      const verb = isMove ? 'rename' : 'create'
      await destinations.onto(actor, tools, { from: source, transfer: wanted, verb, work })
      return name
    } catch (error) {
      if (error instanceof Problem) return error.code
      throw error
    }
  }
  return { root, transfer, read: (name: string) => readFileSync(join(root, name), 'utf8') }
}

/** An operation that waits until `goOn` is called. */
function pause() {
  const started = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const before = () => {
    started.resolve()
    return goOn.promise
  }
  return { before, started: started.promise, goOn: goOn.resolve }
}

t.test('a slow copy does not block other names in its folder', async (t) => {
  const { transfer, read } = await open(t, { 'a.txt': 'A', 'b.txt': 'B', to: {} })
  const long = pause()
  const first = transfer(['/a.txt', '/to/a.txt'], long)
  await long.started
  t.equal(await transfer(['/b.txt', '/to/b.txt']), 'b.txt')
  t.equal(await transfer(['/b.txt', '/to/c.txt'], { isMove: true }), 'c.txt')
  long.goOn()
  t.equal(await first, 'a.txt')
  t.equal(read('to/a.txt') + read('to/b.txt') + read('to/c.txt'), 'ABB')
})

t.test('if two copies want the same name, the first to finish gets it and the other fails', async (t) => {
  const { root, transfer, read } = await open(t, { 'a.txt': 'A', 'b.txt': 'B', d: { x: '' }, e: {} })
  for (const [slow, quick] of [
    ['a.txt', 'b.txt'],
    ['d', 'e'],
    ['d', 'a.txt'],
    ['a.txt', 'd'],
  ]) {
    const long = pause()
    const name = `${slow} or ${quick}`
    const first = transfer([`/${slow}`, `/new/${name}`], long)
    await long.started
    t.equal(await transfer([`/${quick}`, `/new/${name}`]), name)
    long.goOn()
    t.equal(await first, 'path.exists', name)
  }
  t.equal(read('new/a.txt or b.txt'), 'B')
  t.equal(read('new/d or a.txt'), 'A')
  t.strictSame(readdirSync(join(root, 'new/d or e')), [])
  t.strictSame(readdirSync(join(root, 'new/a.txt or d')), ['x'])
  t.equal(readdirSync(join(root, 'new')).length, 4, 'nothing else is left')
})

t.test(
  'a replacing copy replaces the file that exists when it finishes, if it may be replaced',
  async (t) => {
    const { root, transfer, read } = await open(t, { 'a.txt': 'A', 'b.txt': 'B', d: {}, to: {} })
    const long = pause()
    const first = transfer(['/a.txt', '/to/x'], { ...long, override: true })
    await long.started
    t.equal(await transfer(['/b.txt', '/to/x']), 'x')
    long.goOn()
    t.equal(await first, 'x')
    t.equal(read('to/x'), 'A')
    const folder = async () => mkdirSync(join(root, 'to/y'))
    t.equal(await transfer(['/a.txt', '/to/y'], { before: folder, override: true }), 'path.exists')
    t.strictSame(readdirSync(join(root, 'to/y')), [])
  },
)

t.test('concurrent copies that request a free name get different names', async (t) => {
  const { transfer, read, root } = await open(t, { 'a.txt': 'A', 'd.d': { x: '' }, to: { 'a.txt': 'old' } })
  const long = pause()
  const first = transfer(['/a.txt', '/to/a.txt'], { ...long, rename: true })
  await long.started
  const rest = await Promise.all(
    Array.from({ length: 4 }, () => transfer(['/a.txt', '/to/a.txt'], { rename: true })),
  )
  t.strictSame(rest.sort(), ['a(2).txt', 'a(3).txt', 'a(4).txt', 'a(5).txt'])
  long.goOn()
  t.equal(await first, 'a(1).txt')
  t.equal(read('to/a.txt'), 'old')
  const folders = await Promise.all([1, 2].map(() => transfer(['/d.d', '/to/d.d'], { rename: true })))
  t.strictSame(folders.sort(), ['d.d', 'd.d(1)'])
  t.strictSame(readdirSync(join(root, 'to')).length, 8)
})

t.test('a failed copy leaves no file and no new folder', async (t) => {
  const { root, transfer } = await open(t, { 'a.txt': 'A' })
  const fail = async () => {
    throw new Problem('hook.before')
  }
  t.equal(await transfer(['/a.txt', '/new/deep/a.txt'], { before: fail }), 'hook.before')
  t.strictSame(readdirSync(root), ['a.txt'])
  t.equal(await transfer(['/a.txt', '/a.txt'], { before: fail, rename: true }), 'hook.before')
  t.equal(await transfer(['/a.txt', '/a.txt'], { rename: true }), 'a(1).txt')
})

t.test('another hard link to a file counts as another file, whatever its name is', async (t) => {
  const { root, transfer, read } = await open(t, { 'a.txt': 'A', d: {} })
  const names = () => readdirSync(root).sort()
  const others = ['b.txt', 'A.TXT', 'd/a.txt']
  for (const name of others) {
    linkSync(join(root, 'a.txt'), join(root, name))
    for (const isMove of [true, false]) {
      t.equal(await transfer(['/a.txt', `/${name}`], { isMove }), 'path.exists', name)
    }
  }
  t.strictSame(names(), ['A.TXT', 'a.txt', 'b.txt', 'd'])
  for (const name of others) {
    t.ok(await transfer(['/a.txt', `/${name}`], { isMove: true, override: true }))
    t.equal(read(name), 'A')
    t.notOk(names().includes('a.txt'), 'a move removes the old name')
    linkSync(join(root, name), join(root, 'a.txt'))
  }
  t.equal(await transfer(['/a.txt', '/b.txt'], { override: true }), 'b.txt')
  writeFileSync(join(root, 'a.txt'), 'changed')
  t.equal(read('b.txt'), 'A', 'a copy onto another hard link makes a separate file')
})

t.test('a free number is found with few tries among many, and the first one among few', async (t) => {
  const find = async (taken: number) => {
    let tries = 0
    const found = await firstFree(async (number) => {
      tries++
      return number > taken ? number : undefined
    })
    return { found, tries }
  }
  for (const taken of [0, 1, 15, 16, 17, 31, 32, 33, 1000]) t.equal((await find(taken)).found, taken + 1)
  t.ok((await find(100_000)).tries < 60)
})

t.test('a name that has no room for a number is cut between two characters', async (t) => {
  const { transfer } = await open(t, { [`${'ä'.repeat(125)}x.txt`]: 'A' })
  const name = `${'ä'.repeat(125)}x.txt`
  const to = await transfer([`/${name}`, `/${name}`], { rename: true })
  t.equal(to, `${'ä'.repeat(124)}(1).txt`)
  t.equal(withEnding('a', '(1).txt'), 'a(1).txt')
})
