import fc from 'fast-check'
import { hostileNames } from '#src/testing/names.ts'
import { password } from '#src/testing/start.ts'

/** A text of a request: literal, or the `at`-th learned value of a kind, such as the id of a share. */
export type Text = string | { learned: Kind; at: number }

/** Kinds of values that are learned from responses and used in later requests. */
export const kinds = ['hash', 'id', 'session', 'ticket', 'selection', 'etag', 'upload', 'path'] as const
export type Kind = (typeof kinds)[number]

/** A learned value of this kind. */
export const learned = (kind: Kind): fc.Arbitrary<Text> =>
  fc.record({ learned: fc.constant(kind), at: fc.nat(20) })

/** Names that every JavaScript object has: a look-up in a plain object finds them. */
const inherited = 'constructor __proto__ prototype toString hasOwnProperty valueOf __defineGetter__'.split(
  ' ',
)

/** Words with a special meaning for numbers, HTTP, Unicode or other programs. */
const loadedWords = [
  ...'NaN Infinity -1 0 -0 1e999 1e3 0x10 007 2147483648 9007199254740993 true null undefined'.split(' '),
  ...'.. . / // ../../etc/passwd ..\\.. -rf $HOME %s%n <script> * " \' (a+)+$ [ (?<x> \\ W/"x" "*"'.split(
    ' ',
  ),
  ...'٣ １２ ﬁ ſ İ ß Å ａｄｍｉｎ ADMIN admin\u200b \u202e \ud800 \ufeff 🏴‍☠️ a\u0301'.split(' '),
  ...['', ' ', '\t', 'a\0b', '[object Object]', 'bytes=0-0,-1', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ...['1'.repeat(400), 'x'.repeat(300), 'é'.repeat(2000)],
]

const gap = ' '.repeat(28 * 1024)
const many = (line: (n: number) => string) => Array.from({ length: 2500 }, (_, n) => line(n)).join('')
/** Front matter of nearly the largest size, which parsers may need much time for. */
const largeFrontMatter = [
  `{"a": 1,${gap}"b": 2, "c": 3}\n`,
  `---\n{${many((n) => `a${n}: 1, `)}z: 1}\n---\n`,
  `---\n${many((n) => `a${n}: 1\n`)}---\n`,
  `---\na: "x\n${gap}y"\n---\n`,
  `+++\n${many((n) => `a${n} = 1\n`)}+++\n`,
]

/** A text that is twice as long in JSON. */
export const heavyText = '"'.repeat(4 * 1024 * 1024)

/** Text that an attacker may send. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...inherited) },
  { weight: 5, arbitrary: fc.constantFrom(...loadedWords) },
  { weight: 3, arbitrary: fc.constantFrom(...hostileNames) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)

// Paths in the fuzz world, relative to the scope of most of its users and to the root.
const paths = [
  '',
  ...'pub.txt docs docs/ docs/public.txt docs/private docs/private/secret.txt docs/sub docs-old/x.txt'.split(
    ' ',
  ),
  ...'.hidden/conf pics/a.jpg movie.mkv Subs/movie.srt a.txt new.txt new deep/er/est PUB.TXT'.split(' '),
  ...'alice alice/docs bob bob/secret.txt team/a.txt ../bob/secret.txt'.split(' '),
]

/** A path relative to the scope, without the leading slash. */
export const aPath: fc.Arbitrary<Text> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...paths) },
  { weight: 2, arbitrary: learned('path') },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...paths), hostileText), { minLength: 1, maxLength: 3 })
      .map((names) => names.join('/')),
  },
)

const named = (value: fc.Arbitrary<Text>) => [{ weight: 5, arbitrary: value }]
const one = (...words: string[]) => named(fc.constantFrom(...words))

/** Plausible values for a parameter or field with this name. A schema only says that it is a string. */
export function plausibleValues(
  name: string,
  call: string,
): { weight: number; arbitrary: fc.Arbitrary<Text> }[] {
  const ofCall = byCall[`${call} ${name}`]
  const ofName = byName[name.toLowerCase()]
  return ofCall ? named(ofCall) : ofName ? named(ofName) : []
}

const words = (...all: string[]): fc.Arbitrary<Text> => fc.constantFrom(...all)
const people = words('admin', 'alice', 'bob', 'team1', 'newcomer', 'other')
const passwords = words(password, password, 'another long passphrase', 'short')

// Constant tables: names from requests are never looked up in them.
const byCall: Readonly<Record<string, fc.Arbitrary<Text>>> = {
  'endSession id': learned('session'),
  'unshare path': learned('hash'),
  'visit path': fc.oneof(learned('hash'), learned('hash'), aPath),
  'downloadShared path': fc.oneof(learned('hash'), learned('hash'), aPath),
}

const byName: Readonly<Record<string, fc.Arbitrary<Text>>> = {
  path: aPath,
  destination: aPath,
  username: people,
  text: words('---\ntitle: A\n---\n', ...largeFrontMatter),
  password: passwords,
  current_password: passwords,
  scope: words('/', '/alice', '/bob', '/new', '/team', 'alice/docs', '/pub.txt'),
  userhomebasepath: words('/users', '/', '/alice'),
  unit: words('seconds', 'minutes', 'hours', 'days'),
  expires: words('1', '7', '0', '1000', '99999'),
  checksum: words('md5', 'sha1', 'sha256', 'sha512'),
  algo: words('zip', 'tar', 'targz', 'tarzst', 'tarbr'),
  files: words('pub.txt', 'pub.txt,docs', 'docs/private/secret.txt,pub.txt', ',,', '..'),
  query: words('txt', 'type:image', '"a b"', 'case:sensitive PUB', 'secret', 'a or b'),
  override: words('true', 'false'),
  rename: words('true', 'false'),
  inline: words('true', 'false'),
  selection: learned('selection'),
  which: words('password', 'rules', 'perm', 'scope', 'username', 'locale', 'all', 'All', 'commands'),
  raw: words('^/docs', '\\.txt$', '(?i)SECRET', '.*', '('),
  'if-match': fc.oneof(learned('etag'), words('*')),
  'if-none-match': fc.oneof(learned('etag'), words('*')),
  'if-range': learned('etag'),
  'if-modified-since': words('Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT'),
  'if-unmodified-since': words('Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT'),
  range: words('bytes=0-0', 'bytes=-1', 'bytes=1-', 'bytes=0-0,2-3', 'bytes=99-'),
  'upload-length': words('0', '1', '5', '1000000'),
  'upload-offset': words('0', '1', '5'),
  'upload-id': learned('upload'),
  'x-share-password': passwords,
  'x-encoding': words('true'),
  token: fc.oneof(learned('ticket'), passwords),
}

/** Paths that are sent exactly like this, in spellings that no ordinary client uses. */
export const rawPath = one(
  ...'%2e%2e/bob/secret.txt ..%2fbob%2fsecret.txt %2e%2e%5cbob %00 a%00b %ff %c0%ae%c0%ae/ %'.split(' '),
  ...'%zz %252e%252e docs/%2e/private docs//private///secret.txt ;x=1 docs%2Fprivate%2Fsecret.txt'.split(' '),
)
