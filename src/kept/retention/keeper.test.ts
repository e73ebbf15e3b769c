import {
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { KeepingSettings } from '#contract/history/kept.ts'
import { openDatabase } from '#src/core/database/database.ts'
import { createLog } from '#src/core/log/log.ts'
import { createKeptStores } from '#src/files/kept/kept-stores.ts'
import { runTreeTask } from '#src/files/tree-walk/tree-tasks.ts'
import { createAnnouncer, type KeptChange } from '#src/operations/followers.ts'
import { defaultKeeping } from '#src/state/defaults.ts'
import { mountSmall } from '#src/testing/small-disk.ts'
import { createKeptFollower } from '../follow-changes.ts'
import { createKeptReader, type KeptItem, rowAdded } from '../records/kept-rows.ts'
import { createKeeper } from './keeper.ts'

const hour = 60 * 60_000
const day = 24 * hour
const mebibyte = 1024 * 1024

/** A keeper of real items on a disk of its own, with clocks that the test sets. */
async function create(t: Test, { disk, offMs = 0 }: { disk?: string | undefined; offMs?: number } = {}) {
  const base = realpathSync(t.testdir({ root: {}, 'state.d': {} }))
  const [root, stateFolder] = [disk ?? join(base, 'root'), join(base, 'state.d')]
  const log = createLog({ target: '', format: 'text' })
  const database = openDatabase(join(stateFolder, 'history.db'), { log })
  await database.opened
  const removeTree = async (address: string) => runTreeTask({ kind: 'remove', address, isForced: true })
  const stores = createKeptStores({ root, stateFolder, removeTree, log })
  const settings: KeepingSettings = { ...defaultKeeping }
  const recorded: KeptChange[] = []
  const time = { now: Date.UTC(2026, 5, 18), elapsed: 0 }
  const announcer = createAnnouncer({ database, log })
  const keeper = createKeeper({
    database,
    stores,
    root,
    settings: () => settings,
    clock: () => time.now,
    elapsed: () => time.elapsed,
    offMs,
    announceKept: announcer.kept,
    measure: async (address) => runTreeTask({ kind: 'measure', address }).bytes ?? 0,
    log,
  })
  announcer.follow({
    kept: createKeptFollower({ root, keeper }),
    test: { kept: { after: (changes) => void recorded.push(...changes) } },
  })
  t.teardown(async () => {
    await keeper.close()
    await database.close()
  })
  const reader = createKeptReader(database)
  const pass = (ms: number) => {
    time.now += ms
    time.elapsed += ms
  }

  /** Adds an item with `bytes` of content. */
  async function keep(id: string, { bytes = 3, age = 0, user = 1, ...rest }: Partial<KeptItem> & Kept = {}) {
    const store = await stores.storeFor(root)
    if (!store) throw new Error('no store')
    const file = join(root, `${id}.txt`)
    writeFileSync(file, Buffer.alloc(bytes, 'x'))
    const item: KeptItem = {
      ...{ id, kind: 'trash', place: store.key, path: `/${id}.txt`, time: time.now - age, user },
      ...{ userName: '', operation: '', isFolder: false, modified: 0, ...rest },
    }
    await store.take(id, file, item)
    keeper.added(item)
    await database.write([rowAdded(item)])
  }

  return {
    ...{ root, stateFolder, stores, database, reader, keeper, settings, time, pass, keep, recorded },
    left: async () => (await stores.storeFor(root).then((store) => idsIn(store?.addressOf('x')))).sort(),
  }
}

interface Kept {
  bytes?: number
  age?: number
  user?: number
}

const idsIn = (address = '') => readdirSync(join(address, '..')).filter((name) => !name.endsWith('.json'))

t.test('entries leave the trash when their days are over, and not before', async (t) => {
  const { keeper, keep, left, settings, pass, reader, recorded } = await create(t)
  await keep('old', { age: 31 * day })
  await keep('young', { age: 29 * day })
  await keep('version', { kind: 'version', age: 40 * day })
  await keeper.run()
  t.strictSame(await left(), ['version', 'young'])
  t.equal(await reader.find('old'), undefined)
  const named = recorded.filter(({ deleted = [] }) => deleted.length > 0)
  t.strictSame(
    named.map(({ deleted = [], why }) => ({ deleted: deleted.map(({ path }) => path), why })),
    [{ deleted: ['/old.txt'], why: 'their days were over' }],
    'for the audit log',
  )
  settings.days = 90
  for (let hours = 0; hours < 48; hours++) {
    pass(hour)
    await keeper.run()
  }
  t.strictSame(await left(), ['version', 'young'])
  settings.days = 1
  await keeper.run()
  t.strictSame(await left(), ['version'])
})

t.test('a clock that jumps does not empty the trash', async (t) => {
  const { keeper, keep, left, time, pass } = await create(t)
  await keep('one')
  time.now += 3650 * day
  await keeper.run()
  t.strictSame(await left(), ['one'])
  time.now -= 3650 * day
  await keeper.run()
  pass(25 * hour)
  await keeper.run()
  t.strictSame(await left(), ['one'])
})

t.test('sizes are counted, of a folder with its content, and hard links once', async (t) => {
  const { root, keeper, stores, database, reader, keep, time } = await create(t)
  mkdirSync(join(root, 'folder/deep'), { recursive: true })
  writeFileSync(join(root, 'folder/deep/a'), 'x'.repeat(5000))
  linkSync(join(root, 'folder/deep/a'), join(root, 'folder/b'))
  const store = await stores.storeFor(root)
  const item: KeptItem = {
    ...{ id: 'folder', kind: 'trash', place: store?.key ?? '', path: '/folder', time: time.now, user: 1 },
    ...{ userName: '', operation: '', isFolder: true, modified: 0 },
  }
  await store?.take('folder', join(root, 'folder'), item)
  await database.write([rowAdded(item)])
  await keep('file', { bytes: 77 })
  keeper.start()
  await keeper.run()
  t.equal((await reader.find('folder'))?.size, 5000, 'also of items of an earlier process')
  t.equal((await reader.find('file'))?.size, 77)
})

t.test('a file with holes counts with the space that it takes', async (t) => {
  const { root } = await create(t)
  const file = join(root, 'sparse')
  writeFileSync(file, '')
  truncateSync(file, 1024 * mebibyte)
  writeFileSync(file, 'x'.repeat(mebibyte), { flag: 'r+' })
  utimesSync(file, 1, 1)
  const bytes = runTreeTask({ kind: 'measure', address: file }).bytes ?? 0
  t.ok(bytes >= mebibyte && bytes < 3 * mebibyte, `${bytes}`)
})

t.test('the oldest items leave when all take more than their share of the disk', async (t) => {
  const disk = mountSmall(t, 'tmpfs')
  if (disk === undefined) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
  const { keeper, keep, left, settings } = await create(t, { disk })
  // 16 MiB, of which 25 % are 4 MiB.
  Object.assign(settings, { share: 25, userShare: 90 })
  await keep('a', { bytes: 2 * mebibyte, age: 3 * day })
  await keep('b', { kind: 'version', bytes: mebibyte, age: 2 * day })
  await keep('c', { bytes: mebibyte, age: 5 * hour })
  await keeper.run()
  t.strictSame(await left(), ['a', 'b', 'c'], 'nothing leaves while space is not needed')
  await keep('d', { bytes: mebibyte })
  await keeper.run()
  t.strictSame(await left(), ['b', 'c', 'd'])
  await keep('e', { bytes: 3 * mebibyte, user: 2 })
  await keeper.run()
  t.strictSame(await left(), ['d', 'e'], 'the newest stay for an hour')
  Object.assign(settings, { share: 90, userShare: 10 })
  await keep('f', { bytes: mebibyte, age: 2 * hour, user: 2 })
  await keep('g', { bytes: mebibyte, age: 3 * hour, user: 3 })
  await keeper.run()
  t.strictSame(await left(), ['d', 'e', 'g'], 'a user has a share too')
})

t.test('an item that is larger than the share does not push out the others', async (t) => {
  const disk = mountSmall(t, 'tmpfs')
  if (disk === undefined) return void t.pass('a small disk', { skip: 'this system does not allow a mount' })
  const { keeper, keep, left, settings, pass } = await create(t, { disk })
  Object.assign(settings, { share: 25, userShare: 90 })
  await keep('small', { bytes: mebibyte, age: day })
  await keep('large', { bytes: 6 * mebibyte, age: hour * 2 })
  await keeper.run()
  t.strictSame(await left(), ['small'])
  pass(hour)
  await keeper.run()
  t.strictSame(await left(), ['small'])
})

t.test('items of a disk that is not there stay in the records', async (t) => {
  const { keeper, keep, left, stateFolder, reader, pass } = await create(t)
  await keep('one', { age: 40 * day })
  renameSync(join(stateFolder, 'kept'), join(stateFolder, 'away'))
  await keeper.run()
  t.ok(await reader.find('one'))
  renameSync(join(stateFolder, 'away'), join(stateFolder, 'kept'))
  pass(hour)
  await keeper.run()
  t.strictSame(await left(), [])
})

t.test('versions of a file are thinned', async (t) => {
  const { keeper, keep, left } = await create(t)
  const path = '/same.txt'
  for (const [id, age] of Object.entries({
    a: 400 * day,
    b: 20 * day + 2 * hour,
    c: 20 * day + hour,
    d: hour,
  }))
    await keep(id, { kind: 'version', path, age })
  await keep('other', { kind: 'version', path: '/other.txt', age: 20 * day + 2 * hour })
  await keeper.run()
  t.strictSame(await left(), ['c', 'd', 'other'])
})
