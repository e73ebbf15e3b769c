import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { createLog } from '#src/core/log/log.ts'
import { temporaryName } from '#src/files/paths/user-path.ts'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { hostileNames } from '#src/testing/names.ts'
import { openFolder, otherUser, spawnNode } from '#src/testing/other-user.ts'
import { fillUp, mountSmall } from '#src/testing/small-disk.ts'
import { systemTool } from '#src/testing/system-tool.ts'
import { until } from '#src/testing/wire.ts'
import type { KeptRecord } from './kept-record.ts'
import type { KeptStore } from './kept-store.ts'
import { createKeptStores } from './kept-stores.ts'

const log = createLog({ target: '', format: 'text' })
const noMount = { skip: 'this system does not allow tests to mount disks' }

const record = (path: string, isFolder = false): KeptRecord => ({
  kind: 'trash',
  path,
  time: 1_700_000_000_000,
  user: 1,
  userName: 'ann',
  operation: 'op',
  isFolder,
  modified: 1_600_000_000_000,
})

/** The stores of an instance whose data folder is outside of the served folder. */
function placesOf(root: string, stateFolder: string) {
  return createKeptStores({
    root,
    stateFolder,
    removeTree: async (address) => runTreeTask({ kind: 'remove', address }),
    log,
  })
}

function create(t: Test, tree: Parameters<Test['testdir']>[0] = {}) {
  const base = realpathSync(t.testdir({ root: tree, 'state.d': {} }))
  const [root, stateFolder] = [join(base, 'root'), join(base, 'state.d')]
  return { root, stateFolder, stores: placesOf(root, stateFolder), at: (name: string) => join(root, name) }
}

/** The served folder is the top of a disk of its own, and the data folder is on another disk. */
function createOnDisk(t: Test, kind: Parameters<typeof mountSmall>[1]) {
  const disk = mountSmall(t, kind)
  if (disk === undefined) return void t.pass(`${kind}`, noMount)
  const { stateFolder } = create(t)
  return { disk, stateFolder, stores: placesOf(disk, stateFolder), at: (name: string) => join(disk, name) }
}

async function itemsOf(store: KeptStore | undefined) {
  const items: unknown[] = []
  for await (const item of store?.list() ?? []) items.push(item)
  return items
}

const codeOf = (work: Promise<unknown> | undefined) =>
  work?.then(
    () => 'done',
    (error: NodeJS.ErrnoException) => error.code,
  )

t.test('an entry is moved in and out again, with its content and its record', async (t) => {
  const { at, root, stateFolder, stores } = create(t, { a: { 'b.txt': 'hello' } })
  const store = await stores.storeFor(root)
  if (!store) throw new Error('no store')
  t.equal(store.key, 'state', 'the data folder, because it is on the same disk')
  t.equal(statSync(join(stateFolder, 'kept')).mode & 0o777, 0o700)
  t.strictSame(await store.take('one', at('a'), record('/a', true)), { hasRecord: true })
  t.notOk(existsSync(at('a')))
  t.ok((await store.find('one'))?.isDirectory())
  t.equal(readFileSync(join(store.addressOf('one'), 'b.txt'), 'utf8'), 'hello')
  t.strictSame(await itemsOf(store), [{ id: 'one', record: record('/a', true) }])
  await store.putBack('one', at('a'))
  t.equal(readFileSync(at('a/b.txt'), 'utf8'), 'hello')
  t.strictSame(readdirSync(join(stateFolder, 'kept')), [])
  t.equal(await store.find('one'), undefined)
})

t.test('an entry with a hostile name is moved in and out', async (t) => {
  const { at, root, stores } = create(t)
  const store = await stores.storeFor(root)
  for (const [n, name] of hostileNames.entries()) {
    writeFileSync(at(name), name)
    await store?.take(`id-${n}`, at(name), record(`/${name}`))
  }
  t.strictSame(readdirSync(root), [])
  for await (const { id, record: found } of store?.list() ?? []) {
    if (found) await store?.putBack(id, root + found.path)
  }
  t.strictSame(readdirSync(root).sort(), [...hostileNames].sort())
})

