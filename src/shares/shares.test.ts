import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { Problem } from '#src/core/problem.ts'
import { createStore } from '#src/state/store.ts'
import { hostileNames } from '#src/testing/names.ts'
import { type Person, start } from '#src/testing/start.ts'
import { createShareTracking } from './following/share-tracking.ts'

const tree = {
  alice: {
    'a.txt': 'hello',
    docs: { 'x.txt': 'X', sub: { 'y.txt': 'Y' }, private: { 'secret.txt': 'CANARY' } },
    'docs-old': { 'z.txt': 'CANARY' },
  },
  bob: { 'a.txt': 'bob' },
}

const alice: Person = { scope: '/alice' }

async function world(t: import('tap').Test, people: Record<string, Person> = {}) {
  const made = await start(t, { tree, people: { alice, bob: { scope: '/bob' }, ...people } })
  const calls = { alice: await made.as('alice'), bob: await made.as('bob'), admin: await made.as('admin') }
  const share = async (path: string, payload?: object) => {
    const reply = await calls.alice('POST', `/api/share${path}`, payload && { payload })
    t.equal(reply.statusCode, 200, reply.body)
    return reply.json<{ hash: string; expire: number; hasPassword: boolean }>()
  }
  const visit = (hash: string, rest = '', headers = {}) =>
    made.call('GET', `/api/public/share/${hash}${rest}`, { headers })
  const fetchFile = (hash: string, rest = '', headers = {}) =>
    made.call('GET', `/api/public/dl/${hash}${rest}`, { headers })
  return { ...made, ...calls, share, visit, fetchFile }
}

t.test('visitors open and download a shared file, whatever name follows the id', async (t) => {
  const { share, visit, fetchFile } = await world(t)
  const made = await share('/a.txt')
  t.match(made, { path: '/a.txt', userID: 2, expire: 0, hasPassword: false })
  t.ok(made.hash.length >= 22, 'at least 128 bits')
  const info = (await visit(made.hash)).json()
  t.match(info, {
    kind: 'editor',
    name: 'a.txt',
    path: '/a.txt',
    size: 5,
    content: 'hello',
    type: 'textImmutable',
  })
  for (const rest of ['', '/', '/a.txt', '/other.txt', '/..%2fdocs/x.txt']) {
    t.equal((await fetchFile(made.hash, rest)).body, 'hello', rest)
  }
  const inline = await fetchFile(made.hash, '/a.txt?inline=true')
  t.match(inline.headers['content-disposition'], /^inline/)
  t.match(inline.headers['content-security-policy'], /sandbox/)
})

t.test('a share of a folder gives access only to its entries and subfolders', async (t) => {
  const { share, visit, fetchFile } = await world(t)
  const { hash } = await share('/docs')
  const top = (await visit(hash)).json()
  t.strictSame(
    top.items.map((item: { path: string }) => item.path),
    ['/private', '/sub', '/x.txt'],
  )
  t.equal(top.items[1].url, `/share/${hash}/sub/`)
  t.equal((await visit(hash, '/sub/')).json().items[0].path, '/sub/y.txt')
  t.equal((await fetchFile(hash, '/sub/y.txt')).body, 'Y')
  for (const rest of ['/../docs-old/z.txt', '/..%2fdocs-old%2fz.txt', '/../../bob/a.txt', '/../a.txt']) {
    t.equal((await fetchFile(hash, rest)).statusCode, 404, rest)
    t.equal((await visit(hash, rest)).statusCode, 404, rest)
  }
  const selection = await fetchFile(hash, `/?files=${encodeURIComponent('../docs-old/z.txt')}`)
  t.notOk(selection.body.includes('CANARY'))
  const zip = await fetchFile(hash, '/?algo=zip')
  t.match(zip.headers['content-disposition'], /docs\.zip/)
  t.equal(top.name, 'docs')
})

t.test('the path after the id of a share may have encoded slashes, also the first one', async (t) => {
  const { share, visit, fetchFile } = await world(t)
  const { hash } = await share('/docs')
  t.equal((await fetchFile(hash, '%2Fsub%2Fy.txt')).body, 'Y')
  t.match((await visit(hash, '%2Fsub')).json(), { items: [{ path: '/sub/y.txt' }] })
  t.equal((await fetchFile(hash, '%2F..%2Fa.txt')).statusCode, 404)
})

