import t from 'tap'
import { centralRecord, moveRecords, type ZipRecord } from './zip-record.ts'

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
