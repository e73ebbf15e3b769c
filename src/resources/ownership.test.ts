import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Config } from '#src/config/config.ts'
import { aclOf, grantRead } from '#src/testing/acl.ts'
import { start } from '#src/testing/start.ts'

const isRoot = process.getuid?.() === 0
const pieces = { 'content-type': 'application/offset+octet-stream' }

async function open(t: Test, config: Partial<Config> = {}) {
  const tree = { 'saved.txt': 'old', 'uploaded.txt': 'old', 'pieces.txt': 'old', 'empty.txt': 'old', d: {} }
  const server = await start(t, { tree, config })
  const admin = await server.as('admin')
  const at = (name: string) => join(server.root, name)
  /** Writes each of the four files in a different way. */
  const writeAll = async () => {
    const upload = '?override=true'
    t.equal((await admin('PUT', '/api/resources/saved.txt', { payload: 'new' })).statusCode, 200)
    t.equal((await admin('POST', `/api/resources/uploaded.txt${upload}`, { payload: 'new' })).statusCode, 200)
    const begin = (name: string, length: number) =>
      admin('POST', `/api/tus/${name}${upload}`, { headers: { 'upload-length': String(length) } })
    t.equal((await begin('empty.txt', 0)).statusCode, 201)
    t.equal((await begin('pieces.txt', 6)).statusCode, 201)
    for (const offset of ['0', '3']) {
      const headers = { ...pieces, 'upload-offset': offset }
      const reply = await admin('PATCH', '/api/tus/pieces.txt', { payload: 'new', headers })
      t.equal(reply.statusCode, 204)
    }
  }
  const modeOf = (name: string) => (statSync(at(name)).mode & 0o7777).toString(8)
  return { ...server, admin, at, writeAll, modeOf }
}

const replaced = ['saved.txt', 'uploaded.txt', 'pieces.txt', 'empty.txt']

t.test('a saved or replaced file keeps its owner, group and mode', async (t) => {
  const { at, writeAll } = await open(t)
  for (const name of replaced) {
    if (isRoot) chownSync(at(name), 12_345, 23_456)
    chmodSync(at(name), 0o464)
  }
  const before = replaced.map((name) => statSync(at(name)))
  await writeAll()
  for (const [n, name] of replaced.entries()) {
    const { uid, gid, mode, ino } = statSync(at(name))
    t.match(before[n], { uid, gid, mode }, name)
    t.not(ino, before[n]?.ino, 'it is a new file')
  }
})

t.test('a saved or replaced file keeps its access control list', async (t) => {
  const { at, writeAll } = await open(t)
  if (!grantRead(at('d'), 1)) {
    t.pass('this disk has no access control lists')
    return
  }
  for (const name of replaced) grantRead(at(name), 54_321)
  const before = replaced.map((name) => aclOf(at(name)))
  t.match(before[0], /31d40000/, 'the list contains the user 54321')
  await writeAll()
  t.strictSame(
    replaced.map((name) => aclOf(at(name))),
    before,
  )
})

t.test('a file replaced by a copy keeps its owner, group, mode and access control list', async (t) => {
  const { at, admin } = await open(t)
  if (isRoot) chownSync(at('saved.txt'), 12_345, 23_456)
  chmodSync(at('saved.txt'), 0o464)
  const hasLists = grantRead(at('saved.txt'), 54_321)
  const before = statSync(at('saved.txt'))
  const list = hasLists && aclOf(at('saved.txt'))
  writeFileSync(at('from.txt'), 'copied', { mode: 0o755 })
  const url = '/api/resources/from.txt?action=copy&override=true&destination=/saved.txt'
  t.equal((await admin('PATCH', url)).statusCode, 200)
  const { uid, gid, mode, ino } = statSync(at('saved.txt'))
  t.match(before, { uid, gid, mode })
  t.not(ino, before.ino, 'it is a new file')
  t.equal(readFileSync(at('saved.txt'), 'utf8'), 'copied')
  if (hasLists) t.equal(aclOf(at('saved.txt')), list)
})

t.test('a replaced file without an access control list does not inherit one from its folder', async (t) => {
  const { at, admin, modeOf } = await open(t)
  writeFileSync(at('d/a.txt'), 'old', { mode: 0o660 })
  chmodSync(at('d/a.txt'), 0o660)
  if (!grantRead(at('d'), 54_321, 'default')) {
    t.pass('this disk has no access control lists')
    return
  }
  await admin('PUT', '/api/resources/d/a.txt', { payload: 'new' })
  t.equal(aclOf(at('d/a.txt')), '')
  t.equal(modeOf('d/a.txt'), '660')
  await admin('POST', '/api/resources/d/new.txt', { payload: 'new' })
  t.match(aclOf(at('d/new.txt')), /31d40000/, 'a new file inherits the list of its folder')
})

t.test('the configured modes of new files and folders ignore the umask', async (t) => {
  const umask = process.umask(0o077)
  t.teardown(() => process.umask(umask))
  const { admin, modeOf } = await open(t)
  const make = async (name: string) => {
    await admin('POST', `/api/resources/${name}/in/a.txt`, { payload: 'x' })
    await admin('PATCH', `/api/resources/saved.txt?action=copy&destination=/${name}/to/b.txt`)
    return [name, `${name}/in`, `${name}/in/a.txt`, `${name}/to`].map(modeOf)
  }
  t.strictSame(await make('first'), ['700', '700', '600', '700'], 'the umask applies to the default modes')
  const payload = { fileMode: 0o664, dirMode: 0o775 }
  t.equal((await admin('PUT', '/api/settings', { payload })).statusCode, 200)
  t.match((await admin('GET', '/api/settings')).json(), payload)
  t.strictSame(await make('second'), ['775', '775', '664', '775'])
})

t.test('modes of the configuration override the settings', async (t) => {
  const umask = process.umask(0o077)
  t.teardown(() => process.umask(umask))
  const { admin, modeOf } = await open(t, { fileMode: 0o666, dirMode: 0o777 })
  await admin('PUT', '/api/settings', { payload: { fileMode: 0o600, dirMode: 0o700 } })
  await admin('POST', '/api/resources/new/a.txt', { payload: 'x' })
  t.strictSame(['new', 'new/a.txt'].map(modeOf), ['777', '666'])
})

t.test('a new folder inherits the setgid bit', async (t) => {
  const { admin, at, modeOf } = await open(t, { dirMode: 0o770 })
  chmodSync(at('d'), 0o2775)
  await admin('POST', '/api/resources/d/in/')
  t.equal(modeOf('d/in'), '2770')
})

t.test('rejects a mode that would deny Coffer access', async (t) => {
  const { admin } = await open(t)
  for (const payload of [{ fileMode: 0o444 }, { dirMode: 0o500 }, { fileMode: 0o4777 }, { dirMode: '750' }]) {
    t.equal((await admin('PUT', '/api/settings', { payload })).statusCode, 400, JSON.stringify(payload))
  }
})
