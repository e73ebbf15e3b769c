import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { withToken } from './client.ts'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

interface Listing {
  items: { name: string; url: string; index: number; type: string; mode: number; modified: string }[]
}

const ofListings = rulesOf('Shapes, Listings and files')
const ofConventions = rulesOf('Shapes, Conventions')
const ofResourceShapes = rulesOf('Shapes, Resources')
const ofRules = rulesOf('Shapes, Rules and scopes')
const ofShapes = rulesOf('Shapes')
const ofErrors = rulesOf('Errors')
const ofErrorStatus = rulesOf('Errors, Status codes')
const ofDeleteStatus = rulesOf('Status codes, Deleting')

/** Shapes, refusals and statuses that no other rule covers. */
export const shapes = [
  ofListings('a folder is returned as a listing with its items, counts and sorting', async (place) => {
    const room = await place.room({ 'a%20%23.txt': 'text', 'sub/b.jpg': '' })
    const reply = await place.ann.call('GET', `/api/resources${room}/`)
    tells(reply, {
      kind: 'listing',
      isDir: true,
      type: '',
      numDirs: 1,
      numFiles: 1,
      sorting: { by: 'name', asc: false },
      items: [
        { name: 'sub', isDir: true, type: '', extension: '', index: 0 },
        { name: 'a #.txt', isDir: false, type: 'text', extension: '.txt', size: 4, index: 1 },
      ],
    })
    const { items } = reply.json<Listing>()
    deepEqual(
      items.map(({ url }) => url),
      [`/files${room}/sub/`, `/files${room}/a%20%23.txt`],
    )
    for (const { modified } of items)
      match(modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
  }),
  ofConventions('mode is the integer of Go: a folder has bit 31', async (place) => {
    const room = await place.room({ 'a.txt': '' })
    const { mode } = (await place.ann.call('GET', `/api/resources${room}/`)).json<{ mode: number }>()
    ok(mode >= 0x80000000)
    const file = (await place.ann.call('GET', `/api/resources${room}/a.txt`)).json<{ mode: number }>()
    ok(file.mode > 0 && file.mode <= 0o777)
  }),
  ofListings('an empty folder has an empty list, with or without a trailing slash', async (place) => {
    const room = await place.room()
    for (const path of [room, `${room}/`]) {
      tells(await place.ann.call('GET', `/api/resources${path}`), { items: [], numDirs: 0, numFiles: 0 })
    }
  }),
  ofListings('a text file is an editor with its content; an empty one has no content', async (place) => {
    const room = await place.room({ 'a.txt': 'täxt\n', 'empty.txt': '' })
    const reply = await place.ann.call('GET', `/api/resources${room}/a.txt`)
    tells(reply, { kind: 'editor', name: 'a.txt', type: 'text', content: 'täxt\n', size: 6, isDir: false })
    ok(reply.headers.etag, 'with its ETag')
    const empty = await place.ann.call('GET', `/api/resources${room}/empty.txt`)
    tells(empty, { kind: 'editor', type: 'text' })
    ok(!('content' in empty.json<object>()))
  }),
  ofResourceShapes('any other file is a preview, with a type from its name or its bytes', async (place) => {
    const types = { 'a.jpg': 'image', 'a.mp3': 'audio', 'a.mp4': 'video', 'a.pdf': 'pdf', 'a.zip': 'blob' }
    const room = await place.room(Object.fromEntries(Object.keys(types).map((name) => [name, '\0\x01'])))
    for (const [name, type] of Object.entries(types)) {
      tells(await place.ann.call('GET', `/api/resources${room}/${name}`), { kind: 'preview', type })
    }
    const code = await place.room({ 'a.ts': 'let a', 'a.json': '{}', noname: 'text' })
    for (const name of ['a.ts', 'a.json', 'noname']) {
      tells(await place.ann.call('GET', `/api/resources${code}/${name}`), { kind: 'editor', type: 'text' })
    }
  }),
  ofListings('the path of a folder keeps the trailing slash of the request', async (place) => {
    const room = await place.room({ 'x/a.txt': '' })
    for (const path of [`${room}/x`, `${room}/x/`, '/']) {
      tells(await place.ann.call('GET', `/api/resources${path}`), { path })
    }
    tells(await place.ann.call('GET', `/api/resources${room}/x/`), { items: [{ path: `${room}/x/a.txt` }] })
    tells(await place.ann.call('GET', '/api/resources'), { path: '/' })
  }),
  ofListings('with X-Encoding, a text is returned as its bytes', async (place) => {
    const room = await place.room({ 'a.csv': '\ufeffä;b\r\n', 'a.zip': '\0' })
    const headers = { 'X-Encoding': 'true' }
    // The header also changes the response format of searches in its session, so a separate session is used.
    const { username, password } = place.ann
    const own = withToken(place.call, (await place.login(username, password)).text)
    const reply = await own('GET', `/api/resources${room}/a.csv`, { headers })
    answers(reply, 200)
    match(reply.headers['content-type'] ?? '', /^application\/octet-stream/)
    deepEqual(reply.bytes, Buffer.from('\ufeffä;b\r\n'))
    tells(await own('GET', `/api/resources${room}/a.zip`, { headers }), { kind: 'preview' })
    refuses(await place.guest.call('GET', `/api/resources${room}/a.csv`, { headers }), 403)
  }),
  ofRules(
    'hidden dotfiles cannot be reached, but stay in a folder that is copied, moved or deleted',
    async (place) => {
      const { admin, ann, addPerson, room } = place
      const path = await room({ 'x/.hidden/a.txt': 'text', 'x/.env': '', 'x/b.txt': '' })
      const person = await addPerson({
        create: true,
        rename: true,
        modify: true,
        delete: true,
        download: true,
      })
      const body = { what: 'user', which: ['hideDotfiles'], data: { id: person.id, hideDotfiles: true } }
      isDone(await admin.call('PUT', `/api/users/${person.id}`, { body }))
      tells(await person.call('GET', `/api/resources${path}/x/`), { numDirs: 0, numFiles: 1 })
      for (const name of ['.env', '.hidden/', '.hidden/a.txt', '.nothing']) {
        refuses(await person.call('GET', `/api/resources${path}/x/${name}`), 403)
        refuses(await person.call('GET', `/api/raw${path}/x/${name}`), 403)
        refuses(await person.call('DELETE', `/api/resources${path}/x/${name}`), 403)
      }
      refuses(await person.call('POST', `/api/resources${path}/.new`, { body: '' }), 403)
      const patch = (action: string, from: string, to: string) =>
        person.call('PATCH', `/api/resources${path}/${from}?action=${action}&destination=${path}/${to}`)
      isDone(await patch('copy', 'x', 'y'))
      isDone(await patch('rename', 'y', 'z'))
      tells(await ann.call('GET', `/api/resources${path}/z/.hidden/a.txt`), { content: 'text' })
      isDone(await person.call('DELETE', `/api/resources${path}/z`))
      refuses(await ann.call('GET', `/api/resources${path}/z`), 404)
    },
  ),
  ofListings('a text is textImmutable for a user who may not modify it', async (place) => {
    const reader = await place.addPerson({ download: true })
    const room = await place.room({ 'a.txt': 'text' })
    tells(await reader.call('GET', `/api/resources${room}/a.txt`), { type: 'textImmutable', content: 'text' })
  }),
  ofShapes("the root has no name, so that the folder's name on disk stays private", async (place) => {
    tells(await place.ann.call('GET', '/api/resources/'), { name: '', path: '/', isDir: true })
    answers(await place.ann.call('GET', '/api/resources'), 200)
  }),
  ofShapes('unknown keys in a body are ignored, a wrong type is refused', async ({ login, ann, call }) => {
    const { username, password } = ann
    const body = { username, password, recaptcha: '', remember: true, __v: 3 }
    answers(await call('POST', '/api/login', { body }), 200)
    refuses(await call('POST', '/api/login', { body: { username: 5, password } }), 400)
    answers(await login(username, password), 200)
  }),
  ofErrors(
    'an error is a problem document for clients that prefer JSON, and text for all others',
    async ({ ann }) => {
      const path = '/api/resources/missing.txt'
      const reply = await ann.call('GET', path, { headers: { Accept: 'application/json' } })
      equal(reply.status, 404)
      match(reply.headers['content-type'] ?? '', /^application\/problem\+json/)
      const problem = reply.json<Record<string, unknown>>()
      equal(problem.status, 404)
      equal(problem.title, 'Not Found')
      equal(problem.code, 'path.unknown')
      for (const Accept of ['*/*', 'text/html,application/json;q=0.9,*/*;q=0.8', 'text/plain']) {
        refuses(await ann.call('GET', path, { headers: { Accept } }), 404)
      }
    },
  ),
  ofErrors('an unknown API path is 404 and never the page', async ({ ann, call }) => {
    for (const path of ['/api/', '/api/nothing', '/api/nothing/a', '/api/user', '/api/resourcesx/a']) {
      refuses(await ann.call('GET', path), 404)
      refuses(await call('POST', path), 404)
    }
  }),
  ofErrorStatus('a wrong method on a known path is 405 and lists the right ones', async ({ ann }) => {
    for (const [method, path, allowed] of [
      ['GET', '/api/login', 'POST'],
      ['PUT', '/api/renew', 'POST'],
      ['POST', '/api/raw/a.txt', 'GET'],
      ['DELETE', '/api/search/', 'GET'],
      ['PATCH', '/api/users/1', 'PUT'],
      ['POST', '/api/settings', 'PUT'],
    ] as const) {
      const reply = await ann.call(method, path)
      refuses(reply, 405)
      ok(reply.headers.allow?.split(', ').includes(allowed), `${method} ${path}: ${reply.headers.allow}`)
    }
  }),
  ofErrors('every response has an id and forbids content sniffing', async ({ ann, call }) => {
    for (const reply of [await call('GET', '/health'), await ann.call('GET', '/api/resources/missing')]) {
      match(String(reply.headers['x-request-id']), /^\S{8,}$/)
      equal(reply.headers['x-content-type-options'], 'nosniff')
    }
  }),
  ofErrors('API responses may not be cached', async ({ ann }) => {
    const reply = await ann.call('GET', '/api/resources/')
    match(reply.headers['cache-control'] ?? '', /no-store/)
  }),
  ofDeleteStatus('deleting returns 200, and 404 for a missing file', async ({ ann, room }) => {
    const path = await room({ 'a.txt': '' })
    isDone(await ann.call('DELETE', `/api/resources${path}/a.txt`))
    refuses(await ann.call('DELETE', `/api/resources${path}/a.txt`), 404)
  }),
]
