import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { type BoltContent, idKey, sealMeta, writeBolt } from '#src/testing/bolt-writer.ts'
import { readBuckets } from './buckets.ts'
import { BoltFault } from './pages.ts'

const sample = (name: string) => gunzipSync(readFileSync(new URL(`../samples/${name}.gz`, import.meta.url)))
const names = ['config', 'User', 'Link']
const damaged = { name: 'BoltFault', message: /^(is|contains|has) / }

function content(users: number): BoltContent {
  return {
    config: [['settings', { name: 'x'.repeat(9000) }]],
    User: Array.from({ length: users }, (_, n) => [idKey(n + 1), { id: n + 1 }] as const),
    Link: [['abc', { hash: 'abc' }]],
    Other: [['key', 'value']],
  }
}

const keysOf = (bytes: Buffer) =>
  new Map([...readBuckets(bytes, names)].map(([name, entries]) => [name, entries.map(({ key }) => key)]))

t.test('reads every record of databases that File Browser wrote', async (t) => {
  for (const [version, links] of [
    ['2.1', 8],
    ['2.23', 8],
    ['2.63', 4],
  ] as const) {
    const buckets = readBuckets(sample(`fb-${version}.db`), names)
    t.strictSame(
      buckets.get('config')?.map(({ key }) => String(key)),
      ['auther', 'server', 'settings', 'version'],
    )
    t.strictSame(
      buckets.get('User')?.map(({ key }) => Number(key.readBigUInt64BE())),
      [1, 2, 3],
    )
    const found = buckets.get('Link') ?? []
    t.equal(found.length, links, version)
    for (const { key, value } of found) t.equal(JSON.parse(String(value)).hash, String(key))
  }
})

t.test('reads branch pages, long values, inline buckets and all page sizes', async (t) => {
  for (const pageSize of [1024, 4096, 16_384, 65_536]) {
    for (const inline of [true, false]) {
      const buckets = readBuckets(writeBolt(content(2000), { pageSize, inline }), names)
      t.equal(buckets.get('User')?.length, 2000)
      t.strictSame(buckets.get('User')?.at(1999)?.key, idKey(2000))
      t.equal(buckets.get('config')?.[0]?.value.length, 9011)
      t.equal(String(buckets.get('Link')?.[0]?.value), '{"hash":"abc"}')
      t.notOk(buckets.has('Other'))
    }
  }
})

t.test('uses the description of the last complete write', async (t) => {
  const bytes = writeBolt(content(3))
  bytes.writeUInt32LE(9, 16 + 8) // the first description is damaged
  t.equal(keysOf(bytes).get('User')?.length, 3)
  const other = writeBolt(content(3))
  other.writeBigUInt64LE(2n, 4096 + 16 + 16) // the second one has no valid checksum
  t.equal(keysOf(other).get('User')?.length, 3)
  const newest = writeBolt(content(3))
  newest.writeBigUInt64LE(2n, 4096 + 16 + 16)
  sealMeta(newest.subarray(4096, 8192))
  t.throws(() => keysOf(newest), damaged, 'the page of the list of free pages is not a bucket')
})

/** A database with one damage: the function changes the bytes. `root` is the page of the bucket of buckets. */
const damages: [what: string, damage: (bytes: Buffer, root: number) => Buffer | undefined][] = [
  ['no content after the descriptions', (bytes) => bytes.subarray(0, 8192)],
  ['the last byte is missing', (bytes) => bytes.subarray(0, -1)],
  ['a description that is cut', (bytes) => bytes.subarray(0, 60)],
  ['a page has another number', (bytes, root) => void bytes.writeBigUInt64LE(77n, root * 1024)],
  ['a page of an unknown kind', (bytes, root) => void bytes.writeUInt16LE(3, root * 1024 + 8)],
  ['too many entries', (bytes, root) => void bytes.writeUInt16LE(65_535, root * 1024 + 10)],
  ['a page that is too long', (bytes, root) => void bytes.writeUInt32LE(4_000_000_000, root * 1024 + 12)],
  ['a key outside of its page', (bytes, root) => void bytes.writeUInt32LE(60_000, root * 1024 + 20)],
  ['a key in the list of entries', (bytes, root) => void bytes.writeUInt32LE(0, root * 1024 + 20)],
  ['a long key', (bytes, root) => void bytes.writeUInt32LE(0xffffffff, root * 1024 + 24)],
  ['a long value', (bytes, root) => void bytes.writeUInt32LE(0xffffffff, root * 1024 + 28)],
  ['a bucket that is too short', (bytes, root) => void bytes.writeUInt32LE(7, root * 1024 + 28)],
  [
    'keys that are not in order',
    (bytes, root) => {
      const at = root * 1024 + 16
      bytes.copyWithin(at + 16, at, at + 16)
      bytes.writeUInt32LE(bytes.readUInt32LE(at + 4) - 16, at + 20)
    },
  ],
]

