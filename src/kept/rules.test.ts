import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { TrashList, Version } from '#contract/history/kept.ts'
import type { Rule } from '#contract/users.ts'
import { start } from '#src/testing/start.ts'

// What a rule denies must not become readable through deleted entries, old contents, undo or redo: by no way into the
// kept items, by no way out of them, and for no form of the rule.

const secret = 'RULE-CANARY'
const perm = { create: true, rename: true, modify: true, delete: true, download: true }
const { root, document, as } = await start(t, { people: { ann: { perm }, bob: { perm } } })
const [ann, bob] = [await as('ann'), await as('bob')]
type Call = typeof ann

const at = (path: string) => join(root, path)
const plain = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })
const pattern = (raw: string): Rule => ({ allow: false, path: '', regex: true, regexp: { raw } })

/** Forms of a rule that deny a path to bob. */
const forms: [form: string, rules: (path: string) => [global: Rule[], own: Rule[]]][] = [
  ['its path', (path) => [[], [plain(path)]]],
  ['a global rule', (path) => [[plain(path)], []]],
  ['a pattern', (path) => [[], [pattern(`^${path}(/|$)`)]]],
]

const setRules = (global: Rule[], own: Rule[]) =>
  document.update(({ settings, users }) => {
    settings.rules = global
    for (const user of Object.values(users)) if (user.username === 'bob') user.rules = own
  })

async function ok(call: Call, method: string, url: string, payload?: string) {
  const reply = await call(method, `/api${url}`, payload === undefined ? {} : { payload })
  if (reply.statusCode !== 200) throw new Error(`${method} ${url}: ${reply.body}`)
  return reply
}

const rename = (call: Call, from: string, to: string) =>
  ok(call, 'PATCH', `/resources${from}?action=rename&destination=${encodeURIComponent(to)}`)
const operationOf = (reply: { headers: object }) =>
  String((reply.headers as Record<string, string>)['x-operation'])
const trashOf = async (call: Call): Promise<TrashList> => (await ok(call, 'GET', '/trash?limit=500')).json()

/** Everything that bob can read: an archive of all files, all versions of these, and all entries of the trash. */
async function readableBy(call: Call): Promise<string> {
  const texts = [(await call('GET', '/api/raw/?algo=tar')).body]
  for (const { id } of (await trashOf(call)).items)
    texts.push((await call('GET', `/api/trash/${id}/raw`)).body)
  for (const { path, isDir } of (await ok(call, 'GET', '/resources/recursive/')).json() as {
    path: string
    isDir: boolean
  }[]) {
    if (isDir) continue
    for (const { id } of (await ok(call, 'GET', `/versions${path}`)).json() as Version[])
      texts.push((await call('GET', `/api/raw${path}?version=${id}`)).body)
  }
  return texts.join('\n')
}

/** A new folder `top` with `q/private/s.txt`, which contains the secret. */
function plant(top: string): void {
  mkdirSync(at(`${top}/q/private`), { recursive: true })
  writeFileSync(at(`${top}/q/private/s.txt`), secret)
  writeFileSync(at(`${top}/q/open.txt`), 'open')
  mkdirSync(at(`${top}/w`))
}

/** What bob tries with an entry of the trash that contains what the rule denies, or is it. Refused, each of them. */
const attempts: [what: string, method: string, url: (id: string, top: string) => string][] = [
  ['restore it where it was', 'POST', (id) => `/api/trash/${id}/restore`],
  ['restore it to another folder', 'POST', (id, top) => `/api/trash/${id}/restore?to=${top}/w`],
  ['restore it to a new folder', 'POST', (id, top) => `/api/trash/${id}/restore?to=${top}/w/new/er`],
  ['delete it permanently', 'DELETE', (id) => `/api/trash/${id}`],
  ['download it', 'GET', (id) => `/api/trash/${id}/raw`],
]