t.test("the owner's rules apply in a share to the owner's paths", async (t) => {
  const deny = (path: string) => ({ allow: false, path, regex: false, regexp: null })
  const pattern = { allow: false, path: '', regex: true, regexp: { raw: '^/docs/sub' } }
  const { share, visit, fetchFile } = await world(t, {
    alice: { ...alice, rules: [deny('/docs/private'), deny('/x.txt'), pattern] },
  })
  const { hash } = await share('/docs')
  const names = (await visit(hash)).json().items.map((item: { name: string }) => item.name)
  t.strictSame(names, ['x.txt'], 'a rule for /x.txt does not apply to /docs/x.txt')
  for (const rest of ['/private/', '/private/secret.txt', '/sub/y.txt']) {
    t.equal((await visit(hash, rest)).statusCode, 403, rest)
    t.equal((await fetchFile(hash, rest)).statusCode, 403, rest)
  }
  for (const rest of ['/', '/?algo=tar', '/?files=private']) {
    t.notOk((await fetchFile(hash, rest)).rawPayload.includes('CANARY'), rest)
  }
})

t.test('sharing an entry again returns its permanent share, or creates an expiring one', async (t) => {
  const { share, alice } = await world(t)
  const first = await share('/docs')
  t.equal((await share('/docs/')).hash, first.hash)
  const timed = await share('/docs?expires=2&unit=days')
  t.not(timed.hash, first.hash)
  t.ok(Math.abs(timed.expire - Date.now() / 1000 - 2 * 86_400) < 10)
  const fromBody = await share('/docs?expires=2&unit=days', { expires: '1', unit: 'minutes', password: '' })
  t.ok(Math.abs(fromBody.expire - Date.now() / 1000 - 60) < 10, 'the body takes precedence')
  t.ok(
    Math.abs((await share('/docs', { expires: '3' })).expire - Date.now() / 1000 - 3 * 3600) < 10,
    'hours are the default',
  )
  const list = (await alice('GET', '/api/share/docs')).json()
  t.equal(list.length, 4)
  t.equal(list[0].expire, 0, 'permanent shares come first')
  t.strictSame((await alice('GET', '/api/share/a.txt')).json(), [])
})

t.test('rejects invalid expiry times', async (t) => {
  const { alice } = await world(t)
  for (const [expires, status] of [
    ['x', 400],
    ['1.5', 400],
    ['0', 422],
    ['-1', 422],
    ['2147483648', 422],
  ] as const) {
    t.equal((await alice('POST', `/api/share/a.txt?expires=${expires}`)).statusCode, status, expires)
  }
  t.equal((await alice('POST', '/api/share/none.txt')).statusCode, 404)
  t.equal((await alice('POST', '/api/share/a.txt', { payload: '[1]' })).statusCode, 400)
  t.strictSame((await alice('GET', '/api/shares')).json(), [])
})

t.test('a share cannot be opened after it expires', async (t) => {
  const { share, visit, fetchFile, clock, alice } = await world(t)
  const { hash } = await share('/a.txt?expires=5&unit=minutes')
  t.equal((await visit(hash)).statusCode, 200)
  clock.advance({ minutes: 5, seconds: 1 })
  t.equal((await visit(hash)).statusCode, 404)
  t.equal((await fetchFile(hash)).statusCode, 404)
  t.strictSame((await alice('GET', '/api/shares')).json(), [])
})

