import t from 'tap'
import type { Rule } from '#contract/users.ts'
import { hostileNames } from '#src/testing/names.ts'
import { compileRules, patternOf } from './rules.ts'

const deny = (path: string): Rule => ({ allow: false, path, regex: false, regexp: null })
const allow = (path: string): Rule => ({ ...deny(path), allow: true })
const denyMatch = (raw: string): Rule => ({ allow: false, path: '', regex: true, regexp: { raw } })
const allowMatch = (raw: string): Rule => ({ ...denyMatch(raw), allow: true })

function allowed(rules: Rule[], paths: string[]): string[] {
  const allows = compileRules(rules)
  return paths.filter((path) => allows(path))
}

t.test('without rules, every path is allowed', async (t) => {
  t.strictSame(allowed([], ['/', '/a']), ['/', '/a'])
  t.strictSame(allowed([deny('/b')], ['/', '/a']), ['/', '/a'])
})

t.test('a rule for a path covers the path and everything below it, by whole names', async (t) => {
  t.strictSame(allowed([deny('/a')], ['/', '/a', '/a/b', '/a/b/c', '/ab', '/b/a', '/A']), [
    '/',
    '/ab',
    '/b/a',
    '/A',
  ])
})

t.test(
  'trailing slashes, double slashes and dot segments in the path of a rule are normalized',
  async (t) => {
    for (const path of ['/a/b/', '/a//b', '//a/b', '/a/./b', '/a/x/../b', '/a/b//']) {
      t.strictSame(allowed([deny(path)], ['/a', '/a/b', '/a/b/c', '/a/bc']), ['/a', '/a/bc'], path)
    }
  },
)

t.test('a rule for the root covers everything', async (t) => {
  t.strictSame(allowed([deny('/')], ['/', '/a', '/a/b']), [])
  t.strictSame(allowed([deny('/'), allow('/a')], ['/', '/a', '/a/b', '/b']), ['/a', '/a/b'])
})

t.test('the last rule that matches decides', async (t) => {
  t.strictSame(allowed([deny('/a'), allow('/a/b')], ['/a', '/a/b', '/a/b/c', '/a/c']), ['/a/b', '/a/b/c'])
  t.strictSame(allowed([allow('/a/b'), deny('/a')], ['/a', '/a/b']), [])
  t.strictSame(allowed([deny('/a'), allow('/a'), deny('/a')], ['/a']), [])
})

t.test('a rule whose path has no leading slash never matches', async (t) => {
  t.strictSame(allowed([deny('a'), deny('')], ['/', '/a', '/a/b']), ['/', '/a', '/a/b'])
})

t.test('a pattern matches anywhere in the path', async (t) => {
  t.strictSame(allowed([denyMatch('secret')], ['/a', '/a/secret.txt', '/secrets/b']), ['/a'])
  t.strictSame(
    allowed([denyMatch('^/a/')], ['/', '/a', '/a/b', '/b/a/c']),
    ['/', '/b/a/c'],
    'the folder itself matches too',
  )
  t.strictSame(allowed([denyMatch('/'), allowMatch('\\.txt$')], ['/a.txt', '/b.pdf']), ['/a.txt'])
})

t.test('patterns have the syntax of RE2 and match in linear time', async (t) => {
  t.strictSame(allowed([denyMatch('(?i)\\.PDF\\z')], ['/a.pdf', '/a.txt']), ['/a.txt'])
  t.strictSame(allowed([denyMatch('\\A/[[:alpha:]]+$')], ['/abc', '/a1']), ['/a1'])
  t.strictSame(allowed([denyMatch('^(/a+)+$')], [`/${'a'.repeat(4000)}!`]), [`/${'a'.repeat(4000)}!`])
})

t.test('a pattern that cannot be compiled denies everything', async (t) => {
  for (const raw of ['(', '(?=a)', '(a)\\1', '']) {
    t.strictSame(allowed([denyMatch(raw)], ['/', '/a']), [], raw)
    t.strictSame(allowed([allowMatch(raw)], ['/', '/a']), [], raw)
    t.equal(patternOf(denyMatch(raw)), undefined)
  }
  t.strictSame(allowed([{ ...denyMatch('x'), regexp: null }], ['/a']), [])
})

t.test('a rule for a hostile name covers only that name', async (t) => {
  const paths = hostileNames.map((name) => `/${name}`)
  for (const path of paths) {
    t.strictSame(
      allowed([deny(path)], paths),
      paths.filter((other) => other !== path),
      path,
    )
  }
})

t.test('on a disk where names have several spellings, a rule that denies covers all of them', async (t) => {
  const paths = [
    '/Secret.txt',
    '/SECRET.TXT',
    '/se\u00adcret.txt',
    '/Secret.txt.',
    '/Secret.txt:x',
    '/secret.txt/b',
  ]
  for (const rules of [
    [deny('/secret.TXT')],
    [denyMatch('^/secreT\\.txt')],
    [deny('/A'), deny('/Secret.txt/')],
  ]) {
    const allows = compileRules(rules)
    for (const path of paths) t.notOk(allows(path, true), path)
    t.ok(allows('/secrets.txt', true))
  }
  const [nfc, nfd] = ['/caf\u00e9', '/cafe\u0301']
  for (const rules of [[deny(nfc)], [deny(nfd)], [denyMatch(`^${nfc}$`)], [denyMatch(`^${nfd}$`)]]) {
    for (const path of [nfc, nfd]) t.notOk(compileRules(rules)(path, true))
  }
})

t.test(
  'on a disk where names have several spellings, a rule that allows covers only its own spelling',
  async (t) => {
    const rules = [deny('/'), allow('/Public'), allowMatch('^/Free')]
    const allows = compileRules(rules)
    const all = ['/Public/a', '/public/a', '/PUBLIC', '/Freedom', '/freedom']
    t.strictSame(
      all.filter((path) => allows(path, true)),
      ['/Public/a', '/Freedom'],
    )
  },
)

t.test('on other disks, a rule covers one spelling', async (t) => {
  t.strictSame(allowed([deny('/a'), denyMatch('^/b')], ['/A', '/B', '/a.', '/a']), ['/A', '/B', '/a.'])
})

t.test('on a disk where names have several spellings, a rule with a base covers all of them', async (t) => {
  const allows = compileRules([{ ...deny('/Docs/Secret'), base: '/docs' }])
  t.notOk(allows('/SECRET/a', true))
  t.ok(allows('/SECRET/a'))
})