let count = 0
for (const [form, rules] of forms) {
  /** A new tree without rules. `deny` then sets the rule for `{top}/q/private`, or for another path in `top`. */
  const begin = async () => {
    const top = `/c${count++}`
    await setRules([], [])
    // What an earlier tree contains is not denied any more.
    for (const name of readdirSync(root)) rmSync(at(name), { recursive: true })
    await ok(ann, 'DELETE', '/trash')
    plant(top)
    return { top, deny: (path = '/q/private') => setRules(...rules(top + path)) }
  }

  t.test(`no user gets what rules deny out of the trash: ${form}`, async (t) => {
    for (const path of ['/q', '/q/private', '/q/private/s.txt']) {
      for (const isTaken of [false, true]) {
        const { top, deny } = await begin()
        await ok(ann, 'DELETE', `/resources${top}${path}`)
        if (isTaken) await ok(ann, 'POST', `/resources${top}/q/new/`)
        const { id } = (await trashOf(ann)).items.find((item) => item.path === top + path) ?? { id: '' }
        await deny()
        const before = readdirSync(at(top), { recursive: true }).sort()
        for (const [what, method, url] of attempts) {
          const { statusCode } = await bob(method, url(id, top))
          t.ok([403, 404, 405].includes(statusCode), `${what}: ${path} ${statusCode}`)
        }
        t.equal((await ok(bob, 'GET', `/trash?search=${top}/q/private`)).json().total, 0, 'nor is it found')
        t.notMatch(await readableBy(bob), secret)
        t.strictSame(readdirSync(at(top), { recursive: true }).sort(), before, 'nothing has changed')
        await ok(bob, 'DELETE', '/trash')
        await setRules([], [])
        t.ok(
          (await trashOf(ann)).items.some((item) => item.id === id),
          'nor does it go with the rest',
        )
      }
    }
  })

  t.test(`a folder is restored by users who may read all of it: ${form}`, async (t) => {
    const { top, deny } = await begin()
    await ok(ann, 'DELETE', `/resources${top}/q`)
    await deny('/elsewhere')
    const [{ id } = { id: '' }] = (await trashOf(bob)).items
    await ok(bob, 'POST', `/trash/${id}/restore?to=${top}/w`)
    t.match(await readableBy(bob), secret)
    // The rule is about the place where it goes.
    await ok(ann, 'DELETE', `/resources${top}/w/q`)
    await deny('/w/new/q/private')
    const [again = { id: '' }] = (await trashOf(bob)).items
    t.equal((await bob('POST', `/api/trash/${again.id}/restore?to=${top}/w/new`)).statusCode, 403)
  })

  t.test(`an old content stays denied when its file leaves the denied folder: ${form}`, async (t) => {
    const ways: ((top: string) => Promise<unknown>)[] = [
      (top) => rename(ann, `${top}/q/private/s.txt`, `${top}/w/s.txt`),
      (top) => rename(ann, `${top}/q/private`, `${top}/w/p`),
      (top) => rename(ann, `${top}/q`, `${top}/w/q`),
      (top) => ok(ann, 'PATCH', `/resources${top}/q?action=copy&destination=${top}/w/q`),
      async (top) => {
        await ok(ann, 'DELETE', `/resources${top}/q`)
        const [{ id } = { id: '' }] = (await trashOf(ann)).items
        await ok(ann, 'POST', `/trash/${id}/restore?to=${top}/w`)
      },
    ]
    for (const move of ways) {
      const { top, deny } = await begin()
      await ok(ann, 'PUT', `/resources${top}/q/private/s.txt`, 'harmless now')
      await move(top)
      const found = (await ok(ann, 'GET', `/resources/recursive${top}/w`)).json() as { path: string }[]
      const path = found.find((item) => item.path.endsWith('s.txt'))?.path ?? ''
      const [version] = (await ok(ann, 'GET', `/versions${path}`)).json() as Version[]
      await deny()
      t.strictSame((await ok(bob, 'GET', `/versions${path}`)).json(), [])
      const id = version?.id ?? 'none'
      t.equal((await bob('GET', `/api/raw${path}?version=${id}`)).statusCode, 404)
      t.equal((await bob('POST', `/api/versions${path}?version=${id}`)).statusCode, 404)
      t.equal((await bob('DELETE', `/api/versions${path}?version=${id}`)).statusCode, 404)
      t.match((await ok(bob, 'GET', `/raw${path}`)).body, 'harmless now')
      t.notMatch(await readableBy(bob), secret)
      await setRules([], [])
      const kept = (await ok(ann, 'GET', `/versions${path}`)).json() as Version[]
      t.strictSame(kept.length, version ? 1 : 0, 'others still have it')
    }
  })

  t.test(`undo and redo follow rules that are newer than the operation: ${form}`, async (t) => {
    const { top, deny } = await begin()
    const deleted = operationOf(await ok(bob, 'DELETE', `/resources${top}/q`))
    await deny()
    t.equal((await bob('POST', `/api/operations/${deleted}/undo`)).statusCode, 409)
    t.notMatch(await readableBy(bob), secret)
    await setRules([], [])
    await ok(bob, 'POST', `/operations/${deleted}/undo`)
    await deny()
    t.equal((await bob('POST', `/api/operations/${deleted}/redo`)).statusCode, 409)
    t.notMatch(await readableBy(bob), secret)

    await setRules([], [])
    const saved = operationOf(await ok(bob, 'PUT', `/resources${top}/q/private/s.txt`, 'harmless now'))
    await deny()
    t.equal((await bob('POST', `/api/operations/${saved}/undo`)).statusCode, 409)
    await setRules([], [])
    await ok(bob, 'POST', `/operations/${saved}/undo`)
    await deny()
    t.equal((await bob('POST', `/api/operations/${saved}/redo`)).statusCode, 409)
    t.notMatch(await readableBy(bob), secret)

    await setRules([], [])
    const renamed = operationOf(await rename(bob, `${top}/q`, `${top}/w/q`))
    await deny()
    t.equal((await bob('POST', `/api/operations/${renamed}/undo`)).statusCode, 409)
    t.strictSame(readdirSync(at(top)), ['w'])
  })

  t.test(`undo does not restore through a link what rules deny: ${form}`, async (t) => {
    const { top, deny } = await begin()
    const deleted = operationOf(await ok(bob, 'DELETE', `/resources${top}/q`))
    await deny()
    // Another program moves the folder, and leaves a link with its name.
    renameSync(at(top), at(`/real${top.slice(1)}`))
    symlinkSync(`real${top.slice(1)}`, at(top))
    t.equal((await bob('POST', `/api/operations/${deleted}/undo`)).statusCode, 409)
    t.notMatch(await readableBy(bob), secret)
  })

  t.test(`no user undoes or redoes an operation of another: ${form}`, async (t) => {
    const { top, deny } = await begin()
    const deleted = operationOf(await ok(ann, 'DELETE', `/resources${top}/q`))
    await deny()
    for (const verb of ['undo', 'redo'])
      t.equal((await bob('POST', `/api/operations/${deleted}/${verb}`)).statusCode, 404)
    t.notMatch((await ok(bob, 'GET', '/operations')).body, `${top}/`, 'nor are its paths listed')
    t.notMatch(await readableBy(bob), secret)
  })
}