t.test('an entry whose name is not UTF-8 is moved in and out', async (t) => {
  const { root, stores } = create(t)
  const bytes = Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])])
  writeFileSync(bytes, 'x')
  const store = await stores.storeFor(root)
  await store?.take('one', `${root}/caf\ufffd%E9`, record('/caf\ufffd%E9'))
  t.notOk(existsSync(bytes))
  await store?.putBack('one', `${root}/caf\ufffd%E9`)
  t.ok(existsSync(bytes))
})

t.test('an entry that is put back never replaces another one', async (t) => {
  const { at, root, stores } = create(t, {
    file: 'old',
    folder: { x: '1' },
    link: t.fixture('symlink', 'file'),
  })
  const store = await stores.storeFor(root)
  for (const name of ['file', 'folder', 'link']) await store?.take(name, at(name), record(`/${name}`))
  const obstacles: Record<string, () => void> = {
    file: () => writeFileSync(at('taken'), 'new'),
    folder: () => mkdirSync(at('taken/y'), { recursive: true }),
    'empty folder': () => mkdirSync(at('taken')),
    link: () => symlinkSync('nowhere', at('taken')),
  }
  for (const [kind, make] of Object.entries(obstacles)) {
    make()
    for (const name of ['file', 'folder', 'link']) {
      t.equal(await codeOf(store?.putBack(name, at('taken'))), 'EEXIST', `${name} to a ${kind}`)
      t.ok(await store?.find(name), `${name} stays`)
    }
    rmSync(at('taken'), { recursive: true })
  }
  for (const name of ['file', 'folder', 'link']) await store?.putBack(name, at(name))
  t.strictSame(readdirSync(root), ['file', 'folder', 'link'])
})

t.test('a move out that was interrupted between two names is finished by the next one', async (t) => {
  const { at, root, stores } = create(t, { file: 'old' })
  const store = await stores.storeFor(root)
  if (!store) throw new Error('no store')
  await store.take('one', at('file'), record('/file'))
  linkSync(store.addressOf('one'), at('file'))
  await store.putBack('one', at('file'))
  t.equal(readFileSync(at('file'), 'utf8'), 'old')
  t.equal(await store.find('one'), undefined)
})

t.test('a text that is no id leads nowhere', async (t) => {
  const { at, root, stores } = create(t, { file: 'old' })
  const store = await stores.storeFor(root)
  for (const id of ['', '.', '..', '../x', 'a/b', 'a.json', 'gone.a', 'x'.repeat(65), 'é']) {
    t.equal(await store?.find(id), undefined, id)
    t.equal(await codeOf(store?.take(id, at('file'), record('/file'))), 'ENOENT', id)
    t.throws(() => store?.addressOf(id), { code: 'ENOENT' })
  }
  t.ok(existsSync(at('file')))
})

t.test('the old content of a file is kept as a hard link until the file is replaced', async (t) => {
  const { at, root, stores } = create(t, { file: 'old', next: 'new' })
  const store = await stores.storeFor(root)
  if (!store) throw new Error('no store')
  t.strictSame(await store.keepOld('one', at('file'), record('/file')), { by: 'link', hasRecord: true })
  t.equal(readFileSync(at('file'), 'utf8'), 'old', 'the file is never missing')
  renameSync(at('next'), at('file'))
  t.equal(readFileSync(store.addressOf('one'), 'utf8'), 'old')
  t.equal(await codeOf(store.forget('one')), 'EBUSY', 'the only name of a content is not forgotten')
  await store.keepOld('two', at('file'), record('/file'))
  await store.putOver('one', at('file'))
  t.equal(readFileSync(at('file'), 'utf8'), 'old')
  t.equal(readFileSync(store.addressOf('two'), 'utf8'), 'new')
  t.equal(await store.find('one'), undefined)
})

t.test('the link of a replacement that did not happen is forgotten', async (t) => {
  const { at, root, stateFolder, stores } = create(t, { file: 'old' })
  const store = await stores.storeFor(root)
  await store?.keepOld('one', at('file'), record('/file'))
  await store?.forget('one')
  t.equal(readFileSync(at('file'), 'utf8'), 'old')
  t.strictSame(readdirSync(join(stateFolder, 'kept')), [])
  await store?.keepOld('two', at('file'), record('/file'))
  await store?.putOver('two', at('file'))
  t.strictSame(readdirSync(join(stateFolder, 'kept')), [], 'also when it is put over itself')
})