t.test('refuses shares without share or download permission and names the missing one', async (t) => {
  const perm = { share: true, download: true }
  const { as, admin, call, document } = await world(t, { carol: { scope: '/alice', perm } })
  const [carol, id] = [await as('carol'), Object.values(document.data.users).at(-1)?.id]
  const { hash } = (await carol('POST', '/api/share/a.txt')).json()
  const change = async (given: object) => {
    const payload = { what: 'user', which: ['perm'], data: { id, perm: given } }
    t.equal((await admin('PUT', `/api/users/${id}`, { payload })).statusCode, 200)
  }
  for (const [given, cause] of [
    [{ share: true }, 'you cannot share files, because you do not have permission to download'],
    [{ download: true }, 'you do not have permission to share files'],
  ] as const) {
    await change(given)
    for (const [method, url] of [
      ['POST', '/api/share/a.txt'],
      ['GET', '/api/share/a.txt'],
      ['GET', '/api/shares'],
      ['DELETE', `/api/share/${hash}`],
    ] as const) {
      t.match(
        await carol(method, url),
        { statusCode: 403, body: `403 Forbidden (${cause})\n` },
        `${method} ${url}`,
      )
    }
    const visit = await call('GET', `/api/public/share/${hash}`)
    t.equal(visit.statusCode, 403, 'an existing share cannot be opened')
    t.notMatch(visit.body, cause, 'visitors do not learn the cause')
  }
  await change(perm)
  t.equal((await call('GET', `/api/public/share/${hash}`)).statusCode, 200)
})

t.test('a share with a password needs it, and stays unlocked for one hour', async (t) => {
  const { share, visit, fetchFile, clock, call, alice } = await world(t)
  const { hash, hasPassword } = await share('/docs', { password: 'pä ss', expires: '', unit: 'hours' })
  t.ok(hasPassword)
  t.notMatch((await alice('GET', '/api/shares')).body, /argon|password":"/)
  for (const headers of [
    {},
    { 'x-share-password': 'no' },
    { 'x-share-password': '%' },
    { 'x-share-password': '' },
  ]) {
    for (const reply of [await visit(hash, '', headers), await fetchFile(hash, '/x.txt', headers)]) {
      t.equal(reply.statusCode, 401)
      t.notMatch(reply.body, /x\.txt|alice/)
    }
  }
  const opened = (await visit(hash, '', { 'x-share-password': encodeURIComponent('pä ss') })).json()
  t.ok(opened.token)
  const token = encodeURIComponent(opened.token)
  t.equal((await fetchFile(hash, `/x.txt?token=${token}`)).body, 'X')
  t.equal((await visit(hash, `/sub/?token=${token}`)).statusCode, 200)
  const other = await share('/docs', { password: 'another one' })
  t.equal(
    (await fetchFile(other.hash, `/x.txt?token=${token}`)).statusCode,
    401,
    'the token is valid for its share only',
  )
  for (const bad of ['', 'x', 'a.b', token.slice(0, -2)]) {
    t.equal((await fetchFile(hash, `/x.txt?token=${bad}`)).statusCode, 401, bad)
  }
  t.equal((await call('GET', '/api/resources/', { headers: { 'x-auth': opened.token } })).statusCode, 401)
  t.equal((await call('GET', `/api/raw/docs/x.txt?auth=${token}`)).statusCode, 401)
  clock.advance({ hours: 1, seconds: 1 })
  t.equal((await fetchFile(hash, `/x.txt?token=${token}`)).statusCode, 401)
})

t.test('a renamed entry keeps its shares, even if another user renames it', async (t) => {
  const { share, fetchFile, alice, admin, root } = await world(t)
  const file = await share('/a.txt')
  const inside = await share('/docs/sub/y.txt')
  await alice('PATCH', '/api/resources/a.txt?action=rename&destination=/renamed.txt')
  writeFileSync(`${root}/alice/a.txt`, 'newcomer')
  t.equal((await fetchFile(file.hash)).body, 'hello')
  await admin('PATCH', '/api/resources/alice/docs?action=rename&destination=/alice/papers')
  t.equal((await fetchFile(inside.hash)).body, 'Y')
  await admin('PATCH', '/api/resources/alice/papers?action=rename&destination=/bob/papers')
  t.equal(
    (await fetchFile(inside.hash)).statusCode,
    404,
    "moving the entry out of the owner's scope ends the share",
  )
})

