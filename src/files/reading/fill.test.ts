import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, read, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { lazyLibc } from '#src/core/libc.ts'
import { largeBytes } from './buffer-pool.ts'
import { readCached } from './cached-read.ts'
import { fill, readUpTo } from './fill.ts'
import { send } from './send.ts'

const readAt = promisify(read)
const libc = lazyLibc({
  posix_fadvise: { arguments: ['int32', 'int64', 'int64', 'int32'], return: 'int32' },
})()
// posix_fadvise(2): POSIX_FADV_DONTNEED.
const dontNeed = 4
// statfs(2): EXT4_SUPER_MAGIC.
const ext4 = 0xef53

/** A file of noise in the page cache. Undefined: the system or the disk cannot tell what is there. */
function createFile(t: Test, length: number) {
  const content = randomBytes(length)
  const path = join(t.testdir(), 'noise.bin')
  writeFileSync(path, content)
  const fd = openSync(path, 'r+')
  t.teardown(() => closeSync(fd))
  fsyncSync(fd) // the system drops only what is on the disk
  let reads = 0
  const file = {
    fd,
    async read(bytes: Buffer, offset: number, most: number, position: number) {
      reads++
      return readAt(fd, bytes, offset, most, position)
    },
    close: async () => {},
  }
  const can = readCached(fd, Buffer.alloc(length), 0) === length
  t.ok(can || statfsSync(path).type !== ext4, 'every Linux can tell on ext4')
  if (!can) t.pass('content in memory', { skip: 'this system or this disk cannot tell what is in memory' })
  return can ? { file, content, reads: () => reads } : undefined
}

t.test('content that is in memory is read without the thread pool', async (t) => {
  const made = createFile(t, largeBytes)
  if (!made) return
  const bytes = Buffer.alloc(largeBytes)
  await fill(made.file, bytes, 0)
  t.ok(bytes.equals(made.content))
  t.equal(made.reads(), 0)
})

t.test('content that is not in memory is read by the thread pool', async (t) => {
  const made = createFile(t, 2 * largeBytes)
  if (!made || !libc) return
  const { file, content, reads } = made
  libc.posix_fadvise(file.fd, BigInt(largeBytes), BigInt(largeBytes), dontNeed)
  const cached = readCached(file.fd, Buffer.alloc(content.length), 0)
  if (cached === content.length) return void t.pass('memory is dropped', { skip: 'this disk keeps it' })
  t.ok(cached <= largeBytes, `${cached} bytes`)
  const bytes = Buffer.alloc(content.length)
  t.equal(await readUpTo(file, bytes, 0), content.length)
  t.ok(bytes.equals(content))
  t.ok(reads() > 0)
})

t.test('a read past the end of a file returns what there is, and fill rejects', async (t) => {
  const made = createFile(t, largeBytes)
  if (!made) return
  const bytes = Buffer.alloc(largeBytes)
  t.equal(await readUpTo(made.file, bytes, 1000), largeBytes - 1000)
  t.ok(bytes.subarray(0, largeBytes - 1000).equals(made.content.subarray(1000)))
  await t.rejects(fill(made.file, bytes, 1000), { message: /became shorter/ })
})

t.test('other requests have their turn while a client takes a large file at once', async (t) => {
  const chunks = 20
  const made = createFile(t, chunks * largeBytes)
  if (!made) return
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  t.teardown(() => clearImmediate(next))
  const out = new Writable({ write: (_bytes, _encoding, done) => done() })
  await send(made.file, { start: 0, end: made.content.length }, out, new AbortController().signal)
  t.ok(turns >= chunks, `${turns} turns`)
  t.equal(made.reads(), 1, 'only the first, small read may use the thread pool')
})
