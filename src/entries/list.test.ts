import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Principal } from '#src/access/principal.ts'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { start } from '#src/testing/start.ts'

const how = { signal: () => new AbortController().signal, language: 'en' }
const pathOf = (text: string) => normalizePath(text).path

async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const one of found) list.push(one)
  return list
}

async function prepare(t: Parameters<typeof start>[0]) {
  const people = { ann: {} }
  const running = await start(t, { tree: { few: { 'a.txt': 'text', sub: {} }, many: {} }, people })
  const ann = Object.values(running.document.data.users).find(({ username }) => username === 'ann')
  return { ...running, person: running.services.auth.personOf(ann?.id ?? 0) as Principal }
}

t.test('the entries of a folder are the items of its listing', async (t) => {
  const { services, person, as } = await prepare(t)
  const found = await all(services.entries.list(person, pathOf('/few'), how))
  const ann = await as('ann')
  t.strictSame(found.flat(), (await ann('GET', '/api/resources/few/')).json().items)
})

t.test('the first entries of a large folder come before the others', async (t) => {
  const { services, person, root } = await prepare(t)
  for (let n = 0; n < 2500; n++) writeFileSync(join(root, 'many', `${n}.txt`), '')
  const [first = [], rest = [], ...more] = await all(services.entries.list(person, pathOf('/many'), how))
  t.equal(first.length, 200)
  t.strictSame(
    [...first, ...rest].map(({ index }) => index),
    Array.from({ length: 2500 }, (_, n) => n),
  )
  t.strictSame(more, [])
})

t.test('only a folder has entries, and both can be described', async (t) => {
  const { services, person } = await prepare(t)
  const { entries } = services
  await t.rejects(all(entries.list(person, pathOf('/few/a.txt'), how)), { code: 'path.file' })
  await t.rejects(all(entries.list(person, pathOf('/none'), how)), { code: 'path.unknown' })
  t.match(await entries.stat(person, pathOf('/few/a.txt'), how), { name: 'a.txt', size: 4, isDir: false })
  t.match(await entries.stat(person, pathOf('/few'), how), { name: 'few', isDir: true })
})
