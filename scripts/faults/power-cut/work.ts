// The requests of a recording: uploads, saves, moves, copies, new folders and deletions.

import type { Client } from './record.ts'
import type { Value } from './recording.ts'

/** A size above that between two flushes of an upload, so that several are in the record. */
const largeBytes = 70 * 1024 * 1024
const lineBytes = 64

/** Makes a content in which each 64 bytes tell their file and their offset. */
function content(name: string, size: number): Buffer {
  const bytes = Buffer.alloc(size, '.')
  for (let at = 0; at < size; at += lineBytes) bytes.write(`${name} ${at}\n`, at, 'latin1')
  return bytes
}

/** Changes files in every way. With `isShort`, leaves out the large upload. */
export async function changeEverything(client: Client, { isShort }: { isShort: boolean }): Promise<void> {
  const files = createFiles(client)
  await files.upload('/first.txt', 5000)
  await files.upload('/first.txt', 3000)
  await files.save('/first.txt', 4000)
  await files.makeFolder('/plain')
  await files.makeFolder('/outer/inner')
  await files.upload('/parent/child/leaf.txt', 100)
  await Promise.all(Array.from({ length: 8 }, (_, n) => files.upload(`/crowd/one-${n}.txt`, 1000 + n)))
  await files.uploadForm(['/first.txt', '/form/one.txt', '/form/deep/two.txt', '/form/deep/three.txt'], 1500)
  await files.move('/first.txt', '/plain/moved.txt')
  await files.move('/plain/moved.txt', '/plain/renamed.txt')
  await files.move('/parent/child', '/outer/inner/child')
  await files.copy('/plain/renamed.txt', '/copied.txt')
  await files.copy('/outer', '/again')
  await files.uploadInPieces('/pieces.txt', 9000)
  await files.remove('/plain/renamed.txt')
  await files.remove('/outer')
  await Promise.all([
    files.upload('/crowd/one-0.txt', 2000),
    files.save('/crowd/one-1.txt', 2001),
    files.remove('/crowd/one-2.txt'),
    files.move('/crowd/one-3.txt', '/crowd/three.txt'),
    files.copy('/crowd/one-4.txt', '/plain/four.txt'),
  ])
  // Not beside the others: they flush the old folder too, perhaps before the new one. Only a file system that writes
  // names in their order then keeps the new name.
  await files.move('/crowd/three.txt', '/plain/three.txt')
  if (!isShort) {
    await files.upload('/large.bin', largeBytes)
    await files.move('/large.bin', '/crowd/large.bin')
  }
}

/** The body and the headers of a form with several files. */
function formOf(files: readonly (readonly [path: string, content: Buffer])[]) {
  const parts = files.flatMap(([path, content]) => [
    `--form\r\nContent-Disposition: form-data; name="file"; filename="${path}"\r\n\r\n`,
    content,
    '\r\n',
  ])
  const body = Buffer.concat([...parts, '--form--\r\n'].map((part) => Buffer.from(part)))
  return { body, headers: { 'Content-Type': 'multipart/form-data; boundary=form' } }
}

function createFiles({ send }: Client) {
  /** What each path holds. */
  const values = new Map<string, Value>()
  let contents = 0

  const address = (path: string) => `/api/resources${path}`
  const next = (size: number) => content(`content ${++contents}`, size)

  /** The missing folders above a path. */
  const parents = (path: string): Record<string, Value> => {
    const above = path.split('/').slice(1, -1)
    const paths = above.map((_, index) => `/${above.slice(0, index + 1).join('/')}`)
    return Object.fromEntries(paths.filter((each) => !values.has(each)).map((each) => [each, 'folder']))
  }

  /** The entries at and below a path, with the rest of their paths. */
  const tree = (path: string) =>
    [...values]
      .filter(([each]) => each === path || each.startsWith(`${path}/`))
      .map(([each, value]) => ({ rest: each.slice(path.length), value }))

  const change = async (
    method: string,
    url: string,
    { changes, ...more }: { changes: Record<string, Value>; body?: Buffer; headers?: Record<string, string> },
  ) => {
    for (const [path, value] of Object.entries(changes)) {
      if (value === 'absent') values.delete(path)
      else values.set(path, value)
    }
    return send(method, url, { ...more, changes })
  }

  const transfer = (from: string, to: string, action: 'rename' | 'copy') => {
    const query = `?action=${action}&destination=${encodeURIComponent(to)}`
    const moved = tree(from)
    const gone = action === 'rename' ? moved.map(({ rest }) => [from + rest, 'absent'] as const) : []
    const made = moved.map(({ rest, value }) => [to + rest, value] as const)
    return change('PATCH', address(from) + query, { changes: Object.fromEntries([...gone, ...made]) })
  }

  return {
    upload(path: string, size: number) {
      const body = next(size)
      const changes = { ...parents(path), [path]: body }
      return change('POST', `${address(path)}?override=true`, { changes, body })
    },

    /** Uploads several files in one request. */
    uploadForm(paths: readonly string[], size: number) {
      const bodies = paths.map((path) => [path, next(size)] as const)
      const changes = Object.assign({}, ...paths.map(parents), Object.fromEntries(bodies))
      return change('POST', '/api/upload/?override=true', { changes, ...formOf(bodies) })
    },

    save(path: string, size: number) {
      const body = next(size)
      return change('PUT', address(path), { changes: { [path]: body }, body })
    },

    makeFolder(path: string) {
      return change('POST', `${address(path)}/`, { changes: { ...parents(path), [path]: 'folder' } })
    },

    move: (from: string, to: string) => transfer(from, to, 'rename'),
    copy: (from: string, to: string) => transfer(from, to, 'copy'),

    remove(path: string) {
      const changes = Object.fromEntries(tree(path).map(({ rest }) => [path + rest, 'absent' as const]))
      return change('DELETE', address(path), { changes })
    },

    async uploadInPieces(path: string, size: number) {
      const body = next(size)
      const half = Math.floor(size / 2)
      const tus = { 'Tus-Resumable': '1.0.0' }
      await send('POST', `/api/tus${path}`, { headers: { ...tus, 'Upload-Length': String(size) } })
      const send2 = (from: number, to: number, changes: Record<string, Value>) =>
        change('PATCH', `/api/tus${path}`, {
          changes,
          body: body.subarray(from, to),
          headers: {
            ...tus,
            'Upload-Offset': String(from),
            'Content-Type': 'application/offset+octet-stream',
          },
        })
      await send2(0, half, {})
      await send2(half, size, { [path]: body })
    },
  }
}