t.test('a share never serves another file at the path of the shared one', async (t) => {
  const { share, fetchFile, visit, admin, root } = await world(t)
  const { hash } = await share('/a.txt')
  await admin('DELETE', '/api/resources/alice/a.txt')
  writeFileSync(`${root}/alice/a.txt`, 'newcomer')
  t.equal((await fetchFile(hash)).statusCode, 404, 'deleted by another user and created again')
  const swapped = await share('/a.txt')
  rmSync(`${root}/alice/a.txt`)
  mkdirSync(`${root}/alice/a.txt`)
  t.equal((await visit(swapped.hash)).statusCode, 404, 'a folder in the place of the file')
  const moved = await share('/docs')
  renameSync(`${root}/alice/docs`, `${root}/alice/elsewhere`)
  mkdirSync(`${root}/alice/docs`)
  t.equal((await visit(moved.hash)).statusCode, 404, 'moved on the disk and created again')
  writeFileSync(`${root}/alice/b.txt`, 'one')
  const replaced = await share('/b.txt')
  await admin('POST', '/api/resources/alice/b.txt?override=true', { payload: 'two' })
  t.equal((await fetchFile(replaced.hash)).statusCode, 404, 'replaced by an upload of another user')
})

t.test('a file that its owner replaces by an upload stays shared', async (t) => {
  const { share, fetchFile, alice, bob, root } = await world(t)
  const { hash } = await share('/a.txt')
  await alice('POST', '/api/resources/a.txt?override=true', { payload: 'uploaded' })
  t.equal((await fetchFile(hash)).body, 'uploaded')
  const headers = {
    'upload-length': '3',
    'upload-offset': '0',
    'content-type': 'application/offset+octet-stream',
  }
  await alice('POST', '/api/tus/a.txt?override=true', { headers })
  await alice('PATCH', '/api/tus/a.txt', { headers, payload: 'tus' })
  t.equal((await fetchFile(hash)).body, 'tus')
  writeFileSync(`${root}/alice/a.txt.tmp`, 'other program')
  renameSync(`${root}/alice/a.txt.tmp`, `${root}/alice/a.txt`)
  t.equal((await fetchFile(hash)).statusCode, 404, 'replaced by another program')
  t.equal((await bob('GET', '/api/shares')).json().length, 0)
  const copied = await share('/a.txt')
  await alice('PATCH', '/api/resources/docs/x.txt?action=copy&override=true&destination=/a.txt')
  t.equal((await fetchFile(copied.hash)).statusCode, 404, 'a copy in its place is another file')
})

t.test('the list of shares is JSON, also when there are none', async (t) => {
  const { as } = await start(t, { people: { alice: {} } })
  const alice = await as('alice')
  t.match(await alice('GET', '/api/shares'), {
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '[]',
  })
})

t.test('an edited file keeps its shares', async (t) => {
  const { share, fetchFile, alice } = await world(t)
  const { hash } = await share('/a.txt')
  for (const payload of ['edited', 'edited again']) {
    t.equal((await alice('PUT', '/api/resources/a.txt', { payload })).statusCode, 200)
    t.equal((await fetchFile(hash)).body, payload)
  }
})

t.test("deleting a file does not affect other users' shares of the same path", async (t) => {
  const { share, fetchFile, bob } = await world(t)
  const { hash } = await share('/a.txt')
  t.equal((await bob('DELETE', '/api/resources/a.txt')).statusCode, 200)
  t.equal((await fetchFile(hash)).body, 'hello')
})

t.test('only the owner and administrators see and delete a share', async (t) => {
  const { share, visit, bob, admin, alice, call } = await world(t)
  const { hash } = await share('/a.txt')
  t.strictSame((await bob('GET', '/api/shares')).json(), [])
  t.equal((await bob('DELETE', `/api/share/${hash}`)).statusCode, 403)
  t.equal((await call('DELETE', `/api/share/${hash}`)).statusCode, 401)
  t.equal((await alice('DELETE', '/api/share/')).statusCode, 400)
  t.equal((await alice('DELETE', '/api/share/unknown')).statusCode, 404)
  t.equal((await alice('DELETE', '/api/share/__proto__')).statusCode, 404)
  t.equal((await visit(hash)).statusCode, 200)
  t.equal((await admin('GET', '/api/shares')).json().length, 1)
  t.equal((await admin('DELETE', `/api/share/${hash}/`)).statusCode, 200)
  t.equal((await visit(hash)).statusCode, 404)
})

