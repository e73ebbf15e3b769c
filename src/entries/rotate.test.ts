import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { normalizePath } from '#src/files/paths/user-path.ts'
import { measure } from '#src/files/pictures/formats/measure.ts'
import { asJpeg, plain } from '#src/testing/pictures.ts'
import { start } from '#src/testing/start.ts'
import { createRotate } from './rotate.ts'

const jpeg = await asJpeg(plain(40, 20, [200, 0, 0]), 1)

async function prepare(t: Parameters<typeof start>[0]) {
  const tree = { 'a.jpg': jpeg, 'large.jpg': jpeg, 'b.txt': 'text', docs: {} }
  const running = await start(t, { tree, people: { ann: {}, reader: { perm: { modify: false } } } })
  const read = (name: string) => readFileSync(join(running.root, name))
  return { ...running, read, ann: await running.as('ann'), reader: await running.as('reader') }
}

function orientationIn(file: Buffer): unknown {
  const found = measure(file)
  return typeof found === 'object' && found.orientation
}

t.test('a rotated JPEG has another etag, its old content is kept, and Undo brings it back', async (t) => {
  const { ann, read } = await prepare(t)
  const { etag } = (await ann('GET', '/api/resources/a.jpg')).headers
  const reply = await ann('POST', '/api/rotate/a.jpg?by=90', { headers: { 'if-match': String(etag) } })
  t.equal(reply.statusCode, 200, reply.body)
  t.equal(orientationIn(read('a.jpg')), 6)
  t.equal(reply.headers.etag, (await ann('GET', '/api/resources/a.jpg')).headers.etag)
  t.not(reply.headers.etag, etag)
  t.equal((await ann('GET', '/api/versions/a.jpg')).json().length, 1)
  const again = await ann('POST', '/api/rotate/a.jpg?by=90', { headers: { 'if-match': String(etag) } })
  t.equal(again.statusCode, 412)
  const undone = await ann('POST', `/api/operations/${reply.headers['x-operation']}/undo`)
  t.equal(undone.statusCode, 200, undone.body)
  t.ok(read('a.jpg').equals(jpeg))
})

t.test('only a JPEG is rotated, and only by a user who may modify it', async (t) => {
  const { ann, reader, read } = await prepare(t)
  const statusOf = async (call: typeof ann, path: string) =>
    (await call('POST', `/api/rotate/${path}?by=90`)).statusCode
  t.equal(await statusOf(ann, 'b.txt'), 415)
  t.equal(await statusOf(ann, 'docs'), 405)
  t.equal(await statusOf(ann, 'missing.jpg'), 404)
  t.equal(await statusOf(reader, 'a.jpg'), 403)
  t.equal((await ann('POST', '/api/rotate/a.jpg?by=45')).statusCode, 400)
  t.ok(read('a.jpg').equals(jpeg))
})

t.test('a large file keeps every byte behind its metadata', async (t) => {
  const { ann, read, root } = await prepare(t)
  const rest = Buffer.alloc(3 * 1024 * 1024 + 7, 'behind the picture')
  const plainJpeg = await asJpeg(plain(40, 20, [200, 0, 0]))
  writeFileSync(join(root, 'large.jpg'), Buffer.concat([plainJpeg, rest]))
  t.equal((await ann('POST', '/api/rotate/large.jpg?by=270')).statusCode, 200)
  const file = read('large.jpg')
  t.equal(orientationIn(file), 8)
  t.equal(file.length, plainJpeg.length + rest.length + 36)
  t.ok(file.subarray(-rest.length).equals(rest))
})

t.test('a rotation never overwrites what was saved while the picture was copied', async (t) => {
  const { root, services, document } = await prepare(t)
  const ann = Object.values(document.data.users).find(({ username }) => username === 'ann')
  const person = services.auth.personOf(ann?.id ?? 0)
  if (!person) throw new Error('ann has no account')
  const rotate = createRotate(services.limits.files, async (_person, _path, { source, precondition }) => {
    if (source.stream instanceof Readable) await buffer(source.stream)
    writeFileSync(join(root, 'a.jpg'), 'saved by another program')
    precondition?.(statSync(join(root, 'a.jpg')))
    throw new Error('the rotated picture would replace it')
  })
  const { signal } = new AbortController()
  await t.rejects(rotate(person, normalizePath('/a.jpg'), { by: 90, signal }), { code: 'path.changed' })
})
