import { equal, match } from 'node:assert/strict'
import type { Reply } from './client.ts'
import type { Person } from './place.ts'
import { answers, refuses, rulesOf, tells } from './rule.ts'

const call = (
  person: Person,
  method: string,
  path: string,
  { body, ...headers }: Record<string, string> & { body?: string } = {},
): Promise<Reply> => {
  const kind = method === 'PATCH' ? { 'Content-Type': 'application/offset+octet-stream' } : {}
  const all = { ...kind, ...headers }
  return person.call(method, `/api/tus${path}`, { headers: all, ...(body !== undefined && { body }) })
}

const begin = (person: Person, path: string, length: string) =>
  call(person, 'POST', path, { 'Upload-Length': length })
const send = (person: Person, path: string, offset: string, body: string) =>
  call(person, 'PATCH', path, { 'Upload-Offset': offset, body })

const ofPieces = rulesOf('Uploads in pieces')
const ofPreviews = rulesOf('Previews and details')

/** Uploads in pieces (contract/compatibility.md#uploads-in-pieces). */
export const pieces = [
  ofPieces('a file is uploaded in pieces and appears after the last one', async ({ ann, base, room }) => {
    const path = `${await room()}/x/a%20b.txt`
    const begun = await begin(ann, path, '8')
    answers(begun, 201)
    equal(begun.headers.location, `${base.pathname.replace(/\/+$/, '')}/api/tus${path}`)
    const first = await send(ann, path, '0', 'four')
    answers(first, 204)
    equal(first.headers['upload-offset'], '4')
    const head = await call(ann, 'HEAD', path)
    answers(head, 200)
    equal(head.headers['upload-offset'], '4')
    equal(head.headers['upload-length'], '8')
    match(String(head.headers['cache-control']), /no-store/)
    refuses(await ann.call('GET', `/api/resources${path}`), 404)
    answers(await send(ann, path, '4', 'more'), 204)
    tells(await ann.call('GET', `/api/resources${path}`), { content: 'fourmore' })
    answers(await call(ann, 'HEAD', path), 404)
  }),
  ofPieces('an upload to an existing file is 409 unless override=true', async (place) => {
    const room = await place.room({ 'a.txt': 'old' })
    const path = `${room}/a.txt`
    refuses(await begin(place.ann, path, '3'), 409)
    answers(await begin(place.ann, `${path}?override=true`, '3'), 201)
    tells(await place.ann.call('GET', `/api/resources${path}`), { content: 'old' })
    answers(await send(place.ann, path, '0', 'new'), 204)
    tells(await place.ann.call('GET', `/api/resources${path}`), { content: 'new' })
    const maker = await place.addPerson({ create: true })
    refuses(await begin(maker, `${path}?override=true`, '3'), 403)
    refuses(await begin(place.guest, `${room}/b.txt`, '3'), 403)
  }),
  ofPieces('invalid requests are refused with their own status', async ({ ann, room }) => {
    const folder = await room({ 'x/b.txt': '' })
    const path = `${folder}/a.txt`
    for (const length of ['', '-1', 'x']) refuses(await begin(ann, path, length), 400)
    refuses(await call(ann, 'POST', path), 400)
    refuses(await begin(ann, `${folder}/x`, '3'), 400)
    refuses(await send(ann, path, '0', 'new'), 404)
    answers(await begin(ann, path, '3'), 201)
    const typed = { 'Content-Type': 'text/plain', 'Upload-Offset': '0', body: 'new' }
    refuses(await call(ann, 'PATCH', path, typed), 415)
    for (const offset of ['', '-1', 'x', '4']) refuses(await send(ann, path, offset, 'new'), 400)
    refuses(await send(ann, path, '1', 'ew'), 409)
    refuses(await send(ann, path, '0', 'newer'), 413)
    equal((await call(ann, 'HEAD', path)).headers['upload-offset'], '0')
  }),
  ofPreviews(
    'a user may cancel an own upload without the permission to delete',
    async ({ ann, addPerson, room }) => {
      const path = `${await room()}/a.txt`
      const maker = await addPerson({ create: true })
      answers(await begin(maker, path, '3'), 201)
      refuses(await call(ann, 'DELETE', path), 404)
      answers(await call(maker, 'DELETE', path), 204)
      refuses(await call(maker, 'DELETE', path), 404)
      answers(await begin(ann, path, '3'), 201)
      answers(await call(ann, 'DELETE', path), 204)
      refuses(await call(ann, 'DELETE', path), 404)
    },
  ),
]