t.test("each visit checks the owner's current permissions", async (t) => {
  const { share, visit, document, alice } = await world(t)
  const { hash } = await share('/a.txt')
  const change = (perm: 'share' | 'download', value: boolean) =>
    document.update((draft) => {
      const user = draft.users[2]
      if (user) user.perm[perm] = value
    })
  for (const perm of ['share', 'download'] as const) {
    await change(perm, false)
    t.equal((await visit(hash)).statusCode, 403, perm)
    t.equal((await alice('POST', '/api/share/a.txt')).statusCode, 403)
    t.equal((await alice('GET', '/api/shares')).statusCode, 403)
    await change(perm, true)
  }
  await document.update((draft) => {
    delete draft.users[2]
  })
  t.equal((await visit(hash)).statusCode, 404, 'the owner was deleted')
})

t.test(
  'visitors cannot write to a share, and symbolic links out of the shared folder are refused',
  async (t) => {
    const { share, call, root, fetchFile } = await world(t)
    symlinkSync('../a.txt', `${root}/alice/docs/out`)
    const { hash } = await share('/docs')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const kind of ['share', 'dl']) {
        t.equal((await call(method, `/api/public/${kind}/${hash}/x.txt`, { payload: 'x' })).statusCode, 405)
      }
    }
    t.equal(readFileSync(`${root}/alice/docs/x.txt`, 'utf8'), 'X')
    t.equal((await fetchFile(hash, '/out')).statusCode, 403)
  },
)

t.test('entries with hostile names can be shared and opened', async (t) => {
  const { share, fetchFile, root } = await world(t)
  mkdirSync(`${root}/alice/odd`)
  const folder = await share('/odd')
  for (const name of hostileNames) {
    writeFileSync(`${root}/alice/odd/${name}`, name)
    const { hash } = await share(`/odd/${encodeURIComponent(name)}`)
    t.equal((await fetchFile(hash)).body, name)
    t.equal((await fetchFile(folder.hash, `/${encodeURIComponent(name)}`)).body, name)
  }
})

t.test('unknown and malformed ids of shares get 404', async (t) => {
  const { visit, fetchFile } = await world(t)
  for (const hash of ['', 'x', '..', '%2e%2e', '__proto__', 'a'.repeat(200), '%00']) {
    t.equal((await visit(hash)).statusCode, 404, hash)
    t.equal((await fetchFile(hash)).statusCode, 404, hash)
  }
})

t.test('a move looks up the scope of a user with many shares once', async (t) => {
  const { share, document, services, root } = await world(t)
  const { hash } = await share('/docs')
  await document.update(({ shares }) => {
    const one = shares[hash]
    if (one) {
      for (let n = 0; n < 999; n++) {
        const more = String(n).padStart(22, '-')
        shares[more] = { ...one, hash: more }
      }
    }
  })
  let lookups = 0
  const tracking = createShareTracking(createStore(document), (id) => {
    lookups++
    return services.auth.personOf(id)
  })
  renameSync(`${root}/alice/docs`, `${root}/alice/papers`)
  await tracking.onMoved(`${root}/alice/docs`, `${root}/alice/papers`)
  t.equal(lookups, 1)
  t.ok(
    Object.values(document.data.shares).every(({ path }) => path === '/papers'),
    'every share has the new path',
  )
})

t.test('on a full disk, the shares of a file in the trash end', async (t) => {
  const { share, document, services, root } = await world(t)
  await share('/a.txt')
  let isFull = true
  const full = {
    get data() {
      return document.data
    },
    // A state that only becomes smaller can be written.
    async update(change: Parameters<typeof document.update>[0]) {
      if (isFull) {
        isFull = false
        throw new Problem('disk.full')
      }
      return document.update(change)
    },
  } as unknown as typeof document
  const tracking = createShareTracking(createStore(full), (id) => services.auth.personOf(id))
  await tracking.onDeleted([{ path: `${root}/alice/a.txt`, item: 'in the trash' }])
  t.strictSame(document.data.shares, {})
})
