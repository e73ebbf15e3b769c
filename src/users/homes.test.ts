import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { start } from '#src/testing/start.ts'

async function setUp(t: Test) {
  const started = await start(t)
  const { root } = started
  for (const folder of ['team/10', 'team/9', 'team/.hidden'])
    mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, 'team/notes.txt'), 'x')
  const admin = await started.as('admin')
  const ask = (path: string) => admin('GET', `/api/homes?path=${encodeURIComponent(path)}`)
  const look = async (path: string) => (await ask(path)).json()
  return { ...started, admin, ask, look }
}

t.test('an administrator sees what a scope would be, with the folders in it', async (t) => {
  const { look } = await setUp(t)
  t.strictSame(await look(' team/ '), {
    path: '/team',
    kind: 'folder',
    folders: ['.hidden', '9', '10'],
    hasMore: false,
  })
  t.match(await look('.'), { path: '/', kind: 'folder' })
  t.match(await look(''), { path: '/', kind: 'folder' })
  t.strictSame(await look('/team/new/deep'), {
    path: '/team/new/deep',
    kind: 'missing',
    folders: [],
    hasMore: false,
  })
  t.match(await look('/team/notes.txt'), { kind: 'other' })
  t.match(await look('/team/notes.txt/below'), { kind: 'other' })
})

t.test('a path cannot leave the served folder, neither with dots nor through a link', async (t) => {
  const { look, ask, root } = await setUp(t)
  t.match(await look('/../../etc'), { path: '/etc', kind: 'missing' })
  const outer = join(root, '..', 'outer')
  mkdirSync(join(outer, 'elsewhere'), { recursive: true })
  symlinkSync(outer, join(root, 'link'))
  const outside = await look('/link')
  t.match(outside, { kind: 'outside', folders: [] })
  t.match(await look('/link/elsewhere'), { kind: 'outside', folders: [] })
  for (const path of ['/a\0b', `/${'x'.repeat(300)}`, `/${'x'.repeat(5000)}`])
    t.equal((await ask(path)).statusCode, 400, path.slice(0, 10))
})

t.test('a folder with very many folders shows the first thousand', async (t) => {
  const { look, root } = await setUp(t)
  for (let n = 0; n < 1010; n++) mkdirSync(join(root, 'many', String(n)), { recursive: true })
  const { folders, hasMore } = await look('/many')
  t.equal(folders.length, 1000)
  t.equal(hasMore, true)
})
