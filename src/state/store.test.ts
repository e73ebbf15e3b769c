import { Memory } from 'lowdb'
import t from 'tap'
import { newSettings } from './defaults.ts'
import { openDocument } from './document.ts'
import { draftOf } from './draft.ts'
import type { ShareRecord, State, UserRecord } from './state.ts'
import { createStore } from './store.ts'

const emptyState = (): State => ({
  version: 6,
  nextUserId: 1,
  users: {},
  credentials: { signingKey: Buffer.alloc(64, 7).toString('base64'), passwords: {} },
  settings: newSettings(),
  shares: {},
})

function newUser(username: string, admin = false): Omit<UserRecord, 'id'> {
  const { defaults } = newSettings()
  const perm = { ...defaults.perm, admin }
  return { ...defaults, username, perm, lockPassword: false, rules: [] }
}

const link: ShareRecord = {
  hash: 'a link that is long enough',
  userID: 1,
  path: '/docs',
  expire: 0,
  created: 1,
  password: '',
  thing: { dev: 1, ino: 1, birth: 1 },
}

/** A store with the users `admin` and `Ünal`, who has a link. */
async function open() {
  const memory = new Memory<State>()
  const store = createStore(await openDocument(memory, async () => emptyState()))
  await store.change((draft) => {
    for (const user of [newUser('admin', true), newUser('Ünal')]) {
      const id = draft.newUserId()
      draft.users.set(id, { ...user, id })
      draft.passwords.set(id, `hash ${id}`)
    }
    draft.links.set(link.hash, { ...link, userID: 2 })
  })
  return store
}

t.test('users, passwords, links and settings are found by their key', async (t) => {
  const { users, passwords, links, settings, unprinted } = await open()
  t.match(await users.byId(2), { username: 'Ünal' })
  t.match(await users.byName('ÜNAL'.normalize('NFD')), { id: 2 })
  t.equal(await users.byExactName('ünal'), undefined)
  t.match(await users.byExactName('Ünal'), { id: 2 })
  t.match(await users.list(), [{ id: 1 }, { id: 2 }])
  t.equal(await passwords.of(2), 'hash 2')
  t.strictSame(await passwords.list(), ['hash 1', 'hash 2'])
  t.match(await links.byHash(link.hash), { path: '/docs' })
  t.match(await links.list(), [{ userID: 2 }])
  t.match(await settings.get(), { signup: false })
  t.equal(await unprinted(), undefined)
})

t.test('an inherited property is no record', async (t) => {
  const { users, links, current } = await open()
  for (const name of ['constructor', '__proto__', 'toString']) {
    t.equal(await users.byId(name as never), undefined)
    t.equal(await users.byName(name), undefined)
    t.equal(await links.byHash(name), undefined)
    t.equal(current.link(name), undefined)
  }
})

t.test('a change of several records is stored as a whole or not at all', async (t) => {
  const { change, users, links, settings, passwords, unprinted } = await open()
  const both = change((draft) => {
    draft.users.remove(2)
    draft.passwords.remove(2)
    draft.links.remove(link.hash)
    draft.settings = { ...draft.settings, signup: true }
    draft.unprinted = { id: 1, hash: 'x' }
    throw new Error('stopped')
  })
  await t.rejects(both, { message: 'stopped' })
  t.strictSame([(await users.list()).length, (await links.list()).length], [2, 1])
  t.equal((await settings.get()).signup, false)
  const result = await change((draft) => {
    draft.users.remove(2)
    draft.passwords.remove(2)
    draft.links.remove(link.hash)
    draft.settings = { ...draft.settings, signup: true }
    draft.unprinted = { id: 1, hash: 'x' }
    return draft.users.list().length
  })
  t.equal(result, 1)
  t.strictSame([await users.byId(2), await passwords.of(2), await links.list()], [undefined, undefined, []])
  t.equal((await settings.get()).signup, true)
  t.strictSame(await unprinted(), { id: 1, hash: 'x' })
})

t.test(
  'what the store has returned is not changed by later changes, and cannot be changed by callers',
  async (t) => {
    const { change, users, settings, current } = await open()
    const before = await users.byId(2)
    await change((draft) => {
      const user = draft.users.get(2)
      if (user) user.perm.create = false
    })
    t.equal(before?.perm.create, true)
    const now = await users.byId(2)
    t.equal(now?.perm.create, false)
    for (const record of [before, now, current.user(1), await settings.get(), (await users.list())[0]]) {
      t.throws(() => Object.assign(record ?? {}, { username: 'eve' }), TypeError)
      const { rules } = record as UserRecord
      t.throws(() => rules.push({ allow: true, path: '/', regex: false, regexp: { raw: '' } }), TypeError)
    }
  },
)

t.test('what is current shows a change at once', async (t) => {
  const { change, current } = await open()
  t.ok(current.hasAdmin())
  t.equal(current.signingKey().length, 64)
  const pending = change((draft) => draft.links.remove(link.hash))
  t.ok(current.link(link.hash))
  await pending
  t.equal(current.link(link.hash), undefined)
})

t.test('an id of a user is never used again', async (t) => {
  const { change } = await open()
  await change((draft) => draft.users.remove(2))
  t.equal(await change((draft) => draft.newUserId()), 3)
  t.equal(await change((draft) => draft.newUserId()), 4)
})

t.test('the generated password is removed from the state when it has been printed', async (t) => {
  const state: State = { ...emptyState(), unprinted: { id: 1, hash: 'x' } }
  draftOf(state).unprinted = undefined
  t.notOk(Object.hasOwn(state, 'unprinted'))
})

t.test('listeners are told which links a change has removed, once it is stored', async (t) => {
  const { change, onLinksRemoved } = await open()
  const told: (readonly string[])[] = []
  onLinksRemoved((hashes) => told.push(hashes))
  const failing = change((draft) => {
    draft.links.remove(link.hash)
    throw new Error('stopped')
  })
  await t.rejects(failing)
  await change((draft) => {
    draft.links.remove(link.hash)
    draft.links.set(link.hash, { ...link, userID: 1 })
  })
  t.strictSame(told, [], 'nothing was removed')
  await change((draft) => draft.links.remove(link.hash))
  t.strictSame(told, [[link.hash]])
})
