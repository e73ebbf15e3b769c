import t from 'tap'
import { byteLengthOnDisk, bytesOnDisk, decodeName, hasEscapedBytes, isCanonicalText } from './byte-names.ts'
import { normalizePath } from './user-path.ts'

const bytes = (text: string) => Buffer.from(bytesOnDisk(text))

/** A pseudo-random generator that returns the same numbers in every run. */
function randomFrom(seed = 1) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

t.test('escapes the bytes of a name that is not UTF-8, and leaves other names unchanged', (t) => {
  const table: [Buffer, string][] = [
    [Buffer.from('caf\xe9.txt', 'latin1'), 'caf\ufffd%E9.txt'],
    [Buffer.from([0xff]), '\ufffd%FF'],
    [Buffer.from('é.txt'), 'é.txt'],
    [Buffer.from('100%FF'), '100%FF'],
    [Buffer.from('\ufffd'), '\ufffd'],
    [Buffer.from('\ufffd%'), '\ufffd%'],
    [Buffer.from('\ufffd%ff'), '\ufffd%ff'],
    [Buffer.from('\ufffd%FF'), '\ufffd%EF\ufffd%BF\ufffd%BD%FF'],
    [Buffer.from([0xc0, 0xae]), '\ufffd%C0\ufffd%AE'],
    [Buffer.from([0xed, 0xa0, 0x80]), '\ufffd%ED\ufffd%A0\ufffd%80'],
    [Buffer.from([0xe2, 0x82]), '\ufffd%E2\ufffd%82'],
  ]
  for (const [name, text] of table) {
    t.equal(decodeName(name), text)
    t.ok(bytes(text).equals(name), text)
    t.ok(isCanonicalText(text))
    t.equal(byteLengthOnDisk(text), name.length)
  }
  t.end()
})

t.test(
  'each byte sequence has one text that converts back to it, and two names never have the same text',
  (t) => {
    const next = randomFrom()
    const alphabet = [
      ...Buffer.from('\ufffd%F4D1./é'),
      0xe9,
      0xff,
      0xc0,
      0xae,
      0xaf,
      0xed,
      0xa0,
      0x80,
      0xf0,
      0x9f,
    ]
    const seen = new Map<string, string>()
    for (let round = 0; round < 20_000; round++) {
      const name = Buffer.from(
        Array.from({ length: 1 + next(9) }, () => alphabet[next(alphabet.length)] ?? 0),
      )
      const text = decodeName(name)
      const hex = name.toString('hex')
      const isRight =
        bytes(text).equals(name) &&
        text.isWellFormed() &&
        isCanonicalText(text) &&
        (seen.get(text) ?? hex) === hex
      if (!isRight) t.fail(hex)
      seen.set(text, hex)
    }
    t.ok(seen.size > 10_000)
    t.end()
  },
)

t.test('rejects escaped bytes that encode a slash, a dot, NUL or a letter', (t) => {
  for (const path of [
    '\ufffd%2E\ufffd%2E/x',
    '..\ufffd%2F..\ufffd%2Fx',
    'a\ufffd%00b',
    'a\ufffd%0Ab',
    '\ufffd%41',
    '\ufffd%C3\ufffd%A9',
    '\ufffd%EF\ufffd%BF\ufffd%BD',
    '\ufffd%EF\ufffd%BF\ufffd%BD%ff',
  ]) {
    t.throws(() => normalizePath(`/${path}`), { code: 'path.invalid' }, path)
  }
  t.end()
})

t.test('any accepted path has the same names on the disk as in its text', (t) => {
  const next = randomFrom(7)
  const pieces = [
    '\ufffd',
    '%',
    '\ufffd%',
    'FF',
    '2F',
    '2E',
    '2e',
    '00',
    'C0',
    'AE',
    '.',
    '..',
    '/',
    'a',
    'é',
  ]
  const spelled = ['\ufffd%FF', '\ufffd%2F', '\ufffd%2E', '\ufffd%C0\ufffd%AE', '\ufffd%EF\ufffd%BF\ufffd%BD']
  const all = [...pieces, ...spelled]
  let taken = 0
  for (let round = 0; round < 20_000; round++) {
    const written = Array.from({ length: 1 + next(8) }, () => all[next(all.length)]).join('')
    let path: string
    try {
      path = normalizePath(written).path
    } catch {
      continue
    }
    if (hasEscapedBytes(path)) taken++
    const names = bytes(path).toString('latin1').split('/')
    const isRight =
      names.length === path.split('/').length &&
      (path === '/' || names.slice(1).every((name) => name !== '' && name !== '.' && name !== '..')) &&
      !names.join('').includes('\0') &&
      decodeName(bytes(path)) === path &&
      normalizePath(path).path === path
    if (!isRight) t.fail(JSON.stringify(written))
  }
  t.ok(taken > 500, `${taken} accepted paths have escaped bytes`)
  t.end()
})

t.test('limits a name to 255 bytes on the disk, whatever the length of its text', (t) => {
  const name = (length: number) => `/${'\ufffd%FF'.repeat(length)}`
  t.equal(normalizePath(name(255)).path, name(255))
  t.throws(() => normalizePath(name(256)), { code: 'path.invalid' })
  t.end()
})
