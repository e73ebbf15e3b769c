import fc from 'fast-check'
import t from 'tap'
import { hostileNames } from '#src/testing/names.ts'
import {
  checkNewName,
  childOf,
  decodePath,
  encodePath,
  isWithin,
  nameOf,
  normalizePath,
  normalizeSetting,
  parentOf,
  rootPath,
  type UserPath,
} from './user-path.ts'

const path = (written: string) => normalizePath(written).path

t.test('normalizes slashes and dot segments to one form', async (t) => {
  for (const [written, normal] of [
    ['', '/'],
    ['/', '/'],
    ['//', '/'],
    ['.', '/'],
    ['a', '/a'],
    ['/a/b', '/a/b'],
    ['/a//b', '/a/b'],
    ['///a/b///', '/a/b'],
    ['/a/./b/.', '/a/b'],
    ['/a/b/..', '/a'],
    ['/a/../b', '/b'],
    ['/..', '/'],
    ['/../../etc/passwd', '/etc/passwd'],
    ['/a/../../../b', '/b'],
    ['..', '/'],
    ['/...', '/...'],
    ['/..a/a..', '/..a/a..'],
    ['/a\\..\\b', '/a\\..\\b'],
  ] as const) {
    t.equal(path(written), normal, written)
  }
})

t.test('a trailing slash or a trailing dot segment means a folder', async (t) => {
  for (const written of ['', '/', '/a/', '/a//', '/a/.', '/a/b/..', '/..']) {
    t.equal(normalizePath(written).asFolder, true, written)
  }
  for (const written of ['/a', 'a', '//a', '/./a', '/a/...', '/a.']) {
    t.equal(normalizePath(written).asFolder, false, written)
  }
})

t.test('decodes a URL path exactly once', async (t) => {
  t.equal(decodePath('/a%20b%2523%3F').path, '/a b%23?')
  t.equal(
    decodePath('/%252e%252e/x').path,
    '/%2e%2e/x',
    'text that looks encoded after decoding stays a name',
  )
  t.equal(decodePath('/a+b').path, '/a+b')
  t.equal(decodePath('/%2e%2e/%2E./x').path, '/x', 'encoded dots are dot segments and cannot leave the root')
  t.equal(decodePath('/a%2fb%2f..').path, '/a', 'encoded slashes are slashes')
})

t.test('rejects invalid encodings, zero bytes and invalid Unicode', async (t) => {
  const refused = { code: 'path.invalid' }
  for (const encoded of [
    '/%',
    '/%zz',
    '/%c3%28',
    '/%ff',
    '/%c0%ae%c0%ae/x',
    '/%ed%a0%80',
    '/%00',
    '/a%0ab%00',
  ]) {
    t.throws(() => decodePath(encoded), refused, encoded)
  }
  for (const written of ['/a\0', '/a\ud800', '/\udc00b']) {
    t.throws(() => normalizePath(written), refused, encodeURIComponent(written.toWellFormed()))
  }
})

const controls = ['Icon\r', 'a\nb', '\u001b[2J', 'a\u007f', 'a\tb', 'a\u0085b', 'a\u009bb']

t.test('a name may have control characters, but no new name and no path of a setting', async (t) => {
  for (const name of controls) {
    const path = normalizePath(`/d/${name}`).path
    t.equal(path, `/d/${name}`)
    t.equal(decodePath(encodePath(path)).path, path)
    t.throws(() => checkNewName(path), { code: 'path.invalid' }, encodeURIComponent(name))
    t.doesNotThrow(() => checkNewName(childOf(path, 'a.txt')), 'a new name in such a folder')
    t.throws(() => normalizeSetting(path), { code: 'path.invalid' }, encodeURIComponent(name))
  }
})

