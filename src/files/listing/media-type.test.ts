import t from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import { looksBinary, mediaType, sampleBytes, typeByName } from './entry.ts'

t.test('detects the kind of a file by its extension', async (t) => {
  const kinds = {
    image: ['a.png', 'a.JPG', 'a.svg', 'a.webp', 'a.heic'],
    video: ['a.mp4', 'a.mkv', 'a.webm'],
    audio: ['a.mp3', 'a.flac', 'a.mka', 'a.ogg'],
    pdf: ['a.pdf', 'A.PDF'],
    text: [
      'a.txt',
      'a.md',
      'a.ts',
      'a.tsx',
      'a.json',
      'a.yaml',
      'a.xml',
      'a.sh',
      'a.csv',
      'a.html',
      'a.log',
      'a.srt',
      'a.vtt',
    ],
    blob: ['a.zip', 'a.exe', 'a.iso', 'a.docx', 'a.woff2', 'a.7z'],
  }
  for (const [kind, names] of Object.entries(kinds)) {
    for (const name of names) t.equal(typeByName(name), kind, name)
  }
})

t.test('treats TypeScript as text, not as a video', async (t) => {
  t.equal(mediaType('main.ts'), 'text/typescript')
})

t.test('returns no type for a name without a known extension', async (t) => {
  for (const name of ['README', 'a.unknown-thing', 'a.', '...', '', 'pdf', 'json', 'ts', 'mp4']) {
    t.equal(typeByName(name), undefined, name)
    t.equal(mediaType(name), undefined, name)
  }
})

t.test('detects the type of hostile names like any other', async (t) => {
  for (const name of [
    ...hostileNames,
    'a.constructor',
    'a.__proto__',
    'toString',
    'a.toString',
    'hasOwnProperty',
  ]) {
    const type = typeByName(name)
    t.ok(type === undefined || typeof type === 'string', name)
    t.ok(['string', 'undefined'].includes(typeof mediaType(name)), name)
  }
  t.equal(typeByName('constructor'), undefined)
  t.equal(typeByName('a b#?%.txt'), 'text')
})

t.test('a file is binary if it has control characters or is not UTF-8', async (t) => {
  for (const text of ['', 'plain', 'tab\tand\nlines\r\n', 'ä日👩‍👩‍👧', '\u001b[31mcolours\u001b[0m']) {
    t.notOk(looksBinary(Buffer.from(text)), text)
  }
  for (const bytes of [
    [0],
    [65, 0, 66],
    [8],
    [0xff, 0xfe, 65],
    [0xc3, 0x28],
    [0xed, 0xa0, 0x80],
    [0xc0, 0xae],
  ]) {
    t.ok(looksBinary(Uint8Array.from(bytes)), String(bytes))
  }
})

t.test(
  'accepts a character that is cut off by the end of the sample, but not by the end of the file',
  async (t) => {
    for (const [char, cuts] of [
      ['ä', 1],
      ['日', 2],
      ['😀', 3],
    ] as const) {
      for (let missing = 1; missing <= cuts; missing++) {
        const kept = Buffer.byteLength(char) - missing
        const sample = Buffer.concat([
          Buffer.alloc(sampleBytes - kept, 'x'),
          Buffer.from(char).subarray(0, kept),
        ])
        t.notOk(looksBinary(sample), `${char} less ${missing}`)
        t.ok(looksBinary(sample.subarray(1)), 'a whole file that is one byte shorter')
      }
    }
  },
)
