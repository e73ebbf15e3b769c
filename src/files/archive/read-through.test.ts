import { appendFileSync, closeSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { buffersInUse, largeBytes } from '#src/files/reading/buffer-pool.ts'
import { readThrough } from './read-through.ts'
import { createThreadReaders } from './thread-readers.ts'

const size = 6 * largeBytes

function opened(t: Test) {
  const file = join(t.testdir({}), 'a b#?.bin')
  writeFileSync(file, Buffer.alloc(size, 'x'))
  const fd = openSync(file, 'r')
  t.teardown(() => closeSync(fd))
  return { file, fd }
}

const { signal } = new AbortController()
const readers = createThreadReaders()
t.teardown(() => readers.close())

t.test('a file that becomes shorter while it is read is filled with zeros, which are counted', async (t) => {
  const { file, fd } = opened(t)
  let length = 0
  let zeros = 0
  const write = async (piece: Buffer) => {
    if (length === 0) truncateSync(file, largeBytes + 7)
    length += piece.length
    zeros += piece.filter((byte) => byte === 0).length
  }
  const missing = await readThrough({ fd, size }, { write }, { signal, readers })
  t.equal(length, size, 'the announced size is kept')
  // The system may return zeros itself for the piece that it reads while the file is truncated.
  t.ok(missing <= zeros && zeros - missing < largeBytes, `${missing} of ${zeros} zeros are counted`)
  t.ok(missing >= 4 * largeBytes, 'only the piece that was read ahead can have content')
  t.equal(buffersInUse(), 0)
})

t.test('a file that grows while it is read is sent up to the announced size', async (t) => {
  const { file, fd } = opened(t)
  let length = 0
  const write = async (piece: Buffer) => {
    appendFileSync(file, 'more')
    length += piece.length
  }
  t.equal(await readThrough({ fd, size: size - 5 }, { write }, { signal, readers }), 0)
  t.equal(length, size - 5)
})

t.test('after an error or abort no further piece is passed on, and all buffers are returned', async (t) => {
  const { fd } = opened(t)
  const aborted = new Error('aborted')
  await t.rejects(
    readThrough({ fd, size }, { write: () => Promise.reject(aborted) }, { signal, readers }),
    aborted,
  )
  const stopped = AbortSignal.abort(aborted)
  await t.rejects(
    readThrough(
      { fd, size },
      { write: async () => void t.fail('a piece was passed on') },
      { signal: stopped, readers },
    ),
    aborted,
  )
  t.equal(buffersInUse(), 0)
})
