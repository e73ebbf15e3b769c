import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { main } from '#src/testing/program.ts'
import { start } from '#src/testing/start.ts'

const people = { ann: { perm: { download: true, create: true, modify: true, delete: true } } }

async function begin(t: Test, base?: string) {
  const tree = { docs: { 'a.txt': 'one' }, 'b.txt': 'b', 'c.txt': 'c' }
  const running = await start(t, { people, onDisk: true, ...(base === undefined ? { tree } : { base }) })
  return { ...running, ann: await running.as('ann') }
}

type Call = Awaited<ReturnType<typeof begin>>['ann']

const trashOf = async (call: Call) =>
  (await call('GET', '/api/trash'))
    .json()
    .items.map(({ path, by }: { path: string; by: string }) => [path, by])

/** Fills the trash, ends the server, and damages the database. */
async function lose(t: Test) {
  const { ann, base, close, services } = await begin(t)
  await ann('PUT', '/api/resources/docs/a.txt', { payload: 'two' })
  await ann('DELETE', '/api/resources/b.txt')
  await ann('DELETE', '/api/resources/c.txt')
  await services.keeper.run()
  await close()
  writeFileSync(join(base, 'state.d/history.db'), 'this is no database')
  for (const suffix of ['-wal', '-shm']) rmSync(join(base, `state.d/history.db${suffix}`), { force: true })
  return base
}

t.test(
  'if the history is lost, trash and versions are read again from the records beside their files',
  async (t) => {
    const base = await lose(t)
    const { ann, services, root } = await begin(t, base)
    await services.keeper.run()
    t.strictSame((await trashOf(ann)).sort(), [
      ['/b.txt', 'ann'],
      ['/c.txt', 'ann'],
    ])
    const [version] = (await ann('GET', '/api/versions/docs/a.txt')).json()
    t.equal((await ann('GET', `/api/raw/docs/a.txt?version=${version.id}`)).body, 'one')
    for (const { id } of (await ann('GET', '/api/trash')).json().items)
      t.equal((await ann('POST', `/api/trash/${id}/restore`)).statusCode, 200)
    t.equal(readFileSync(join(root, 'b.txt'), 'utf8'), 'b')
  },
)

t.test(
  'coffer trash rebuild adds what is missing and removes what is gone, also without a server',
  async (t) => {
    const { ann, base, root, close, services } = await begin(t)
    for (const name of ['b.txt', 'c.txt', 'docs']) await ann('DELETE', `/api/resources/${name}`)
    await services.keeper.run()
    const kept = join(base, 'state.d/kept')
    const idOf = (path: string) =>
      readdirSync(kept)
        .filter(
          (name) => name.endsWith('.json') && readFileSync(join(kept, name), 'utf8').includes(`"${path}"`),
        )
        .map((name) => name.slice(0, -5))[0] ?? ''
    await close()
    writeFileSync(join(kept, `${idOf('/b.txt')}.json`), '{"kind":"trash","path":"/../../etc/x"}')
    rmSync(join(kept, idOf('/c.txt')))
    renameSync(join(kept, idOf('/docs')), join(kept, 'another'))
    const coffer = (...words: string[]) => {
      const flags = ['--root', root, '--database', join(base, 'state.json')]
      return execFileSync(process.execPath, [main, ...words, ...flags], { encoding: 'utf8', stdio: 'pipe' })
    }
    t.match(coffer('trash', 'rebuild'), /2 items were found, and 1 of them were missing/)
    const { entries } = JSON.parse(coffer('trash', 'list', '--json'))
    t.strictSame(entries.map(({ path }: { path: string }) => path).sort(), ['/another', '/b.txt'])
    t.match(coffer('trash', 'empty'), /2 entries were deleted/)
    t.strictSame(
      readdirSync(kept).filter((name) => !name.endsWith('.json')),
      [],
    )
  },
)
