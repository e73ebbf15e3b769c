import { deepEqual, match } from 'node:assert/strict'
import type { Person } from './place.ts'
import { answers, isDone, refuses, rulesOf, tells } from './rule.ts'

const patch = ({ call }: Person, from: string, query: Readonly<Record<string, string>>) =>
  call('PATCH', `/api/resources${from}?${new URLSearchParams(query)}`)

async function names({ call }: Person, path: string): Promise<string[]> {
  const { items } = (await call('GET', `/api/resources${path}/`)).json<{ items: { name: string }[] }>()
  return items.map(({ name }) => name)
}

const ofCopying = rulesOf('Resources, Copying and renaming')
const ofResources = rulesOf('Resources')
const ofResourceErrors = rulesOf('Errors, Resources')
const ofCopyStatus = rulesOf('Status codes, Copying and renaming')
const ofStatusCodes = rulesOf('Status codes')

/** Copying and renaming. */
export const transfers = [
  ofCopying('a file is copied and renamed, and a folder with its content', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'text', 'x/y/b.txt': 'deep' })
    isDone(await patch(ann, `${path}/a.txt`, { action: 'copy', destination: `${path}/b.txt` }))
    isDone(await patch(ann, `${path}/a.txt`, { action: 'rename', destination: `${path}/c.txt` }))
    isDone(await patch(ann, `${path}/x/`, { action: 'copy', destination: `${path}/z/` }))
    isDone(await patch(ann, `${path}/x`, { action: 'rename', destination: `${path}/w` }))
    deepEqual(await names(ann, path), ['w', 'z', 'b.txt', 'c.txt'])
    tells(await ann.call('GET', `/api/resources${path}/z/y/b.txt`), { content: 'deep' })
    tells(await ann.call('GET', `/api/resources${path}/w/y/b.txt`), { content: 'deep' })
  }),
  ofCopying('the destination of old clients is encoded twice', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'text' })
    const name = 'b c+#%.txt'
    const once = [path.slice(1), name].map(encodeURIComponent).join('/')
    const twice = encodeURIComponent(encodeURIComponent(`${path}/${name}`))
    const call = (destination: string) =>
      ann.call('PATCH', `/api/resources${path}/a.txt?action=copy&destination=${destination}`)
    isDone(await call(twice))
    deepEqual(await names(ann, path), ['a.txt', name])
    refuses(await call(`/${once}`), 409)
    // A script writes it as a form does.
    const written = new URLSearchParams({ action: 'copy', destination: `${path}/a script's.txt` })
    match(String(written), /a\+script/)
    isDone(await ann.call('PATCH', `/api/resources${path}/a.txt?${written}`))
    deepEqual(await names(ann, path), ["a script's.txt", 'a.txt', name])
  }),
  ofResources('copying or renaming to an existing path is 409 and changes nothing', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'a', 'b.txt': 'b', 'x/1': '', 'y/2': '' })
    for (const action of ['copy', 'rename']) {
      refuses(await patch(ann, `${path}/a.txt`, { action, destination: `${path}/b.txt` }), 409)
      const refused = { action, destination: `${path}/y`, override: 'false', rename: 'false' }
      refuses(await patch(ann, `${path}/x`, refused), 409)
    }
    tells(await ann.call('GET', `/api/resources${path}/b.txt`), { content: 'b' })
    deepEqual(await names(ann, path), ['x', 'y', 'a.txt', 'b.txt'])
  }),
  ofResourceErrors('a conflict is text for old clients, not JSON', async ({ ann, room }) => {
    const path = await room({ 'a.txt': '', 'b.txt': '' })
    const query = new URLSearchParams({ action: 'copy', destination: `${path}/b.txt` })
    const headers = { Accept: '*/*' }
    refuses(await ann.call('PATCH', `/api/resources${path}/a.txt?${query}`, { headers }), 409)
    refuses(await ann.call('POST', `/api/resources${path}/b.txt?override=false`, { headers }), 409)
  }),
  ofResources(
    'override=true replaces a file, which needs the permission to modify',
    async ({ ann, room, addPerson }) => {
      const path = await room({ 'a.txt': 'a', 'b.txt': 'b' })
      const query = { action: 'copy', destination: `${path}/b.txt`, override: 'true' }
      const maker = await addPerson({ create: true, rename: true })
      refuses(await patch(maker, `${path}/a.txt`, query), 403)
      tells(await ann.call('GET', `/api/resources${path}/b.txt`), { content: 'b' })
      isDone(await patch(ann, `${path}/a.txt`, query))
      tells(await ann.call('GET', `/api/resources${path}/b.txt`), { content: 'a' })
    },
  ),
  ofCopying('rename=true uses the first free name(1).ext', async ({ ann, room }) => {
    const path = await room({ 'a.txt': 'a', 'b.txt': 'b' })
    const query = { action: 'copy', destination: `${path}/b.txt`, rename: 'true' }
    isDone(await patch(ann, `${path}/a.txt`, query))
    isDone(await patch(ann, `${path}/a.txt`, query))
    deepEqual((await names(ann, path)).sort(), ['a.txt', 'b(1).txt', 'b(2).txt', 'b.txt'])
  }),
  ofResources('copying or renaming a folder into itself is 400', async ({ ann, room }) => {
    const path = await room({ 'x/a.txt': '' })
    for (const action of ['copy', 'rename']) {
      refuses(await patch(ann, `${path}/x`, { action, destination: `${path}/x/y` }), 400)
    }
    deepEqual(await names(ann, `${path}/x`), ['a.txt'])
  }),
  ofCopyStatus('invalid requests are refused with their own status', async ({ ann, room }) => {
    const path = await room({ 'a.txt': '' })
    const destination = `${path}/b.txt`
    refuses(await patch(ann, `${path}/missing`, { action: 'copy', destination }), 404)
    refuses(await patch(ann, `${path}/a.txt`, { action: 'move', destination }), 400)
    refuses(await patch(ann, `${path}/a.txt`, { destination }), 400)
    refuses(await patch(ann, `${path}/a.txt`, { action: 'rename' }), 400)
    refuses(await patch(ann, '/', { action: 'rename', destination }), 403)
    refuses(await patch(ann, `${path}/a.txt`, { action: 'rename', destination: '/' }), 403)
    refuses(await patch(ann, `${path}/a.txt`, { action: 'copy', destination: `${path}/a\0` }), 400)
    deepEqual(await names(ann, path), ['a.txt'])
  }),
  ofStatusCodes(
    'copying needs the permission to create, renaming the permission to rename',
    async ({ addPerson, room }) => {
      const path = await room({ 'a.txt': '' })
      const maker = await addPerson({ create: true })
      const mover = await addPerson({ rename: true })
      const copy = { action: 'copy', destination: `${path}/b.txt` }
      const rename = { action: 'rename', destination: `${path}/c.txt` }
      refuses(await patch(mover, `${path}/a.txt`, copy), 403)
      refuses(await patch(maker, `${path}/a.txt`, rename), 403)
      isDone(await patch(maker, `${path}/a.txt`, copy))
      isDone(await patch(mover, `${path}/a.txt`, rename))
    },
  ),
  ofResources('rules are checked at both ends of a copy or rename, and for every method', async (place) => {
    const { admin, ann, addPerson, room } = place
    const path = await room({ 'a.txt': 'a', 'no/b.txt': 'b', 'none.txt': '' })
    const rules = [{ regex: false, allow: false, path: `${path}/no`, regexp: { raw: '' } }]
    const all = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
    const person = await addPerson(all)
    const body = { what: 'user', which: ['rules'], data: { id: person.id, rules } }
    isDone(await admin.call('PUT', `/api/users/${person.id}`, { body }))
    const denied = `${path}/no/b.txt`
    for (const method of ['GET', 'PUT', 'DELETE']) {
      refuses(await person.call(method, `/api/resources${denied}`), 403)
    }
    refuses(await person.call('POST', `/api/resources${path}/no/c.txt`), 403)
    refuses(await person.call('GET', `/api/raw${denied}`), 403)
    for (const action of ['copy', 'rename']) {
      refuses(await patch(person, denied, { action, destination: `${path}/c.txt` }), 403)
      refuses(await patch(person, `${path}/a.txt`, { action, destination: `${path}/no/c.txt` }), 403)
    }
    deepEqual(await names(person, path), ['a.txt', 'none.txt'])
    deepEqual(await names(ann, `${path}/no`), ['b.txt'])
    answers(await person.call('GET', `/api/resources${path}/none.txt`), 200)
  }),
]