t.test('a failed move changes nothing', async (t) => {
  const { root, stateFolder, at, stores } = create(t)
  const store = await stores.storeFor(root)
  t.equal(await codeOf(store?.take('one', at('missing'), record('/missing'))), 'ENOENT')
  t.equal(await codeOf(store?.keepOld('one', at('missing'), record('/missing'))), 'ENOENT')
  t.strictSame(readdirSync(join(stateFolder, 'kept')), [])
})

t.test('an item is deleted permanently, and after a crash the next start continues', async (t) => {
  const { at, root, stateFolder, stores } = create(t, { a: { b: { c: 'x' } }, d: 'y' })
  const store = await stores.storeFor(root)
  await store?.take('one', at('a'), record('/a', true))
  await store?.take('two', at('d'), record('/d'))
  await store?.destroy('one')
  await store?.destroy('one')
  t.equal(await store?.find('one'), undefined)
  t.ok(await store?.find('two'))
  const kept = join(stateFolder, 'kept')
  mkdirSync(join(kept, 'gone.three/x'), { recursive: true })
  writeFileSync(join(kept, 'old.json'), '{}')
  utimesSync(join(kept, 'old.json'), 0, 0)
  writeFileSync(join(kept, 'new.json'), '{}')
  await stores.resume()
  t.strictSame(readdirSync(kept).sort(), ['new.json', 'two', 'two.json'])
})

t.test('a damaged record is not read', async (t) => {
  const { at, root, stateFolder, stores } = create(t, { a: 'x' })
  const store = await stores.storeFor(root)
  const file = join(stateFolder, 'kept', 'one.json')
  await store?.take('one', at('a'), record('/a'))
  const damage: [string, () => void][] = [
    ['empty', () => writeFileSync(file, '')],
    ['another shape', () => writeFileSync(file, '{"path":"/a"}')],
    ['large', () => writeFileSync(file, `${JSON.stringify(record('/a'))}${' '.repeat(70_000)}`)],
    ['a link', () => symlinkSync('/etc/hostname', file)],
    ['a pipe', () => execFileSync(systemTool('mkfifo'), [file])],
    ['a folder', () => mkdirSync(file)],
    ['missing', () => {}],
  ]
  for (const [what, make] of damage) {
    rmSync(file, { recursive: true, force: true })
    make()
    t.strictSame(await itemsOf(store), [{ id: 'one', record: undefined }], what)
  }
})

t.test('a folder that was deleted from outside is made again', async (t) => {
  const { at, root, stateFolder, stores } = create(t, { a: 'x', b: 'y' })
  const store = await stores.storeFor(root)
  await store?.take('one', at('a'), record('/a'))
  rmSync(join(stateFolder, 'kept'), { recursive: true })
  t.equal(await store?.find('one'), undefined)
  t.equal(await codeOf(store?.putBack('one', at('a'))), 'ENOENT')
  await store?.take('two', at('b'), record('/b'))
  t.ok(await store?.find('two'))
})

t.test('a folder without write permission is moved like any other', async (t) => {
  const root = openFolder(t)
  const stateFolder = join(root, '..', `${temporaryName()}-state`)
  mkdirSync(stateFolder)
  t.teardown(() => rmSync(stateFolder, { recursive: true, force: true }))
  mkdirSync(join(root, 'locked/inner'), { recursive: true })
  mkdirSync(join(root, 'foreign'), { mode: 0o755 })
  chmodSync(join(root, 'locked'), 0o555)
  if (otherUser) {
    for (const path of [root, stateFolder, join(root, 'locked')])
      chownSync(path, otherUser.uid, otherUser.gid)
    process.seteuid?.(otherUser.uid)
    t.teardown(() => process.seteuid?.(0))
  }
  const store = await placesOf(root, realpathSync(stateFolder)).storeFor(root)
  await store?.take('one', join(root, 'locked'), record('/locked', true))
  t.notOk(existsSync(join(root, 'locked')))
  await store?.putBack('one', join(root, 'locked'))
  t.equal(statSync(join(root, 'locked')).mode & 0o777, 0o555)
  const foreign = await codeOf(store?.take('two', join(root, 'foreign'), record('/foreign', true)))
  if (otherUser) t.equal(foreign, 'EXDEV', 'a folder of another user counts as if it were on another disk')
  process.seteuid?.(otherUser ? 0 : (process.geteuid?.() ?? 0))
})

