import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { uploadBytesInMemory } from '#src/files/space/upload-room.ts'
import { collectSmall, smallBytes } from './receive.ts'

const { signal } = new AbortController()

function bodyOf(...sizes: number[]): Readable {
  return Readable.from(
    sizes.map((size, n) => Buffer.alloc(size, n + 1)),
    { objectMode: false },
  )
}

t.test('a body of up to 64 KiB is collected, and counts as memory of uploads', async (t) => {
  for (const sizes of [[1], [10_000, 20_000], [smallBytes - 1, 1], []]) {
    const content = await collectSmall(bodyOf(...sizes), { signal })
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    t.equal(content?.bytes, bytes)
    t.ok(Buffer.concat(content?.pieces ?? []).equals(await buffer(bodyOf(...sizes))))
    t.equal(uploadBytesInMemory(), bytes)
    content?.[Symbol.dispose]()
    t.equal(uploadBytesInMemory(), 0)
  }
})

t.test('a body that arrives byte by byte is kept in few pieces', async (t) => {
  const content = await collectSmall(bodyOf(...Array.from({ length: 20_000 }, () => 1)), { signal })
  t.equal(content?.bytes, 20_000)
  t.ok((content?.pieces.length ?? 0) <= 64)
  t.ok(Buffer.concat(content?.pieces ?? []).every((byte, n) => byte === (n + 1) % 256))
  content?.[Symbol.dispose]()
})

t.test('a longer body can be read from its beginning', async (t) => {
  for (const sizes of [[smallBytes + 1], [smallBytes, 1], [10, 3_000_000], [smallBytes, smallBytes, 5]]) {
    const body = bodyOf(...sizes)
    t.equal(await collectSmall(body, { signal }), undefined)
    t.equal(uploadBytesInMemory(), 0)
    // The body may end before it is read again.
    await new Promise((resolve) => setImmediate(resolve))
    t.ok((await buffer(body)).equals(await buffer(bodyOf(...sizes))), `${sizes}`)
  }
})

t.test('a body that ends in the same moment in which it becomes too long loses nothing', async (t) => {
  const body = new Readable({ read() {} })
  const collected = collectSmall(body, { signal })
  body.push(Buffer.alloc(smallBytes + 1, 7))
  body.push(null)
  t.equal(await collected, undefined)
  t.equal((await buffer(body)).length, smallBytes + 1)
})

t.test('collecting ends with the reason of the signal, or the error of the body', async (t) => {
  const stop = new AbortController()
  const aborted = collectSmall(new Readable({ read() {} }), { signal: stop.signal })
  stop.abort(new Error('the session has ended'))
  await t.rejects(aborted, { message: 'the session has ended' })
  const body = new Readable({ read() {} })
  const failed = collectSmall(body, { signal })
  body.push('half')
  body.destroy(new Error('cut'))
  await t.rejects(failed, { code: 'request.cut', cause: { message: 'cut' } })
  t.equal(uploadBytesInMemory(), 0)
})
