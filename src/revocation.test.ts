import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { State, UserRecord } from '#src/core/state.ts'
import type { Turns } from '#src/core/turns.ts'
import { start } from '#src/testing/start.ts'
import { until } from '#src/testing/wire.ts'

const perm = { create: true, modify: true, delete: true, rename: true, download: true, share: true }
const copies = 10

async function world(t: Test) {
  const tree = {
    docs: { 'a.txt': 'a', 'long.txt': 'words\n'.repeat(60_000), deep: { 'b.txt': 'b' } },
    gone: { 'c.txt': 'c' },
    to: {},
  }
  const started = await start(t, { tree, people: { alice: { perm } } })
  const { store, services, as, call } = started
  const ask = await as('alice')
  const { hash } = (await ask('POST', '/api/share/docs')).json() as { hash: string }
  const visit = (url: string) => call('GET', url)
  const id = services.users.named('alice')?.id ?? 0
  const change = (edit: (alice: UserRecord, draft: State) => void) =>
    store.change((draft) => {
      const alice = draft.users[id]
      if (alice) edit(alice, draft)
    })
  const admin = await as('admin')
  return { ...started, ask, admin, visit, hash, id, change }
}

type World = Awaited<ReturnType<typeof world>>

/** Takes all there is, so that whatever asks for a turn waits until the result is disposed of. */
function fill(turns: Turns): Disposable {
  const held = new DisposableStack()
  let holders = 0
  for (let size = 2 ** 40; size >= 1; size /= 2) {
    for (;;) {
      const turn = turns.tryEnter(`holder ${holders++}`, size)
      if (!turn) break
      held.use(turn)
    }
  }
  return held
}

/** What takes a right away, and what calls are refused with from then on. */
const revocations: [how: string, take: (world: World) => Promise<unknown>, status: number][] = [
  ['the account is deleted', ({ admin, id }) => admin('DELETE', `/api/users/${id}`), 401],
  ['the session ends', ({ admin, id }) => admin('DELETE', `/api/users/${id}/sessions`), 401],
  [
    'the permissions are removed',
    ({ change }) =>
      change((alice) => {
        alice.perm = { ...alice.perm, create: false, rename: false, delete: false, download: false }
      }),
    403,
  ],
  [
    'a rule denies the files',
    ({ change }) =>
      change((alice) => {
        alice.rules = ['/docs', '/gone'].map((path) => ({ allow: false, regex: false, path, regexp: null }))
      }),
    403,
  ],
  [
    'the person is given another folder',
    ({ change }) =>
      change((alice) => {
        alice.scope = '/to'
      }),
    403,
  ],
]

for (const [how, take, status] of revocations) {
  t.test(`nothing that waits is done once ${how}`, async (t) => {
    const started = await world(t)
    const { ask, root, services, store } = started
    const { trees, hashes } = services.limits
    const full = [trees, hashes].map(fill)
    const url = '/api/resources'
    const waiting = [
      ...Array.from({ length: copies }, (_, n) =>
        ask('PATCH', `${url}/docs?action=copy&destination=%2Fto%2F${n}`),
      ),
      ask('DELETE', `${url}/gone`),
      ask('GET', `${url}/docs/a.txt?checksum=md5`),
    ]
    await until(() => trees.waiting === copies + 1 && hashes.waiting === 1)
    await take(started)
    for (const one of full) one[Symbol.dispose]()
    const codes = (await Promise.all(waiting)).map(({ statusCode }) => statusCode)
    t.strictSame(
      codes,
      codes.map(() => status),
    )
    t.strictSame(readdirSync(root).sort(), ['docs', 'gone', 'to'])
    t.strictSame(readdirSync(join(root, 'to')), [])
    t.strictSame(readdirSync(join(root, 'gone')), ['c.txt'])
    t.equal(Object.keys(store.data.shares).length, started.id in store.data.users ? 1 : 0)
    t.equal(trees.waiting + hashes.waiting, 0)
  })
}