t.test('each disk has its own hidden folder, closed for other users', async (t) => {
  const made = createOnDisk(t, 'tmpfs')
  if (!made) return
  const { disk, at, stateFolder } = made
  writeFileSync(at('a'), 'x')
  const outer = placesOf(dirname(disk), stateFolder)
  const [store, other] = [await outer.storeFor(disk), await outer.storeFor(dirname(disk))]
  t.strictSame([store?.key, other?.key], ['/disk', 'state'])
  await store?.take('one', at('a'), record('/disk/a'))
  t.strictSame(readdirSync(disk), ['.coffer-kept'])
  t.equal(statSync(at('.coffer-kept')).mode & 0o777, 0o700)
  t.ok(await (await outer.byKey('/disk'))?.find('one'))
  t.strictSame(
    (await outer.all()).map(({ key }) => key),
    ['state', '/disk'],
  )
  execFileSync(systemTool('umount'), [disk])
  t.equal(await outer.byKey('/disk'), undefined, 'no store when the disk is not mounted')
  t.equal((await outer.storeFor(disk))?.key, 'state')
  execFileSync(systemTool('mount'), ['-t', 'tmpfs', 'tmpfs', disk])
})

t.test('a bind mount of the same disk has its own folder', async (t) => {
  const { at, root, stores } = create(t, { bound: {}, source: { a: 'x' } })
  try {
    execFileSync(systemTool('mount'), ['--bind', at('source'), at('bound')], { stdio: 'pipe' })
  } catch {
    return void t.pass('a bind mount', noMount)
  }
  let isMounted = true
  const unmount = () => {
    if (isMounted) execFileSync(systemTool('umount'), ['-l', at('bound')])
    isMounted = false
  }
  t.teardown(unmount)
  const store = await stores.storeFor(at('bound'))
  t.equal(store?.key, '/bound')
  t.strictSame(await store?.take('one', at('bound/a'), record('/bound/a')), { hasRecord: true })
  t.equal((await stores.storeFor(root))?.key, 'state')
  const whole = await stores.storeFor(root)
  t.equal(
    await codeOf(whole?.take('two', at('bound'), record('/bound', true))),
    'EBUSY',
    'a mounted disk is not taken away with its folder',
  )
  unmount()
})

t.test('a link, a file or a foreign folder in the store of the hidden folder is never used', async (t) => {
  const made = createOnDisk(t, 'tmpfs')
  if (!made) return
  const { disk, at, stores } = made
  mkdirSync(at('elsewhere'), { mode: 0o700 })
  symlinkSync('elsewhere', at('.coffer-kept'))
  writeFileSync(at('.coffer-kept-2'), '')
  mkdirSync(at('.coffer-kept-3'), { mode: 0o777 })
  chownSync(at('.coffer-kept-3'), 12345, 12345)
  writeFileSync(at('a'), 'x')
  const store = await stores.storeFor(disk)
  await store?.take('one', at('a'), record('/a'))
  t.strictSame(readdirSync(at('.coffer-kept-4')), ['one', 'one.json'])
  t.strictSame(readdirSync(at('elsewhere')), [])
  rmSync(at('.coffer-kept'))
  t.ok(await (await stores.storeFor(disk))?.find('one'), 'the folder in use stays the same')
  t.notOk(existsSync(at('.coffer-kept')))
  chmodSync(at('.coffer-kept-4'), 0o755)
  await store?.find('one')
  t.equal(statSync(at('.coffer-kept-4')).mode & 0o777, 0o700, 'a recursive chmod does not open it')
})