t.test('rejects a path or a name that is too long, and accepts the longest possible one', async (t) => {
  const refused = { code: 'path.invalid' }
  t.throws(() => normalizePath('/a'.repeat(2500)), refused, '5,000 characters')
  t.throws(() => normalizePath(`/${'a'.repeat(256)}`), refused)
  t.throws(() => normalizePath(`/${'ä'.repeat(128)}`), refused, 'the limit counts bytes')
  t.throws(() => normalizePath(`/${'/'.repeat(4096)}`), refused, 'even if the normalized path would be short')
  t.equal(path(`/${'a'.repeat(255)}`).length, 256)
  t.equal(path('/a'.repeat(2048)).length, 4096)
})

t.test('the error for a rejected path does not repeat the path', async (t) => {
  try {
    normalizePath(`/secret${'a'.repeat(5000)}`)
  } catch (error) {
    t.notMatch((error as Error).message, 'secret')
  }
})

t.test('treats hostile names like any other name', async (t) => {
  for (const name of hostileNames) {
    const whole = `/docs/${name}/${name}`
    t.strictSame(decodePath(encodePath(whole)), { path: whole, asFolder: false }, name)
    t.equal(nameOf(path(whole)), name)
    t.equal(parentOf(path(whole)), `/docs/${name}`)
    t.equal(childOf(parentOf(path(whole)), name), whole)
    t.ok(isWithin(whole, `/docs/${name}`))
    t.notOk(isWithin(`/docs/${name}x`, `/docs/${name}`))
  }
})

t.test('the root is its own parent and has no name', async (t) => {
  t.equal(parentOf(rootPath), '/')
  t.equal(parentOf(path('/a')), '/')
  t.equal(nameOf(rootPath), '')
  t.equal(childOf('/', 'a'), '/a')
  t.ok(isWithin('/', '/'))
  t.ok(isWithin('/a', '/'))
  t.notOk(isWithin('/', '/a'))
})

t.test('compares whole names to decide whether a path is inside a folder', async (t) => {
  t.ok(isWithin('/a/b/c', '/a'))
  t.ok(isWithin('/a', '/a'))
  t.notOk(isWithin('/ab', '/a'))
  t.notOk(isWithin('/a', '/a/b'))
  t.notOk(isWithin('/A/b', '/a'))
})

// Pieces that occur in path attacks, in any order and number.
const written = fc
  .array(
    fc.oneof(
      fc.constantFrom('/', '..', '.', '//', 'a', 'b', '%2e', '\\', ' ', 'ä'),
      fc.string({ maxLength: 5 }),
    ),
  )
  .map((pieces) => pieces.join(''))

function normal(text: string): UserPath | undefined {
  try {
    return path(text)
  } catch {
    return undefined // rejected; another test covers this
  }
}

t.test('normalizing a path twice gives the same result as once', async () => {
  fc.assert(
    fc.property(written, (text) => {
      const once = normal(text)
      return once === undefined || path(once) === once
    }),
    { numRuns: 2000 },
  )
})

t.test('a normalized path has no dot segment, no empty name and no zero byte', async () => {
  fc.assert(
    fc.property(written, (text) => {
      const once = normal(text)
      if (once === undefined || once === '/') return true
      const [first, ...names] = once.split('/')
      return first === '' && names.every((name) => !['', '.', '..'].includes(name) && !name.includes('\0'))
    }),
    { numRuns: 2000 },
  )
})

t.test('decoding an encoded path returns the same path', async () => {
  fc.assert(
    fc.property(written, (text) => {
      const once = normal(text)
      return once === undefined || decodePath(encodePath(once)).path === once
    }),
    { numRuns: 2000 },
  )
})

t.test('a path is within a folder if it begins with the names of the folder', async () => {
  const names = fc.array(fc.constantFrom('a', 'ab', 'b', ' ', '..a'), { maxLength: 4 })
  fc.assert(
    fc.property(names, names, (inner, outer) => {
      const expected = outer.every((name, at) => inner[at] === name)
      return isWithin(`/${inner.join('/')}`, `/${outer.join('/')}`) === expected
    }),
    { numRuns: 2000 },
  )
})
