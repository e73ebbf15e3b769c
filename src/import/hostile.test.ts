// Damaged and hostile files: each gets a plan or a sentence, in bounded time and memory.
import t from 'tap'
import { StartupProblem } from '#src/core/problem.ts'
import { type BoltContent, idKey, writeBolt } from '#src/testing/bolt-writer.ts'
import { importWorld, sample } from '#src/testing/import-samples.ts'
import { rounds } from '#src/testing/long.ts'

/** Numbers from 0 up to `most`, the same ones for each run with the same seed (xorshift32). */
function randomFrom(seed: number) {
  let state = seed
  return (most: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % most
  }
}

/** Ways to damage bytes at a position. `random` returns a number below its argument. */
const damages: ((bytes: Buffer, at: number, random: (most: number) => number) => void)[] = [
  (bytes, at, random) => bytes.writeUInt8(random(256), at),
  (bytes, at, random) => bytes.writeUInt32LE([0, 1, 0xffffffff, 0x7fffffff, 4096][random(5)] ?? 0, at),
  (bytes, at, random) => bytes.writeUInt16LE([0, 1, 2, 65_535][random(4)] ?? 0, at),
  (bytes, at, random) => bytes.copyWithin(at, random(bytes.length), random(bytes.length)),
  (bytes, at, random) => bytes.fill(random(256), at, at + random(64)),
  (bytes, at, random) => bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random(8)), at),
]

/** Damages a few places, mostly at the beginnings of pages. Sometimes cuts the end. */
function damaged(bytes: Buffer, random: (most: number) => number): Buffer {
  const copy = Buffer.from(bytes)
  for (let count = random(6) + 1; count > 0; count--) {
    const place = random(3) === 0 ? random(copy.length) : random(copy.length / 4096) * 4096 + random(200)
    damages[random(damages.length)]?.(copy, Math.min(place, copy.length - 4), random)
  }
  return random(10) === 0 ? copy.subarray(0, random(copy.length)) : copy
}

const v1: BoltContent = {
  config: [
    ['css', ''],
    ['commands', { after_save: ['one'] }],
  ],
  User: [[idKey(1), { ID: 1, username: 'admin', admin: true, filesystem: '.' }]],
  ShareLink: [['aaaaaaaa', { hash: 'aaaaaaaa', path: '/', expires: false }]],
}

t.test('damaged databases get a plan or a sentence', async (t) => {
  const { put, plan } = await importWorld(t)
  const originals = [
    sample('fb-2.1.db'),
    sample('fb-2.23.db'),
    sample('fb-2.63.db'),
    writeBolt(v1, { inline: false }),
  ]
  const random = randomFrom(20_261_121)
  const many = rounds(1000)
  const counts = { planned: 0, refused: 0 }
  for (let n = 0; n < many; n++) {
    const bytes = damaged(originals[n % originals.length] ?? Buffer.alloc(0), random)
    try {
      await plan(put('damaged.db', bytes))
      counts.planned++
    } catch (error) {
      if (!(error instanceof StartupProblem)) throw error
      if (!/^[^\n]+[.]$/.test(error.message)) t.fail(`${n}: ${error.message}`)
      counts.refused++
    }
  }
  t.ok(counts.planned > many / 10 && counts.refused > many / 10, JSON.stringify(counts))
})

t.test('a damaged export gets a plan or a sentence', async (t) => {
  const { put, plan } = await importWorld(t)
  const random = randomFrom(7)
  const names = ['fb-2.63-users.json', 'fb-2.63-users.yaml', 'fb-2.63-config.json', 'fb-2.63-config.yaml']
  let refused = 0
  for (let n = 0; n < 400; n++) {
    const bytes = sample(names[n % names.length] ?? '')
    for (let count = random(4) + 1; count > 0; count--)
      bytes[random(bytes.length)] = random(3) === 0 ? random(256) : 32 + random(95)
    await plan(put('export', bytes)).catch((error: unknown) => {
      if (!(error instanceof StartupProblem)) throw error
      refused++
    })
  }
  t.ok(refused > 100, String(refused))
})

t.test('a small file cannot use much memory', async (t) => {
  const { put, plan } = await importWorld(t)
  const list = (text: string, size: number) => text.repeat(Math.floor(size / text.length))
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x, x]\n${[...'bcdefgh']
    .map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]}, `.repeat(10)}]\n`)
    .join('')}`
  const files: [name: string, content: Buffer | string][] = [
    ['large.db', Buffer.concat([sample('fb-2.63.db'), Buffer.alloc(33 * 1024 ** 2)])],
    ['large.json', `[${' '.repeat(17 * 1024 ** 2)}]`],
    ['large.yaml', `- ${' '.repeat(5 * 1024 ** 2)}`],
    ['bomb.yaml', bomb],
    ['lists.json', `[${list('[],', 8 * 1024 ** 2)}[]]`],
    ['lists.yaml', `a: [${list('[],', 500_000)}[]]`],
    [
      'record.db',
      writeBolt({ User: [[idKey(1), Buffer.from(`{"id":1,"x":[${list('[],', 2 * 1024 ** 2)}[]]}`)]] }),
    ],
  ]
  for (const [name, content] of files) {
    await t.rejects(plan(put(name, content)), { name: 'StartupProblem' }, name)
  }
  t.ok(process.memoryUsage().rss < 1.5 * 1024 ** 3)
})