for (const [what, damage] of damages) {
  t.test(`a damaged database gets a reason: ${what}`, async (t) => {
    const bytes = writeBolt(content(100), { pageSize: 1024, inline: false })
    const root = Number(bytes.readBigUInt64LE(16 + 16))
    t.throws(() => readBuckets(damage(bytes, root) ?? bytes, [...names, 'Other']), damaged)
  })
}

/** A branch page whose children are the given pages. */
function branch(bytes: Buffer, id: number, children: readonly number[]): void {
  const at = id * 1024
  bytes.fill(0, at, at + 1024)
  bytes.writeBigUInt64LE(BigInt(id), at)
  bytes.writeUInt16LE(1, at + 8)
  bytes.writeUInt16LE(children.length, at + 10)
  for (const [index, child] of children.entries()) {
    const element = at + 16 + index * 16
    bytes.writeUInt32LE(1000 - index * 16 - 16, element)
    bytes.writeBigUInt64LE(BigInt(child), element + 8)
  }
}

t.test('pages that refer to each other in a cycle, twice, or too deeply, get a reason at once', async (t) => {
  const bytes = writeBolt(content(1000), { pageSize: 1024, inline: false })
  const root = Number(bytes.readBigUInt64LE(16 + 16))
  const damage = (change: (copy: Buffer) => void) => {
    const copy = Buffer.from(bytes)
    change(copy)
    t.throws(() => keysOf(copy), damaged)
  }
  damage((copy) => branch(copy, root, [root]))
  damage((copy) => branch(copy, root, [3, 4, 3]))
  damage((copy) => {
    branch(copy, root, [3])
    branch(copy, 3, [4])
    branch(copy, 4, [3])
  })
  damage((copy) => {
    branch(copy, root, [3])
    for (let id = 3; id < 40; id++) branch(copy, id, [id + 1])
  })
  damage((copy) => {
    branch(copy, root, [3, 3])
    for (let id = 3; id < 33; id++) branch(copy, id, [id + 1, id + 1])
    copy.fill(0, 33 * 1024 + 8, 34 * 1024)
    copy.writeUInt16LE(2, 33 * 1024 + 8) // a leaf without entries, which 2^31 ways lead to
  })
  for (const child of [0, 1, 2, 100_000]) damage((copy) => branch(copy, root, [child]))
  damage((copy) => {
    branch(copy, root, [3])
    copy.writeBigUInt64LE(0xffffffffffffffffn, root * 1024 + 24)
  })
})

t.test('entries that overlap cannot multiply the size of the file', async (t) => {
  // Each of the 60 entries of the page claims almost the whole page as its value.
  const bytes = writeBolt({ User: Array.from({ length: 60 }, (_, n) => [idKey(n + 1), Buffer.alloc(30)]) })
  const page = bytes.indexOf(idKey(60)) & ~4095
  for (let n = 0; n < 60; n++) {
    const at = page + 16 + n * 16
    const end = at - page + bytes.readUInt32LE(at + 4) + bytes.readUInt32LE(at + 8)
    bytes.writeUInt32LE(4096 - end, at + 12)
  }
  t.throws(() => readBuckets(bytes, ['User']), damaged)
})

t.test('a database has a limit of entries', async (t) => {
  t.throws(() => keysOf(writeBolt(content(50_001), { pageSize: 65_536 })), {
    message: /has more than 50000 entries/,
  })
  t.type(BoltFault, 'function')
})
