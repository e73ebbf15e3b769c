import t, { type Test } from 'tap'
import type { Listing } from '#contract/resources.ts'
import type { FolderView, UserView } from '#contract/users.ts'
import { start } from '#src/testing/start.ts'

async function setUp(t: Test) {
  const tree = { docs: { 'b.txt': '1', 'a.txt': '22' }, other: { 'a.txt': '22', 'b.txt': '1' } }
  const started = await start(t, { tree, people: { bob: {} } })
  const bob = await started.as('bob')
  const put = (data: object) =>
    bob('PUT', '/api/users/2', {
      payload: { what: 'user', which: Object.keys(data), data: { id: 2, ...data } },
    })
  const list = async (path: string): Promise<Listing> => (await bob('GET', `/api/resources${path}`)).json()
  const own = async (): Promise<UserView> => (await bob('GET', '/api/users/2')).json()
  return { ...started, bob, put, list, own }
}

const bySize = { by: 'size', asc: true } as const

t.test('a folder keeps its own view and order unless the user wants one for all folders', async (t) => {
  const { put, list } = await setUp(t)
  const view = { viewMode: 'mosaic', sorting: bySize } satisfies FolderView
  t.equal((await put({ folderViews: { '/docs/': view } })).statusCode, 200)
  await put({ rememberViews: false })
  t.notOk((await list('/docs/')).view)
  await put({ rememberViews: true })
  const { items, sorting, view: shown } = await list('/docs/')
  t.strictSame([sorting, shown], [bySize, view])
  t.strictSame(
    items.map(({ name }) => name),
    ['b.txt', 'a.txt'],
  )
  t.match(await list('/other/'), { sorting: { by: 'name' }, view: undefined })
  await put({ folderViews: { '/docs': { columns: ['kind'] } } })
  t.strictSame((await list('/docs')).view, { ...view, columns: ['kind'] }, 'a part leaves the others')
  await put({ folderViews: { '/docs': null } })
  t.notOk((await list('/docs/')).view)
})

t.test(
  'clients that know one order for all folders see the order that the user chooses in them',
  async (t) => {
    const { put, list, own } = await setUp(t)
    await put({
      folderViews: { '/docs/': { viewMode: 'mosaic', sorting: bySize }, '/other': { sorting: bySize } },
    })
    await put({ sorting: { by: 'name', asc: false } })
    t.strictSame((await list('/docs/')).sorting, bySize, 'an unchanged order forgets nothing')
    await put({ sorting: { by: 'modified', asc: false } })
    t.strictSame((await list('/docs/')).sorting, { by: 'modified', asc: false })
    t.strictSame((await own()).folderViews, { '/docs': { viewMode: 'mosaic' } })
    await put({ viewMode: 'mosaic gallery' })
    t.strictSame((await own()).folderViews, {})
  },
)

t.test('the views of the 200 folders that were changed last are kept', async (t) => {
  const { put, own } = await setUp(t)
  const views = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`/f${from + at}`, { viewMode: 'list' }]))
  await put({ folderViews: views(0, 200) })
  await put({ folderViews: { '/f0': { sorting: bySize } } })
  await put({ folderViews: views(200, 1) })
  const kept = Object.keys((await own()).folderViews ?? {})
  t.equal(kept.length, 200)
  t.strictSame([kept[0], ...kept.slice(-2)], ['/f2', '/f0', '/f200'])
  t.equal((await put({ folderViews: views(0, 201) })).statusCode, 400)
  t.equal((await put({ folderViews: { '/x': { viewMode: 'pink' } } })).statusCode, 400)
})

t.test('remembered views are not in the token or the list of users', async (t) => {
  const { put, bob, as, document } = await setUp(t)
  await put({ folderViews: { '/secret': { viewMode: 'mosaic' } }, density: 'compact' })
  const { body } = await bob('POST', '/api/renew')
  t.notMatch(Buffer.from(body.split('.')[1] ?? '', 'base64url').toString(), 'folderViews')
  const users = await (await as('admin'))('GET', '/api/users')
  t.notMatch(users.body, 'folderViews')
  t.match(users.json()[1], { density: 'compact' })
  t.ok(document.data.users[2]?.folderViews)
})

t.test('the view of a folder follows when anybody renames, moves or restores it', async (t) => {
  const { put, list, own, bob, as } = await setUp(t)
  const admin = await as('admin')
  const mosaic = { viewMode: 'mosaic' } as const
  const views = { '/docs': mosaic, '/docs/deep/er': { sorting: bySize }, '/docs2': mosaic }
  await put({ folderViews: views })
  const move = async (from: string, to: string, by = bob) =>
    t.equal((await by('PATCH', `/api/resources${from}?action=rename&destination=${to}`)).statusCode, 200)
  await move('/docs', '/letters')
  t.same((await list('/letters/')).view, mosaic)
  t.same(Object.keys((await own()).folderViews ?? {}), ['/letters', '/letters/deep/er', '/docs2'])
  await move('/letters', '/other/letters', admin)
  t.same((await list('/other/letters/')).view, mosaic)
  await put({ folderViews: { '/gone': { columns: ['kind'] } } })
  await move('/other/letters', '/gone')
  t.same((await list('/gone/')).view, mosaic, 'not the view of what was there before')
  t.equal((await bob('DELETE', '/api/resources/gone/')).statusCode, 200)
  const { items } = (await bob('GET', '/api/trash')).json()
  t.equal((await bob('POST', `/api/trash/${items[0].id}/restore`)).statusCode, 200)
  t.same((await list('/gone/')).view, mosaic)
})

t.test('the view of a folder that leaves the folder of the user is forgotten', async (t) => {
  const { put, own, as, document } = await setUp(t)
  const admin = await as('admin')
  await put({ folderViews: { '/b': { viewMode: 'mosaic' }, '/c': { viewMode: 'mosaic' } } })
  await document.update((draft) => {
    const bob = draft.users[2]
    if (bob) bob.scope = '/docs'
  })
  for (const name of ['b', 'c']) await admin('POST', `/api/resources/docs/${name}/`)
  await admin('PATCH', '/api/resources/docs/b?action=rename&destination=/b')
  t.same(Object.keys((await own()).folderViews ?? {}), ['/c'])
  await admin('PATCH', '/api/resources/docs?action=rename&destination=/papers')
  t.same(Object.keys((await own()).folderViews ?? {}), ['/c'], 'paths inside stay the same')
})
