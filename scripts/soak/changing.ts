// Requests that change files. Each function deletes what it has created.
import { randomBytes } from 'node:crypto'
import { createKeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { check, encodePath } from './client.ts'
import { type Person, raw, resource } from './person.ts'
import { checkWebp } from './reading.ts'
import { fewCount } from './served-files.ts'

const smallBytes = 20 * 1024
const largerBytes = 2 * 2 ** 20
const pieceType = { 'content-type': 'application/offset+octet-stream' }

// The trash belongs to the user, whose sessions are all connections: emptying it would make an undo impossible.
const locks = createKeyedLock()
const withTrash = (work: () => Promise<void>) => locks.run('trash', () => {}, work)

function newPath({ folder, next }: Person, extension = 'txt'): string {
  return `${folder}/new ${next()}.${extension}`
}

async function checkContent(person: Person, path: string, expected: Buffer): Promise<void> {
  const { bytes } = await person.send(raw(path))
  check(bytes.equals(expected), `the content of ${path} is wrong`)
}

/** Deletes a file or folder and its old contents. */
export async function deleteForever(person: Person, path: string): Promise<void> {
  await person.send(`${resource(path)}?permanent=true`, { method: 'DELETE' })
}

export async function upload(person: Person): Promise<void> {
  const [path, body] = [newPath(person), randomBytes(smallBytes)]
  await person.send(resource(path), { method: 'POST', body })
  await person.send(resource(path), { method: 'POST', body: 'another content', status: 409 })
  await checkContent(person, path, body)
  await deleteForever(person, path)
}

export async function replace(person: Person): Promise<void> {
  const [path, first, second] = [newPath(person, 'bin'), randomBytes(largerBytes), randomBytes(smallBytes)]
  for (const body of [first, second])
    await person.send(`${resource(path)}?override=true`, { method: 'POST', body })
  await checkContent(person, path, second)
  await deleteForever(person, path)
}

/** Saves as the editor does: only over the content that it has read. Reads and restores an old content. */
export async function save(person: Person): Promise<void> {
  const path = newPath(person)
  const texts = [1, 2].map((n) => Buffer.from(`content ${n}, ${person.next()}\n`.repeat(50)))
  const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = texts
  const created = await person.send(resource(path), { method: 'PUT', body: first })
  const headers = { 'if-match': created.headers.get('etag') ?? '' }
  await person.send(resource(path), { method: 'PUT', body: second, headers })
  await person.send(resource(path), { method: 'PUT', body: first, headers, status: 412 })
  const [version] = await person.read(`/api/versions${encodePath(path)}`)
  const old = await person.send(`${raw(path)}?version=${version.id}`)
  check(old.bytes.equals(first), 'the old content of a file is wrong')
  await person.send(`/api/versions${encodePath(path)}?version=${version.id}`, { method: 'POST' })
  await checkContent(person, path, first)
  await deleteForever(person, path)
}

/** Uploads in pieces. Cancels every other upload. */
export async function uploadPieces(person: Person): Promise<void> {
  const [path, body] = [newPath(person, 'bin'), randomBytes(largerBytes)]
  const address = `/api/tus${encodePath(path)}`
  const begun = { method: 'POST', headers: { 'upload-length': String(body.length) }, status: 201 }
  await person.send(address, begun)
  const middle = body.length / 2
  const patch = (from: number) =>
    person.send(address, {
      method: 'PATCH',
      headers: { ...pieceType, 'upload-offset': String(from) },
      body: body.subarray(from, from + middle),
      status: 204,
    })
  await patch(0)
  const { headers } = await person.send(address, { method: 'HEAD' })
  check(headers.get('upload-offset') === String(middle), 'the progress of an upload is wrong')
  if (person.next() % 2) {
    await person.send(address, { method: 'DELETE', status: 204 })
    await person.send(resource(path), { status: 404 })
    return
  }
  await patch(middle)
  await checkContent(person, path, body)
  await deleteForever(person, path)
}

/** Uploads a picture, so that its preview and its metadata are new. */
export async function uploadPicture(person: Person): Promise<void> {
  const { pictures } = person.files
  const picture = pictures[person.next() % pictures.length]
  if (!picture) return
  const path = newPath(person, picture.extension)
  await person.send(resource(path), { method: 'POST', body: picture.bytes })
  checkWebp((await person.send(`/api/preview/thumb${encodePath(path)}`)).bytes)
  const { width, height } = await person.read(`/api/metadata${encodePath(path)}`)
  check(width === picture.width && height === picture.height, 'the size of a new picture is wrong')
  await deleteForever(person, path)
}

export async function rename(person: Person): Promise<void> {
  const [from, to, body] = [newPath(person), newPath(person), randomBytes(smallBytes)]
  await person.send(resource(from), { method: 'POST', body })
  await transfer(person, { action: 'rename', from, to })
  await person.send(resource(from), { status: 404 })
  await checkContent(person, to, body)
  await deleteForever(person, to)
}

/** Copies a folder, deletes the copy, and undoes the deletion. The copy ends in the trash. */
export async function copyAndUndo(person: Person): Promise<void> {
  const copy = `${person.folder}/copy ${person.next()}`
  await transfer(person, { action: 'copy', from: '/few', to: copy })
  await checkCount(person, copy)
  await withTrash(async () => {
    const { headers } = await person.send(resource(copy), { method: 'DELETE' })
    await person.send(resource(`${copy}/`), { status: 404 })
    await person.send(`/api/operations/${headers.get('x-operation')}/undo`, { method: 'POST' })
    await checkCount(person, copy)
  })
  await person.send(resource(copy), { method: 'DELETE' })
}

async function checkCount(person: Person, folder: string): Promise<void> {
  const { items } = await person.read(resource(`${folder}/`))
  check(items.length === fewCount, `the copy has ${items.length} files`)
}

async function transfer(
  person: Person,
  { action, from, to }: { action: 'rename' | 'copy'; from: string; to: string },
): Promise<void> {
  // Clients encode the destination twice.
  const destination = encodeURIComponent(encodePath(to))
  const address = `${resource(from)}?action=${action}&destination=${destination}`
  await person.send(address, { method: 'PATCH' })
}

export function emptyTrash(person: Person): Promise<void> {
  return withTrash(async () => {
    const { deleted } = await person.read('/api/trash', { method: 'DELETE' })
    check(Number.isInteger(deleted), 'the number of deleted entries is missing')
  })
}
