import { Worker } from 'node:worker_threads'
import { hashSync } from 'bcryptjs'
import t, { type Test } from 'tap'
import { hashPassword, isOutdatedHash } from '#src/core/access/passwords.ts'
import { Problem } from '#src/core/problem.ts'
import { createStore, type Store } from '#src/state/store.ts'
import { start } from '#src/testing/start.ts'
import { createVerify } from './verify.ts'

const password = 'old password of File Browser'

async function setUp(t: Test) {
  const started = await start(t, { people: { alice: {}, bob: {} } })
  await started.document.update(({ credentials }) => {
    for (const id of [2, 3]) credentials.passwords[id] = hashSync(`${password} ${id}`, 4)
  })
  const hashOf = (id: number) => started.document.data.credentials.passwords[id] ?? ''
  const signIn = async (username: string, given: string) =>
    (await started.call('POST', '/api/login', { payload: { username, password: given } })).statusCode
  return { ...started, hashOf, signIn }
}

/** A store whose first answer about a password is outdated: the user 2 gets another hash directly after it is read. */
function changedAfterRead(store: Store, next: string): Store {
  let isChanged = false
  async function of(id: number): Promise<string | undefined> {
    const hash = await store.passwords.of(id)
    if (!isChanged) await store.change(({ passwords }) => passwords.set(2, next))
    isChanged = true
    return hash
  }
  return { ...store, passwords: { ...store.passwords, of } }
}

t.test('the first sign-in with a password of File Browser replaces its hash', async (t) => {
  const { signIn, hashOf } = await setUp(t)
  const before = hashOf(2)
  t.equal(await signIn('alice', 'wrong'), 403)
  t.equal(await signIn('alice', `${password} 3`), 403, 'the password of another user')
  t.equal(hashOf(2), before)
  t.equal(await signIn('Alice', `${password} 2`), 200)
  t.match(hashOf(2), /^\$argon2id\$/)
  t.ok(isOutdatedHash(hashOf(3)))
  t.equal(await signIn('alice', `${password} 2`), 200)
  t.equal(await signIn('alice', 'wrong'), 403)
})

t.test('parallel first sign-ins all succeed', async (t) => {
  const { signIn } = await setUp(t)
  const codes = await Promise.all(Array.from({ length: 5 }, () => signIn('alice', `${password} 2`)))
  t.strictSame(codes, [200, 200, 200, 200, 200])
})

t.test('a sign-in succeeds although another one has just replaced the hash', async (t) => {
  const { document } = await setUp(t)
  const store = changedAfterRead(createStore(document), await hashPassword(`${password} 2`))
  t.match(await createVerify(store)('alice', `${password} 2`), { id: 2 })
})

t.test('an unknown user has no password, also not the one of another user', async (t) => {
  const { signIn } = await setUp(t)
  for (const name of ['nobody', '', '__proto__', '2']) {
    for (const id of [2, 3]) t.equal(await signIn(name, `${password} ${id}`), 403)
  }
})

t.test('users without a password cannot sign in, also not with an empty one', async (t) => {
  const { document, signIn } = await setUp(t)
  await document.update(({ credentials }) => void delete credentials.passwords[2])
  for (const given of ['', `${password} 2`, `${password} 3`]) t.equal(await signIn('alice', given), 403)
})

t.test('an unknown name is compared with a hash of File Browser as long as users have one', async (t) => {
  const { document } = await setUp(t)
  const verify = createVerify(createStore(document))
  const { postMessage } = Worker.prototype
  const compared: unknown[] = []
  t.intercept(Worker.prototype, 'postMessage', {
    value(this: Worker, task: { hash?: string }) {
      if (task.hash) compared.push(task.hash)
      postMessage.call(this, task)
    },
  })
  const setAll = (hash: string) =>
    document.update(({ credentials }) => {
      for (const id of [1, 2, 3]) credentials.passwords[id] = hash
    })
  const old = hashSync('x', 4)
  await setAll(old)
  await verify('nobody', 'x')
  t.strictSame(compared.splice(0), [old])
  await setAll(await hashPassword('x'))
  await verify('nobody', 'x')
  t.strictSame(compared, [], 'a hash of Coffer needs no thread')
})

t.test('a full disk keeps the old hash, and the user signs in', async (t) => {
  const store = createStore((await setUp(t)).document)
  const full: Store = { ...store, change: () => Promise.reject(new Problem('disk.full')) }
  t.match(await createVerify(full)('alice', `${password} 2`), { id: 2 })
  const broken: Store = { ...store, change: () => Promise.reject(new Error('a bug')) }
  await t.rejects(createVerify(broken)('alice', `${password} 2`), { message: 'a bug' })
})

t.test('a password that was changed during the sign-in is rejected', async (t) => {
  const { document } = await setUp(t)
  const store = changedAfterRead(createStore(document), hashSync('another one', 4))
  t.equal(await createVerify(store)('alice', `${password} 2`), undefined)
})
