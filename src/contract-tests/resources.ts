import { deepEqual, match, ok } from 'node:assert/strict'
import { isDone, refuses, rulesOf, tells } from './rule.ts'

interface Listing {
  items: { name: string }[]
}
const namesIn = (listing: Listing) => listing.items.map(({ name }) => name)

const ofWriting = rulesOf('Resources, Writing files')
const ofWriteStatus = rulesOf('Status codes, Writing files')
const ofDeleteStatus = rulesOf('Status codes, Deleting')
const ofSorting = rulesOf('Resources, Sorting')
const ofResources = rulesOf('Resources')
const ofResourceStatus = rulesOf('Status codes, Resources')

/** Listing, creating, saving and deleting. */
export const resources = [
  ofWriting('the request body is the uploaded file, and the response has its ETag', async (place) => {
    const room = await place.room()
    const reply = await place.ann.call('POST', `/api/resources${room}/a%20b.txt?override=false`, {
      body: 'text',
    })
    isDone(reply)
    match(String(reply.headers.etag), /^"[^"]+"$/)
    tells(await place.ann.call('GET', `/api/resources${room}/a%20b.txt`), {
      name: 'a b.txt',
      content: 'text',
    })
  }),
  ofWriting(
    'an upload to an existing file is 409 and changes nothing, unless override=true',
    async (place) => {
      const room = await place.room({ 'a.txt': 'old' })
      const path = `/api/resources${room}/a.txt`
      for (const query of ['', '?override=false', '?override=1', '?override=TRUE', '?override=']) {
        refuses(await place.ann.call('POST', path + query, { body: 'new' }), 409)
      }
      tells(await place.ann.call('GET', path), { content: 'old' })
      isDone(await place.ann.call('POST', `${path}?override=true`, { body: 'new' }))
      tells(await place.ann.call('GET', path), { content: 'new' })
    },
  ),
  ofWriteStatus('missing folders above an upload are created', async ({ ann, room }) => {
    const path = await room()
    isDone(await ann.call('POST', `/api/resources${path}/x/y/a.txt`, { body: 'text' }))
    tells(await ann.call('GET', `/api/resources${path}/x/y/a.txt`), { content: 'text' })
  }),
  ofWriting('a path with a trailing slash creates a folder, or accepts an existing one', async (place) => {
    const room = await place.room({ 'a.txt': '' })
    isDone(await place.ann.call('POST', `/api/resources${room}/x/y/`))
    isDone(await place.ann.call('POST', `/api/resources${room}/x/y/?override=false`))
    tells(await place.ann.call('GET', `/api/resources${room}/x/y`), { isDir: true })
    refuses(await place.ann.call('POST', `/api/resources${room}/a.txt/`), 409)
    tells(await place.ann.call('GET', `/api/resources${room}/a.txt`), { isDir: false })
  }),
  ofWriteStatus('saving replaces or creates a file, and is 405 for a folder', async (place) => {
    const room = await place.room({ 'a.txt': 'old', 'sub/b': '' })
    for (const name of ['a.txt', 'new.txt']) {
      const reply = await place.ann.call('PUT', `/api/resources${room}/${name}`, { body: 'saved' })
      isDone(reply)
      ok(reply.headers.etag)
      tells(await place.ann.call('GET', `/api/resources${room}/${name}`), { content: 'saved' })
    }
    isDone(await place.ann.call('PUT', `/api/resources${room}/a.txt`))
    tells(await place.ann.call('GET', `/api/resources${room}/a.txt`), { size: 0 })
    for (const name of ['sub', 'sub/', 'a.txt/']) {
      refuses(await place.ann.call('PUT', `/api/resources${room}/${name}`, { body: 'x' }), 405)
    }
  }),
  ofDeleteStatus(
    'a folder is deleted with its content, but never the root of the scope',
    async ({ ann, room }) => {
      const path = await room({ 'x/y/a.txt': '', 'b.txt': '' })
      isDone(await ann.call('DELETE', `/api/resources${path}/x/`))
      deepEqual(namesIn((await ann.call('GET', `/api/resources${path}/`)).json<Listing>()), ['b.txt'])
      refuses(await ann.call('DELETE', '/api/resources/'), 403)
      refuses(await ann.call('DELETE', '/api/resources'), 403)
      refuses(await ann.call('DELETE', `/api/resources${path}/..`), 403)
    },
  ),
  ofSorting('a listing is sorted as the user chose: folders first, natural order', async (place) => {
    const { admin, addPerson, room } = place
    const person = await addPerson({})
    const path = await room({ 'b10.txt': '1', 'B2.txt': '333', 'c/x': '', 'a.txt': '22' })
    const wanted = {
      'name,false': ['c', 'a.txt', 'B2.txt', 'b10.txt'],
      'name,true': ['c', 'b10.txt', 'B2.txt', 'a.txt'],
      'size,true': ['c', 'b10.txt', 'a.txt', 'B2.txt'],
      'size,false': ['c', 'B2.txt', 'a.txt', 'b10.txt'],
    }
    for (const [order, names] of Object.entries(wanted)) {
      const [by = '', asc] = order.split(',')
      const data = { id: person.id, sorting: { by, asc: asc === 'true' } }
      const body = { what: 'user', which: ['sorting'], data }
      isDone(await admin.call('PUT', `/api/users/${person.id}`, { body }))
      const listing = (await person.call('GET', `/api/resources${path}/`)).json<Listing>()
      deepEqual(namesIn(listing), names, order)
    }
  }),
  ofResources('a path is decoded once; an invalid path is 400', async ({ ann, room }) => {
    const path = await room({ '100%2525.txt': 'text' })
    tells(await ann.call('GET', `/api/resources${path}/100%2525.txt`), { name: '100%25.txt' })
    for (const bad of ['a%00b', '%ff', '%zz', `${'x'.repeat(300)}`, `${'y/'.repeat(3000)}`]) {
      refuses(await ann.call('GET', `/api/resources${path}/${bad}`), 400)
      refuses(await ann.call('POST', `/api/resources${path}/${bad}`, { body: '' }), 400)
    }
    for (const control of ['a%0Ab', 'Icon%0D', '%1b', 'a%09b']) {
      refuses(await ann.call('GET', `/api/resources${path}/${control}`), 404)
      refuses(await ann.call('POST', `/api/resources${path}/${control}`, { body: '' }), 400)
      refuses(await ann.call('POST', `/api/resources${path}/${control}/`), 400)
    }
  }),
  ofResources('no spelling of dots and slashes leaves the scope', async ({ ann, folder, room }) => {
    await room()
    const name = folder.slice(1)
    for (const up of ['..', '%2e%2e', '..%2f..', '%2e%2e%2f%2e%2e', './..', '../..', '//..//..', '..%5c..']) {
      const reply = await ann.call('GET', `/api/resources/${up}/`)
      if (reply.status === 200) ok(!namesIn(reply.json<Listing>()).includes(name), up)
      refuses(await ann.call('GET', `/api/resources/${up}/${name}/`), 404)
    }
  }),
  ofResourceStatus(
    'without the permission for a request, nothing changes and the status is 403',
    async (place) => {
      const room = await place.room({ 'a.txt': 'old', 'b.txt': '' })
      const { call } = place.guest
      const path = `/api/resources${room}/a.txt`
      refuses(await call('POST', `/api/resources${room}/new.txt`, { body: 'x' }), 403)
      refuses(await call('POST', `/api/resources${room}/new/`), 403)
      refuses(await call('POST', `${path}?override=true`, { body: 'x' }), 403)
      refuses(await call('PUT', path, { body: 'x' }), 403)
      refuses(await call('DELETE', path), 403)
      refuses(await call('PATCH', `${path}?action=copy&destination=${room}/c.txt`), 403)
      refuses(await call('PATCH', `${path}?action=rename&destination=${room}/c.txt`), 403)
      refuses(await call('GET', `/api/raw${room}/a.txt`), 403)
      refuses(await call('POST', `/api/share${room}/a.txt`), 403)
      const listing = (await place.ann.call('GET', `/api/resources${room}/`)).json<Listing>()
      deepEqual(namesIn(listing), ['a.txt', 'b.txt'])
      tells(await place.ann.call('GET', path), { content: 'old' })
      tells(await call('GET', path), { name: 'a.txt' })
    },
  ),
  ofWriteStatus('replacing a file needs the permission to modify', async ({ addPerson, room, ann }) => {
    const path = await room({ 'a.txt': 'old' })
    const maker = await addPerson({ create: true, download: true })
    refuses(await maker.call('POST', `/api/resources${path}/a.txt?override=true`, { body: 'new' }), 403)
    isDone(await maker.call('POST', `/api/resources${path}/b.txt?override=true`, { body: 'new' }))
    tells(await ann.call('GET', `/api/resources${path}/a.txt`), { content: 'old' })
  }),
]