t.test('nothing is kept on a read-only disk', async (t) => {
  const made = createOnDisk(t, 'tmpfs')
  if (!made) return
  const { disk, at, stores } = made
  writeFileSync(at('a'), 'x')
  const store = await stores.storeFor(disk)
  await store?.take('one', at('a'), record('/a'))
  execFileSync(systemTool('mount'), ['-o', 'remount,ro', disk])
  // The store and the table of mounts are remembered for a tenth of a second.
  await until(async () => (await stores.storeFor(disk)) === undefined)
  t.ok(await (await stores.byKey('/'))?.find('one'), 'what it holds can be read')
  t.equal(readFileSync((await stores.byKey('/'))?.addressOf('one') ?? '', 'utf8'), 'x')
})

for (const kind of ['tmpfs', 'ext4'] as const) {
  t.test(`an entry of a full disk (${kind}) is moved in without a record`, async (t) => {
    const made = createOnDisk(t, kind)
    if (!made) return
    const { disk, at, stores } = made
    writeFileSync(at('a'), 'x')
    await stores.resume()
    fillUp(at('full'), 'inodes')
    const store = await stores.storeFor(disk)
    t.strictSame(await store?.take('one', at('a'), record('/a')), { hasRecord: false })
    t.ok(await store?.find('one'))
    t.strictSame(await itemsOf(store), [{ id: 'one', record: undefined }])
    await store?.destroy('one')
    t.strictSame(readdirSync(at('.coffer-kept')), [])
  })
}

t.test('a disk without links, owners and modes keeps entries too', async (t) => {
  const made = createOnDisk(t, 'exfat')
  if (!made) return
  const { disk, at, stores } = made
  for (const name of ['a', 'b']) writeFileSync(at(name), name)
  mkdirSync(at('folder/x'), { recursive: true })
  const store = await stores.storeFor(disk)
  if (!store) throw new Error('no store')
  await store.take('one', at('folder'), record('/folder', true))
  t.strictSame(await store.keepOld('two', at('a'), record('/a')), { by: 'rename', hasRecord: true })
  t.notOk(existsSync(at('a')), 'the name is free for the new content')
  t.equal(await codeOf(store.forget('two')), 'EBUSY')
  t.equal(await codeOf(store.putBack('two', at('b'))), 'EEXIST')
  await store.putBack('two', at('a'))
  await store.putBack('one', at('folder'))
  t.strictSame(readdirSync(disk).sort(), ['.coffer-kept', 'a', 'b', 'folder'])
  t.strictSame(readdirSync(at('.coffer-kept')), [])
  t.ok(lstatSync(at('folder/x')).isDirectory())
})

t.test('a kill at any moment loses nothing and leaves nothing twice', async (t) => {
  const { root, stateFolder, at } = create(t, {
    ...{ a: 'content of a', b: 'content of b', folder: { x: { y: 'content of y' } } },
    link: t.fixture('symlink', 'a'),
  })
  const program = join(import.meta.dirname, '../../testing/keep-in-loop.ts')
  const begin = async () => {
    const child = spawnNode(undefined, [program, root, stateFolder], { stdio: ['ignore', 'pipe', 'inherit'] })
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'exit')])
    return child
  }
  for (let kill = 0; kill < 5; kill++) {
    const child = await begin()
    t.equal(child.exitCode, null, 'what the last kill has left can be moved back')
    // Each kill hits another moment of a loop whose rounds take about a millisecond.
    for (const until = performance.now() + Math.random() * 4; performance.now() < until; );
    child.kill('SIGKILL')
    await once(child, 'exit')
    const kept = readdirSync(join(stateFolder, 'kept')).filter((name) => !name.endsWith('.json'))
    const names = new Set([...readdirSync(root), ...kept.map((id) => id.split('-')[0] ?? '')])
    t.strictSame([...names].sort(), ['a', 'b', 'folder', 'link'])
    t.ok(kept.length <= 1, 'at most one is on its way')
    for (const id of kept) {
      const [name = ''] = id.split('-')
      const there = existsSync(at(name)) ? lstatSync(at(name)).ino : undefined
      t.ok([undefined, lstatSync(join(stateFolder, 'kept', id)).ino].includes(there), 'never two contents')
    }
  }
})
