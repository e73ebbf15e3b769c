import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Rights } from '#contract/schema/rights.ts'
import type { Permissions, Rule } from '#contract/users.ts'
import { start } from '#src/testing/start.ts'

const none: Rights = {
  read: false,
  create: false,
  save: false,
  rename: false,
  delete: false,
  share: false,
}
const everything: Partial<Permissions> = {
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}
const nothing = Object.fromEntries(Object.keys(everything).map((name) => [name, false]))
const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })
const denyPattern = (raw: string): Rule => ({ allow: false, path: '', regex: true, regexp: { raw } })

t.test('the rights on a file and a folder are those that the permissions give', async (t) => {
  const people = {
    all: { perm: everything },
    none: { perm: nothing },
    // A share needs the permission to download as well.
    sharer: { perm: { ...nothing, share: true } },
    reader: { perm: { ...nothing, download: true } },
  }
  const { as } = await start(t, { tree: { 'a.txt': 'a', docs: { 'b.txt': 'b' } }, people })
  const rights = async (name: string, path: string) => (await (await as(name))('GET', path)).json()
  const file = { ...none, read: true, save: true, rename: true, delete: true, share: true }
  t.strictSame(await rights('all', '/api/rights/a.txt'), file)
  t.strictSame(await rights('all', '/api/rights/docs'), { ...file, save: false, create: true })
  const top = { ...none, read: true, create: true, share: true }
  t.strictSame(await rights('all', '/api/rights/'), top, 'the whole scope can be neither renamed nor deleted')
  for (const name of ['none', 'sharer']) t.strictSame(await rights(name, '/api/rights/a.txt'), none, name)
  t.strictSame(await rights('reader', '/api/rights/docs/'), { ...none, read: true })
})

t.test('a rule that denies something in a folder forbids to rename and to delete the folder', async (t) => {
  const tree = { docs: { deep: { 'secret.txt': 's' }, 'b.txt': 'b' }, free: { 'c.txt': 'c' } }
  const people = {
    ann: { perm: everything, rules: [deny('/docs/deep/secret.txt')] },
    bob: { perm: everything, rules: [denyPattern('secret')] },
  }
  const { as } = await start(t, { tree, people })
  for (const name of ['ann', 'bob']) {
    const call = await as(name)
    for (const path of ['/docs', '/docs/deep']) {
      const rights = (await call('GET', `/api/rights${path}`)).json()
      t.match(rights, { read: true, create: true, rename: false, delete: false, share: true }, path)
      t.equal((await call('DELETE', `/api/resources${path}`)).statusCode, 403, 'and so it is')
    }
    t.match((await call('GET', '/api/rights/docs/b.txt')).json(), { save: true, delete: true })
    t.match((await call('GET', '/api/rights/free')).json(), { rename: true, delete: true })
    t.equal((await call('DELETE', '/api/resources/free/c.txt')).statusCode, 200)
    await call('POST', '/api/resources/free/c.txt', { payload: 'c' })
  }
})

t.test('the rights on a denied, missing or foreign path are not told', async (t) => {
  const people = { ann: { perm: everything, scope: '/home', rules: [deny('/secret')] } }
  const tree = { home: { secret: { 'a.txt': '' }, 'b.txt': '' }, 'other.txt': '' }
  const { as, root } = await start(t, { tree, people })
  const call = await as('ann')
  for (const path of ['/secret', '/secret/a.txt', '/secret/none.txt'])
    t.equal((await call('GET', `/api/rights${path}`)).statusCode, 403, path)
  for (const path of ['/none', '/../other.txt', '/%2e%2e/other.txt'])
    t.not((await call('GET', `/api/rights${path}`)).statusCode, 200, path)
  symlinkSync(join(root, 'other.txt'), join(root, 'home/out'))
  const link = { ...none, rename: true, delete: true }
  t.strictSame((await call('GET', '/api/rights/out')).json(), link, 'only the link itself can be changed')
  symlinkSync(join(root, 'home/secret'), join(root, 'home/in'))
  t.equal((await call('GET', '/api/rights/in')).statusCode, 403)
})

t.test('a folder with files of Coffer can be neither renamed nor deleted', async (t) => {
  const database = join(t.testdirName, 'root/in/conf/coffer.json')
  const tree = { in: { conf: { 'coffer.json': '{}' } }, free: {} }
  const { as } = await start(t, { tree, config: { database } })
  const call = await as('admin')
  for (const path of ['/in', '/in/conf'])
    t.match((await call('GET', `/api/rights${path}`)).json(), { create: true, rename: false, delete: false })
  t.match((await call('GET', '/api/rights/free')).json(), { rename: true, delete: true })
  t.equal((await call('GET', '/api/rights/in/conf/coffer.json')).statusCode, 404)
})

t.test('the permissions that were taken away meanwhile are not among the rights', async (t) => {
  const { as, document } = await start(t, { tree: { 'a.txt': '' }, people: { ann: { perm: everything } } })
  const call = await as('ann')
  t.match((await call('GET', '/api/rights/a.txt')).json(), { save: true })
  await document.update((draft) => {
    for (const user of Object.values(draft.users)) if (user.username === 'ann') user.perm.modify = false
  })
  t.match((await call('GET', '/api/rights/a.txt')).json(), { save: false, delete: true })
})
