import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client'
import { start } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'

/** Starts an instance, and returns clients of the library that the pages of File Browser use. */
async function open(t: Test) {
  const made = await start(t, { people: { ann: {} } })
  const address = `http://127.0.0.1:${await listen(made.app)}/api/tus/`
  /** A client with a session of its own. */
  const client = async () => {
    const token = await made.login('ann')
    return (target: string, content: string, more: Partial<UploadOptions> = {}) =>
      createUpload(content, {
        endpoint: address + target,
        headers: { 'X-Auth': token },
        chunkSize: 5,
        retryDelays: [],
        ...more,
      })
  }
  const onDisk = (name: string) => readFileSync(join(made.root, name), 'utf8')
  return { root: made.root, client, onDisk }
}

function createUpload(content: string, options: UploadOptions) {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  const { promise: paused, resolve: pause } = Promise.withResolvers<void>()
  ended.catch(() => {}) // a test that expects an error awaits it
  let next: Promise<void> | undefined
  const upload = new Upload(Buffer.from(content), {
    ...options,
    onSuccess: () => resolve(),
    onError: reject,
    onChunkComplete: () => {
      next ??= upload.abort().then(pause)
    },
  })
  return {
    /** Sends the first piece, then waits for `start`. */
    async sendFirst() {
      upload.start()
      await Promise.race([paused, ended])
    },
    /** Sends the rest. */
    async finish() {
      next ??= Promise.resolve()
      upload.start()
      await ended
    },
  }
}

const status = (error: unknown) =>
  error instanceof DetailedError ? error.originalResponse?.getStatus() : error

t.test('of two unmodified clients that upload one name, the second one is refused', async (t) => {
  const { client, onDisk } = await open(t)
  const [first, second] = [await client(), await client()]
  const a = first('m.bin?override=false', 'AAAAAAAAAA')
  await a.sendFirst()
  for (const other of [first, second]) {
    const error = await other('m.bin?override=false', 'BBBBBBBBBB').finish().catch(status)
    t.equal(error, 409)
  }
  await a.finish()
  t.equal(onDisk('m.bin'), 'AAAAAAAAAA')
})

t.test(
  'a client that replaces the upload of another one gets its own bytes, and the other one an error',
  async (t) => {
    const { client, onDisk } = await open(t)
    const [first, second] = [await client(), await client()]
    for (const [name, other] of [
      ['of another session.bin', second],
      ['of the same session.bin', first],
    ] as const) {
      const target = encodeURIComponent(name)
      const a = first(`${target}?override=false`, 'AAAAAAAAAA')
      await a.sendFirst()
      const b = other(`${target}?override=true`, 'BBBBBBBBBB')
      await b.sendFirst()
      t.equal(await a.finish().catch(status), 409, name)
      await b.finish()
      t.equal(onDisk(name), 'BBBBBBBBBB')
    }
  },
)

t.test('a client of tus sends the date of a file, and no parallel upload', async (t) => {
  const { client, root } = await open(t)
  const upload = await client()
  await upload('dated.bin', 'dated', { metadata: { filename: 'x', mtime: '1700000000123' } }).finish()
  t.equal(statSync(join(root, 'dated.bin')).mtimeMs, 1_700_000_000_123)
  const parallel = upload('parallel.bin', 'AAAAAAAAAA', { parallelUploads: 2 })
  t.equal(await parallel.finish().catch(status), 400)
  t.strictSame(readdirSync(root), ['dated.bin'], 'no part is left as if it were the file')
})
