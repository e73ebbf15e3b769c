import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t, { type Test } from 'tap'
import { until } from '#src/testing/wire.ts'
import { readThrough } from './read-through.ts'
import { createThreadReaders, type ThreadReader, type ThreadReaders } from './thread-readers.ts'

const size = 64 * 1024 * 1024
const content = Buffer.concat(Array.from({ length: 64 }, () => randomBytes(1024 * 1024)))
const { signal } = new AbortController()

/** A file of 64 MiB, and threads that are ready to read it. */
async function opened(t: Test) {
  const file = join(t.testdir({}), 'noise.bin')
  writeFileSync(file, content)
  const fd = openSync(file, 'r')
  const readers = createThreadReaders()
  t.teardown(async () => {
    await readers.close()
    closeSync(fd)
  })
  await take(readers).then((reader) => reader[Symbol.dispose]())
  return { file, fd, readers }
}

/** Reserves a thread as soon as one is ready. */
const take = (readers: ThreadReaders): Promise<ThreadReader> => until(() => readers.take())

/** A sink as that of a zip. `onPart` is called with each piece that a thread has read. */
function createSink(onPart: (offset: number) => unknown = () => {}) {
  const hash = createHash('sha256')
  let checksum = 0
  const sink = {
    bytes: 0,
    fromThread: 0,
    digest: () => hash.digest('hex'),
    get checksum() {
      return checksum
    },
    async write(piece: Buffer, known?: number) {
      hash.update(piece)
      checksum = crc32(piece, checksum)
      sink.bytes += piece.length
      if (known === undefined) return
      if (known !== checksum) throw new Error(`the checksum is ${known} instead of ${checksum}`)
      sink.fromThread += piece.length
      await onPart(sink.bytes)
    },
  }
  return sink
}

t.test('a thread reads the rest of a large file, and computes its checksum', async (t) => {
  const { fd, readers } = await opened(t)
  const sink = createSink()
  const reader = await take(readers)
  const part = { file: fd, from: 1000, to: size - 1000, checksum: crc32(content.subarray(0, 1000)) }
  await sink.write(content.subarray(0, 1000))
  t.equal(await reader.read(part, sink), size - 1000)
  await sink.write(content.subarray(size - 1000))
  t.equal(sink.digest(), createHash('sha256').update(content).digest('hex'))
  t.equal(sink.fromThread, size - 2000)
})

t.test('a large file is read by a thread while the client is fast', async (t) => {
  const { fd, readers } = await opened(t)
  // On a busy machine, a client is not always fast.
  const sink = await until(async () => {
    const sink = createSink()
    t.equal(await readThrough({ fd, size }, sink, { signal, readers }), 0)
    t.equal(sink.digest(), createHash('sha256').update(content).digest('hex'))
    return sink.fromThread > 0 ? sink : undefined
  })
  t.ok(sink.fromThread < size, 'the main thread begins')
})

t.test('a file that becomes shorter while a thread reads it is filled with zeros', async (t) => {
  const { file, fd, readers } = await opened(t)
  const missing = await until(async () => {
    writeFileSync(file, content)
    const sink = createSink(() => truncateSync(file, 1000))
    const missing = await readThrough({ fd, size }, sink, { signal, readers })
    t.equal(sink.bytes, size)
    return missing
  })
  t.ok(missing > size / 4, `${missing} bytes are missing`)
})

t.test('a slow client does not keep a thread', async (t) => {
  const { fd, readers } = await opened(t)
  const sink = createSink(async () => {
    const others = [await take(readers), await take(readers)]
    for (const other of others) other[Symbol.dispose]()
  })
  const reader = await take(readers)
  const end = await reader.read({ file: fd, from: 0, to: size, checksum: 0 }, sink)
  t.ok(end < size, 'it stops before the end')
  t.equal(end, sink.bytes)
})

t.test(
  'after an error of the client or the disk, the thread is free and does not use the file any more',
  async (t) => {
    const { fd, readers } = await opened(t)
    const left = new Error('the client has left')
    const sink = createSink((offset) => (offset > size / 2 ? Promise.reject(left) : undefined))
    for (let round = 0; round < 3; round++) {
      const reader = await take(readers)
      await t.rejects(reader.read({ file: fd, from: 0, to: size, checksum: sink.checksum }, sink), left)
      await t.rejects((await take(readers)).read({ file: 1_000_000, from: 0, to: size, checksum: 0 }, sink), {
        code: 'EBADF',
      })
    }
  },
)
