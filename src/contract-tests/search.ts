import { deepEqual, match } from 'node:assert/strict'
import { withToken } from './client.ts'
import type { Person } from './place.ts'
import { answers, refuses, rulesOf } from './rule.ts'

interface Hit {
  dir: boolean
  path: string
}

async function find({ call }: Person, path: string, query: string): Promise<string[]> {
  const reply = await call('GET', `/api/search${path}?query=${encodeURIComponent(query)}`)
  answers(reply, 200)
  match(reply.headers['content-type'] ?? '', /^application\/json/)
  return reply
    .json<Hit[]>()
    .map((hit) => hit.path + (hit.dir ? '/' : ''))
    .sort()
}

const files = {
  'Report.txt': '',
  'x/report%20two.md': '',
  'x/picture.jpg': '',
  'report/y.txt': '',
  'song.mp3': '',
}

const ofSearch = rulesOf('Search')

/** Searching. */
export const search = [
  ofSearch(
    'search returns the entries whose names match, with paths relative to the searched folder',
    async ({ ann, room }) => {
      const path = await room(files)
      deepEqual(await find(ann, `${path}/`, 'report'), ['Report.txt', 'report/', 'x/report two.md'])
      deepEqual(await find(ann, `${path}/x/`, 'report'), ['report two.md'])
      deepEqual(await find(ann, path, 'nobody-named-it-thus'), [])
    },
  ),
  ofSearch(
    'terms are combined with or, quotes make one term, case:sensitive distinguishes case',
    async ({ ann, room }) => {
      const path = `${await room(files)}/`
      deepEqual(await find(ann, path, 'two song'), ['song.mp3', 'x/report two.md'])
      deepEqual(await find(ann, path, '"report two"'), ['x/report two.md'])
      deepEqual(await find(ann, path, 'case:sensitive Report'), ['Report.txt'])
      deepEqual(await find(ann, path, 'case:insensitive REPORT'), [
        'Report.txt',
        'report/',
        'x/report two.md',
      ])
    },
  ),
  ofSearch('types filter the hits, alone and together with terms', async ({ ann, room }) => {
    const path = `${await room(files)}/`
    deepEqual(await find(ann, path, 'type:image'), ['x/picture.jpg'])
    deepEqual(await find(ann, path, 'type:music'), ['song.mp3'])
    deepEqual(await find(ann, path, 'type:audio type:image'), ['song.mp3', 'x/picture.jpg'])
    deepEqual(await find(ann, path, 'type:txt report'), ['Report.txt'])
  }),
  ofSearch('hits are streamed one object per line to a client that accepts NDJSON', async ({ ann, room }) => {
    const path = await room(files)
    const headers = { Accept: 'application/x-ndjson' }
    const reply = await ann.call('GET', `/api/search${path}/?query=report`, { headers })
    answers(reply, 200)
    match(reply.headers['content-type'] ?? '', /^application\/x-ndjson/)
    const lines = reply.text.split('\n').filter(Boolean)
    deepEqual(lines.map((line) => (JSON.parse(line) as Hit).path).sort(), [
      'Report.txt',
      'report',
      'x/report two.md',
    ])
  }),
  ofSearch('a session that has sent X-Encoding gets its hits one per line', async (place) => {
    const { ann, call, login, room } = place
    const path = await room(files)
    const own = withToken(call, (await login(ann.username, ann.password)).text)
    answers(await own('GET', `/api/resources${path}/`, { headers: { 'X-Encoding': 'true' } }), 200)
    const reply = await own('GET', `/api/search${path}/?query=two`)
    deepEqual(reply.text, `${JSON.stringify({ dir: false, path: 'x/report two.md' })}\n`)
    deepEqual(await find(ann, `${path}/`, 'two'), ['x/report two.md'])
  }),
  ofSearch(
    'a missing folder is 404, and the rules of a user hide hits',
    async ({ admin, addPerson, ann, room }) => {
      const path = await room(files)
      refuses(await ann.call('GET', `/api/search${path}/missing/?query=a`), 404)
      const person = await addPerson({})
      const rules = [{ regex: true, allow: false, path: '', regexp: { raw: '\\.md$' } }]
      const body = { what: 'user', which: ['rules'], data: { id: person.id, rules } }
      answers(await admin.call('PUT', `/api/users/${person.id}`, { body }), 200)
      deepEqual(await find(person, `${path}/`, 'report'), ['Report.txt', 'report/'])
    },
  ),
]
