import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '#src/core/database/database.ts'
import { createLog } from '#src/core/log/log.ts'
import { stateKey } from '#src/files/metadata/state-key.ts'
import { createMetadataCache, oldRowsRemoved } from './metadata-cache.ts'

const state = { dev: 1, ino: 2, size: 3, mtimeMs: 4, ctimeMs: 5 }
const key = stateKey(state)
const fields = { taken: '2024-05-01T12:30:00', width: 40, height: 60 }
const dayMs = 24 * 60 * 60_000

async function open(t: Test, file = join(t.testdir({}), 'history.db')) {
  let at = Date.UTC(2026, 0)
  const database = openDatabase(file, { log: createLog({ target: '', format: 'text' }) })
  await database.opened
  t.teardown(() => database.close())
  const cache = createMetadataCache(database, () => at)
  return { file, database, cache, advance: (days: number) => (at += days * dayMs) }
}

t.test('known metadata is still known after a restart', async (t) => {
  const { file, database, cache } = await open(t)
  t.ok(await cache.store([{ key, ...fields }]))
  await cache.storePlaceholder(state, new Uint8Array([0x11, 1, 2]))
  await database.close()
  const { cache: later } = await open(t, file)
  t.strictSame(
    await later.find([key, 'other']),
    new Map([[key, { isRead: true, ...fields, placeholder: 'EQEC' }]]),
  )
})

t.test('a placeholder alone does not mean that the file was read', async (t) => {
  const { cache } = await open(t)
  await cache.storePlaceholder(state, new Uint8Array([0x11, 1, 2]))
  t.strictSame((await cache.find([key])).get(key), { isRead: false, placeholder: 'EQEC' })
  await cache.store([{ key }])
  t.strictSame((await cache.find([key])).get(key), { isRead: true, placeholder: 'EQEC' })
})

t.test('metadata of a changed or deleted file is removed', async (t) => {
  const { cache } = await open(t)
  await cache.store([{ key, ...fields }, { key: 'other' }])
  await cache.remove([state])
  t.strictSame([...(await cache.find([key, 'other'])).keys()], ['other'])
})

t.test('metadata that was not requested for 90 days is removed', async (t) => {
  const { cache, advance } = await open(t)
  await cache.store([{ key, ...fields }, { key: 'unused' }])
  advance(60)
  await cache.find([key])
  advance(60)
  const many = Array.from({ length: 6000 }, (_, n) => ({ key: `new ${n}` }))
  await cache.store(many)
  t.strictSame([...(await cache.find([key, 'unused', 'new 0'])).keys()].sort(), [key, 'new 0'].sort())
})

t.test('above the limit, the metadata that was used least recently is removed', async (t) => {
  const { cache, database, advance } = await open(t)
  for (const name of ['a', 'b', 'c']) {
    await cache.store([{ key: name }])
    advance(1)
  }
  await database.write(oldRowsRemoved(0, 2))
  t.strictSame([...(await cache.find(['a', 'b', 'c'])).keys()].sort(), ['b', 'c'])
})

t.test('a database that fails means that nothing is known', async (t) => {
  const { cache, database } = await open(t)
  await database.close()
  t.notOk(await cache.store([{ key, ...fields }]))
  t.equal((await cache.find([key])).size, 0)
})
