import { appendFileSync, closeSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { largeBytes, lentBuffers } from '#src/files/reading/buffer-pool.ts'
import { readThrough } from './read-through.ts'

const size = 6 * largeBytes

function opened(t: Test) {
  const file = join(t.testdir({}), 'a b#?.bin')
  writeFileSync(file, Buffer.alloc(size, 'x'))
  const fd = openSync(file, 'r')
  t.teardown(() => closeSync(fd))
  return { file, fd }
}

const { signal } = new AbortController()

t.test(
  'of a file that becomes shorter while it is read, the rest is zeros, and they are counted',
  async (t) => {
    const { file, fd } = opened(t)
    let length = 0
    let zeros = 0
    const take = async (piece: Buffer) => {
      if (length === 0) truncateSync(file, largeBytes + 7)
      length += piece.length
      zeros += piece.filter((byte) => byte === 0).length
    }
    const missing = await readThrough({ fd, size }, take, signal)
    t.equal(length, size, 'the announced size stays true')
    // The system may hand out zeros by itself from the very piece that it reads while the file is cut.
    t.ok(missing <= zeros && zeros - missing < largeBytes, `${missing} of ${zeros} zeros are counted`)
    t.ok(missing >= 4 * largeBytes, 'only what was being read ahead can have come')
    t.equal(lentBuffers(), 0)
  },
)

t.test('of a file that grows while it is read, only the announced bytes come', async (t) => {
  const { file, fd } = opened(t)
  let length = 0
  const take = async (piece: Buffer) => {
    appendFileSync(file, 'more')
    length += piece.length
  }
  t.equal(await readThrough({ fd, size: size - 5 }, take, signal), 0)
  t.equal(length, size - 5)
})

t.test('a reader who gives up gets no more, and no buffer stays lent', async (t) => {
  const { fd } = opened(t)
  const gone = new Error('gone')
  await t.rejects(
    readThrough({ fd, size }, () => Promise.reject(gone), signal),
    gone,
  )
  const stopped = AbortSignal.abort(gone)
  await t.rejects(
    readThrough({ fd, size }, async () => void t.fail('not asked for'), stopped),
    gone,
  )
  t.equal(lentBuffers(), 0)
})
