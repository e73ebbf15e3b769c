import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mountSpelling } from '#src/testing/folding-disk.ts'
import { password, serve, signIn } from '#src/testing/program.ts'
import { mountSilent } from '#src/testing/silent-disk.ts'
import { exchange } from '#src/testing/wire.ts'
import { isLocalDevice, mountAt } from './remote-mounts.ts'

/** A root folder in which `far` is a disk, with a symbolic link to it. bob's scope is `near`, carol's is `far`. */
async function createFolders(t: Test) {
  const base = mkdtempSync(join(tmpdir(), 'coffer-'))
  t.teardown(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'root')
  for (const name of ['near', 'far']) mkdirSync(join(root, name), { recursive: true })
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(root, 'near', name), 'near')
  symlinkSync('../far/deep', join(root, 'near', 'link'))
  const { port, child, ended } = await serve(t, root, '--password', password)
  const headers = { 'x-auth': await signIn(port) }
  for (const [username, scope] of Object.entries({ bob: '/near', carol: '/far' })) {
    const data = { username, password, scope, perm: { download: true } }
    const body = JSON.stringify({ what: 'user', which: [], current_password: password, data })
    const made = await exchange(port, 'POST', '/api/users', { headers, body })
    t.equal(made.status, 201, made.body)
  }
  child.kill('SIGTERM')
  await ended
  return { root, far: join(root, 'far') }
}

async function start(t: Test, root: string) {
  const { port } = await serve(t, root)
  const login = (username: string) =>
    exchange(port, 'POST', '/api/login', { body: JSON.stringify({ username, password }) })
  const ask = (token: string, path: string) => exchange(port, 'GET', path, { headers: { 'x-auth': token } })
  return { login, ask }
}

const intoFar = [
  '/api/resources/far',
  '/api/resources/far/deep/x.txt',
  '/api/usage/far',
  '/api/search/far?query=a',
  '/api/raw/far/x.txt',
  '/api/raw/far?algo=zip',
]

t.test('a disk that never responds does not block requests for other files', async (t) => {
  const { root, far } = await createFolders(t)
  const disk = mountSilent(t, far)
  if (!disk) {
    t.pass('a silent disk', { skip: 'this system cannot mount one' })
    return
  }
  const { login, ask } = await start(t, root)
  const [admin, bob] = [(await login('admin')).body, (await login('bob')).body]
  const waiting = Promise.all(
    Array.from({ length: 16 }, () => intoFar.map((path) => ask(admin, path))).flat(),
  )
  const checkOthers = async () => {
    for (const path of ['/api/resources/', '/api/raw/a.txt', '/api/search/?query=a', '/api/usage/']) {
      t.equal((await ask(bob, path)).status, 200, path)
    }
    t.equal((await login('bob')).status, 200, 'signing in works on the same threads')
    t.equal((await ask(admin, '/api/raw/near/a.txt')).body, 'near', 'the folder beside it works too')
    for (const path of [
      '/api/resources/',
      '/api/resources/near',
      '/api/search/?query=txt',
      '/api/raw/?algo=zip',
    ]) {
      const { status, body } = await ask(admin, path)
      t.equal(status, 200, path)
      t.notMatch(body, /"far"/, 'omits the folder that cannot be read')
    }
  }
  await checkOthers()
  for (const { status, body } of await waiting) t.equal(status, 503, body)
  for (const path of intoFar) {
    const { status, body } = await ask(admin, path)
    t.equal(status, 503, path)
    t.notMatch(body, far)
  }
  t.equal((await login('carol')).status, 503, 'a user whose whole scope is on that disk')
  await checkOthers()

  // The program of the disk has ended: from now on the disk returns errors instead of being silent.
  disk.end()
  t.equal((await ask(admin, '/api/resources/far')).status, 503)
  await checkOthers()
})

t.test(
  'the device of a file says whether its disk is local',
  { skip: process.platform !== 'linux' },
  async (t) => {
    for (const place of ['/proc', '/dev', '/sys']) {
      t.equal(mountAt(place)?.device, statSync(place).dev, place)
      t.ok(isLocalDevice(statSync(place).dev))
    }
    const far = mountSpelling(t, 'forms', { folder: {}, 'a.txt': 'a' })
    if (far === undefined) return
    for (const name of ['', 'folder', 'a.txt']) t.notOk(isLocalDevice(statSync(join(far, name)).dev))
    t.ok(isLocalDevice(statSync(tmpdir()).dev))
  },
)
