import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import t from 'tap'
import { fastChecksum } from './checksum.ts'
import { tarEnd, tarHeader, tarPadding } from './tar-header.ts'
import { centralRecord, moveRecords, type ZipRecord } from './zip-record.ts'

t.test('the checksum of a file is the same as that of zlib, in pieces of any length', async (t) => {
  const checksum = await fastChecksum()
  t.not(checksum, crc32, 'the add-on is loaded')
  const bytes = randomBytes(300_000)
  for (const length of [0, 1, 7, 8, 63, 64, 65, 127, 128, 1023, 65_537]) {
    for (const at of [0, 1, 5]) {
      const piece = bytes.subarray(at, at + length)
      t.equal(checksum(piece, 0), crc32(piece), `${length} bytes at ${at}`)
    }
    const [head, tail] = [bytes.subarray(0, length), bytes.subarray(length)]
    t.equal(checksum(tail, checksum(head, 0)), crc32(bytes), `in two pieces at ${length}`)
  }
})

t.test('without the add-on, archives use the slower checksum of Node', async (t) => {
  const checksum = await fastChecksum(() => Promise.reject(new Error('no space left on device')))
  t.equal(checksum, crc32)
})

const mtimeMs = Date.UTC(2020, 1, 3, 4, 5, 7)

t.test(
  'GNU tar lists an entry over 8 GiB, whose size does not fit the octal field, and the entry after it',
  async (t) => {
    const file = join(t.testdir({}), 'x.tar')
    const fd = openSync(file, 'w')
    const size = 2 ** 33 + 5
    let at = 0
    const put = (bytes: Uint8Array) => {
      at += writeSync(fd, bytes, 0, bytes.length, at)
    }
    put(tarHeader({ entry: 'huge.bin', size, mtimeMs, mode: 0o640 }))
    at += size // a hole, which takes no disk space
    put(tarPadding(size))
    put(tarHeader({ entry: `${'long '.repeat(60)}name.txt`, size: 1, mtimeMs, mode: 0o600 }))
    put(Buffer.from('z'))
    put(tarPadding(1))
    put(tarEnd)
    closeSync(fd)
    const env = { ...process.env, TZ: 'UTC' }
    const [first, second, ...rest] = execFileSync('tar', ['-tvf', file, '--full-time'], { env })
      .toString()
      .trim()
      .split('\n')
    t.match(first, new RegExp(`^-rw-r----- .* ${size} 2020-02-03 04:05:07 huge.bin$`))
    t.match(second, / 1 2020-02-03 04:05:07 (long ){60}name.txt$/)
    t.strictSame(rest, [])
  },
)

const offsets = [0, 100, 200, 300]

function recordsAt(by: number): Buffer[] {
  return offsets.map((offset, n) => {
    const content = { size: 80, packedBytes: 50, crc: 0xfedcba98, isDeflated: true, isStreamed: false }
    const record: ZipRecord = {
      entry: `ü ${'x'.repeat(n)}.txt`,
      mtimeMs: 1e12,
      mode: 0o644,
      ...content,
      offset: by + offset,
    }
    return centralRecord(record)
  })
}

t.test('records that a thread made point to their entries wherever these are in the archive', (t) => {
  for (const by of [0, 1, 2 ** 32 - 1 - 301, 2 ** 32 - 1 - 300, 2 ** 32 - 1 - 150, 2 ** 32 - 1, 2 ** 40]) {
    const { bytes, count } = moveRecords(Buffer.concat(recordsAt(0)), by)
    t.equal(count, offsets.length)
    t.strictSame(bytes, Buffer.concat(recordsAt(by)), `moved by ${by}`)
  }
  t.strictSame(moveRecords(Buffer.alloc(0), 5), { bytes: Buffer.alloc(0), count: 0 })
  t.end()
})
