import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { zipNames } from './archive-names.ts'
import type { Person } from './place.ts'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

interface Share {
  hash: string
  expire: number
  hasPassword: boolean
}

async function share({ call }: Person, path: string, body?: object): Promise<Share> {
  const reply = await call('POST', `/api/share${path}`, body && { body })
  answers(reply, 200)
  return reply.json<Share>()
}

const ofShareLinks = rulesOf('Shares, Share links')
const ofShares = rulesOf('Shares')
const ofShareStatus = rulesOf('Status codes, Shares')
const ofThePage = rulesOf('The page')

/** Shares, and the requests of visitors. */
export const shares = [
  ofShareLinks('a share has an id of 128 bits and reveals no secret', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'text' })
    const reply = await ann.call('POST', `/api/share${path}/a.txt`)
    tells(reply, { path: `${path}/a.txt`, userID: ann.id, expire: 0, hasPassword: false })
    const created = reply.json<Share>()
    match(created.hash, /^[\w-]{22,}$/)
    const keys = ['created', 'expire', 'hasPassword', 'hash', 'isDir', 'path', 'rights', 'used', 'userID']
    deepEqual(Object.keys(created).sort(), keys)
  }),
  ofShares('a second permanent share of the same folder returns the first', async ({ ann, room }) => {
    const path = await room({ 'x/a.txt': '' })
    const first = await share(ann, `${path}/x/`)
    equal((await share(ann, `${path}/x`, {})).hash, first.hash)
    const listed = (await ann.call('GET', `/api/share${path}/x/`)).json<Share[]>()
    deepEqual(
      listed.map(({ hash }) => hash),
      [first.hash],
    )
  }),
  ofShareLinks('expiry comes from the query of old clients or the body of new ones', async (place) => {
    const path = `${await place.room({ 'a.txt': '' })}/a.txt`
    const now = Date.now() / 1000
    const near = (expire: number, seconds: number) =>
      ok(Math.abs(expire - now - seconds) < 600, `${expire - now}`)
    const byQuery = await place.ann.call('POST', `/api/share${path}?expires=2&unit=days`)
    near(byQuery.json<Share>().expire, 2 * 86_400)
    near((await share(place.ann, path, { expires: '3', unit: 'hours', password: '' })).expire, 3 * 3600)
    near((await share(place.ann, path, { expires: '30', unit: 'minutes' })).expire, 1800)
    const both = await place.ann.call('POST', `/api/share${path}?expires=2&unit=days`, {
      body: { expires: '1', unit: 'hours' },
    })
    near(both.json<Share>().expire, 3600)
    equal((await share(place.ann, path, { expires: '', unit: 'hours', password: '' })).expire, 0)
    const orders = (await place.ann.call('GET', `/api/share${path}`))
      .json<Share[]>()
      .map(({ expire }) => expire)
    equal(orders.length, 5)
  }),
  ofShareStatus('an expiry that is not a number is 400, an impossible one is 422', async ({ ann, room }) => {
    const path = `${await room({ 'a.txt': '' })}/a.txt`
    refuses(await ann.call('POST', `/api/share${path}?expires=soon&unit=days`), 400)
    refuses(await ann.call('POST', `/api/share${path}`, { body: { expires: '-1' } }), 422)
    refuses(await ann.call('POST', `/api/share${path}`, { body: { password: 5 } }), 400)
    refuses(await ann.call('POST', `/api/share${path}x`), 404)
    tells(await ann.call('GET', `/api/share${path}`), [])
  }),
  ofShareLinks(
    'a visitor sees a shared file and downloads it, whatever name follows the id',
    async (place) => {
      const path = await place.room({ 'a.txt': 'text', 'b.txt': '' })
      const { hash } = await share(place.ann, `${path}/a.txt`)
      tells(await place.call('GET', `/api/public/share/${hash}`), { name: 'a.txt', size: 4, isDir: false })
      for (const name of ['', '/', '/a.txt', '/any%20name.txt']) {
        const reply = await place.call('GET', `/api/public/dl/${hash}${name}`)
        answers(reply, 200)
        equal(reply.text, 'text')
        match(String(reply.headers['content-security-policy']), /sandbox/)
      }
      const part = await place.call('GET', `/api/public/dl/${hash}/a.txt?inline=true`, {
        headers: { Range: 'bytes=0-1' },
      })
      answers(part, 206)
      equal(part.text, 'te')
    },
  ),
  ofShareLinks('a shared folder can be browsed and downloaded, but not left', async (place) => {
    const path = await place.room({ 'x/y/a.txt': 'text', 'x/b.txt': '', 'secret.txt': 'secret' })
    const { hash } = await share(place.ann, `${path}/x`)
    tells(await place.call('GET', `/api/public/share/${hash}`), {
      kind: 'listing',
      name: 'x',
      path: '/',
      items: [{ name: 'y', path: '/y' }, { name: 'b.txt' }],
    })
    tells(await place.call('GET', `/api/public/share/${hash}/y/`), { items: [{ name: 'a.txt' }] })
    equal((await place.call('GET', `/api/public/dl/${hash}/y/a.txt`)).text, 'text')
    const archive = await place.call('GET', `/api/public/dl/${hash}?algo=zip`)
    answers(archive, 200)
    ok(zipNames(archive.bytes).some((name) => name.endsWith('y/a.txt')))
    const named = await place.call('GET', `/api/public/dl/${hash}/x?algo=zip`)
    answers(named, 200)
    deepEqual(zipNames(named.bytes).sort(), zipNames(archive.bytes).sort())
    equal(named.headers['content-disposition'], archive.headers['content-disposition'])
    refuses(await place.call('GET', `/api/public/dl/${hash}/x/y`), 404)
    refuses(await place.call('GET', `/api/public/dl/${hash}/other`), 404)
    for (const out of ['../secret.txt', '%2e%2e/secret.txt', '..%2fsecret.txt', 'y/../../secret.txt']) {
      refuses(await place.call('GET', `/api/public/dl/${hash}/${out}`), 404)
    }
  }),
  ofShareLinks(
    'a share with a password requires it, and returns a token for the downloads',
    async (place) => {
      const path = await place.room({ 'x/a.txt': 'text' })
      const password = 'open, Sesäme'
      const { hash, hasPassword } = await share(place.ann, `${path}/x`, { password, expires: '', unit: '' })
      ok(hasPassword)
      refuses(await place.call('GET', `/api/public/share/${hash}`), 401)
      refuses(await place.call('GET', `/api/public/dl/${hash}/a.txt`), 401)
      const wrong = { 'X-SHARE-PASSWORD': 'wrong' }
      refuses(await place.call('GET', `/api/public/share/${hash}`, { headers: wrong }), 401)
      const headers = { 'X-SHARE-PASSWORD': encodeURIComponent(password) }
      const reply = await place.call('GET', `/api/public/share/${hash}`, { headers })
      tells(reply, { items: [{ name: 'a.txt' }] })
      const { token } = reply.json<{ token: string }>()
      equal((await place.call('GET', `/api/public/dl/${hash}/a.txt?token=${token}`)).text, 'text')
      refuses(await place.call('GET', `/api/public/dl/${hash}/a.txt?token=${token}x`), 401)
      const other = await share(place.ann, `${path}/x/a.txt`, { password })
      refuses(await place.call('GET', `/api/public/dl/${other.hash}?token=${token}`), 401)
    },
  ),
  ofThePage(
    'after the id of a shared folder, its own name is ignored unless an entry has the same name',
    async (place) => {
      const path = await place.room({ 'x/x': 'text', '%C3%A4%20b/a.txt': 'text' })
      const { hash } = await share(place.ann, `${path}/x`)
      equal((await place.call('GET', `/api/public/dl/${hash}/x`)).text, 'text')
      const other = await share(place.ann, `${path}/${encodeURIComponent('ä b')}`)
      const named = await place.call('GET', `/api/public/dl/${other.hash}/${encodeURIComponent('ä b')}/`)
      answers(named, 200)
      ok(zipNames(named.bytes).some((name) => name.endsWith('a.txt')))
    },
  ),
  ofShares(
    'a password in the query protects as one in the body does; the body takes precedence',
    async ({ ann, call, room }) => {
      const path = `${await room({ 'a.txt': 'text' })}/a.txt`
      const open = (hash: string, password: string) =>
        call('GET', `/api/public/dl/${hash}`, { headers: { 'X-SHARE-PASSWORD': password } })
      const query = `${path}?password=from-query&expires=1&unit=hours`
      for (const body of [undefined, {}, { expires: '2' }]) {
        const reply = await ann.call('POST', `/api/share${query}`, body && { body })
        tells(reply, { hasPassword: true })
        const { hash } = reply.json<Share>()
        refuses(await call('GET', `/api/public/dl/${hash}`), 401)
        equal((await open(hash, 'from-query')).text, 'text')
      }
      const both = await ann.call('POST', `/api/share${query}`, { body: { password: 'from-body' } })
      const { hash } = both.json<Share>()
      refuses(await open(hash, 'from-query'), 401)
      equal((await open(hash, 'from-body')).text, 'text')
    },
  ),
  ofShares(
    'a share follows its file when it moves, and ends when it is deleted',
    async ({ ann, call, room }) => {
      const path = await room({ 'a.txt': 'text', 'b.txt': 'other' })
      const { hash } = await share(ann, `${path}/a.txt`)
      isDone(await ann.call('PATCH', `/api/resources${path}/a.txt?action=rename&destination=${path}/c.txt`))
      equal((await call('GET', `/api/public/dl/${hash}`)).text, 'text')
      isDone(await ann.call('DELETE', `/api/resources${path}/c.txt`))
      isDone(await ann.call('POST', `/api/resources${path}/c.txt`, { body: 'another' }))
      refuses(await call('GET', `/api/public/dl/${hash}`), 404)
    },
  ),
  ofShares("the owner's permissions are checked at each use", async ({ admin, addPerson, call, room }) => {
    const path = await room({ 'a.txt': 'text' })
    const perm = { share: true, download: true }
    const person = await addPerson(perm)
    const { hash } = await share(person, `${path}/a.txt`)
    answers(await call('GET', `/api/public/dl/${hash}`), 200)
    const data = { id: person.id, perm: { ...perm, share: false } }
    isDone(
      await admin.call('PUT', `/api/users/${person.id}`, { body: { what: 'user', which: ['perm'], data } }),
    )
    refuses(await call('GET', `/api/public/dl/${hash}`), 403)
    isDone(await admin.call('DELETE', `/api/users/${person.id}`))
    refuses(await call('GET', `/api/public/dl/${hash}`), 404)
  }),
  ofShareStatus(
    'only the owner or an administrator deletes a share; an unknown one is 404',
    async (place) => {
      const path = await place.room({ 'a.txt': '' })
      const other = await place.addPerson({ share: true, download: true })
      const { hash } = await share(place.ann, `${path}/a.txt`)
      refuses(await other.call('DELETE', `/api/share/${hash}`), 403)
      ok((await place.ann.call('GET', '/api/shares')).json<Share[]>().some((one) => one.hash === hash))
      ok(!(await other.call('GET', '/api/shares')).json<Share[]>().some((one) => one.hash === hash))
      ok((await place.admin.call('GET', '/api/shares')).json<Share[]>().some((one) => one.hash === hash))
      refuses(await place.guest.call('DELETE', `/api/share/${hash}`), 403)
      refuses(await place.guest.call('DELETE', '/api/share/nothing'), 403)
      isDone(await place.admin.call('DELETE', `/api/share/${hash}`))
      refuses(await place.ann.call('DELETE', `/api/share/${hash}`), 404)
      refuses(await place.call('GET', `/api/public/share/${hash}`), 404)
      refuses(await place.ann.call('DELETE', '/api/share/'), 400)
      refuses(await place.guest.call('GET', '/api/shares'), 403)
    },
  ),
]
