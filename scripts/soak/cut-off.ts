// Clients that disconnect in the middle.
import { request } from 'node:http'
import { deleteForever } from './changing.ts'
import { check, encodePath } from './client.ts'
import { type Person, raw, resource } from './person.ts'
import { largePart } from './served-files.ts'

const enoughBytes = 256 * 1024
const announcedBytes = 4 * 2 ** 20

export function cutOffDownload(person: Person): Promise<void> {
  return cutOff(person, raw('/large/large.bin'), (bytes) =>
    check(bytes.equals(largePart(0, bytes.length)), 'the beginning of the large file is wrong'),
  )
}

/** Cuts off a zip of many small files, or of the large file. */
export function cutOffZip(person: Person): Promise<void> {
  return cutOff(person, raw(person.next() % 2 ? '/texts' : '/large'), (bytes) =>
    check(bytes.readUInt32LE(0) === 0x04034b50, 'the beginning of the zip is wrong'),
  )
}

/** Reads the beginning of an answer, closes the connection, and checks what has arrived. */
async function cutOff(person: Person, path: string, verify: (bytes: Buffer) => void): Promise<void> {
  const connection = new AbortController()
  try {
    const reply = await person.client.open(path, { headers: person.headers }, connection.signal)
    const parts: Uint8Array[] = []
    let bytes = 0
    for await (const part of reply.body ?? []) {
      parts.push(part)
      bytes += part.length
      if (bytes >= enoughBytes) break
    }
    verify(Buffer.concat(parts))
  } finally {
    connection.abort()
  }
}

/** Begins to replace a file, and disconnects. The file keeps its content. */
export async function cutOffUpload(person: Person): Promise<void> {
  const path = `${person.folder}/cut off ${person.next()}.txt`
  const content = 'the content before'
  await person.send(resource(path), { method: 'POST', body: content })
  await sendPart(person, `${resource(path)}?override=true`, 'POST')
  const { bytes } = await person.send(raw(path))
  check(bytes.toString() === content, 'an unfinished upload has changed a file')
  await deleteForever(person, path)
}

/** Begins an upload in pieces, disconnects within a piece, and cancels the upload. */
export async function cutOffPiece(person: Person): Promise<void> {
  const path = `${person.folder}/cut off ${person.next()}.bin`
  const address = `/api/tus${encodePath(path)}`
  const headers = { 'upload-length': String(announcedBytes) }
  await person.send(address, { method: 'POST', headers, status: 201 })
  const piece = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  await sendPart(person, address, 'PATCH', piece)
  await person.send(address, { method: 'DELETE', status: 204 })
  await person.send(resource(path), { status: 404 })
}

/** Announces a body, sends a part of it, and closes the connection. */
async function sendPart(
  { client, headers }: Person,
  path: string,
  method: 'POST' | 'PATCH',
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await client.begin()
  const outgoing = request({
    host: '127.0.0.1',
    port: client.port,
    path,
    method,
    headers: { ...headers, ...more, 'content-length': announcedBytes },
    agent: false,
  })
  outgoing.on('error', () => {}) // closing the connection is an error of the request
  // Not `once` of node:events, which throws the error.
  const closed = new Promise<void>((resolve) => outgoing.once('close', () => resolve()))
  await new Promise<void>((resolve) => outgoing.write(Buffer.alloc(enoughBytes, 'x'), () => resolve()))
  outgoing.destroy()
  await closed
}
