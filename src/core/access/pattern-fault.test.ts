import t from 'tap'
import { patternFault } from './pattern-fault.ts'

t.test('a refused regular expression names the position of the error', async (t) => {
  for (const [raw, reason, place] of [
    ['a(b', 'missing closing )', 2],
    ['(a(b)', 'missing closing )', 1],
    ['^/a(b[)]\\)\\Q)\\E', 'missing closing )', 4],
    ['(a)\\)b)c', 'unexpected )', 7],
    ['x[a', 'missing closing ]', 2],
    ['a**', 'invalid nested repetition operator', 2],
    ['\\**b**', 'invalid nested repetition operator', 5],
    ['[z-a]', 'invalid character class range', 2],
    ['a(?=b)', 'invalid or unsupported Perl syntax', 2],
    ['*a', 'missing argument to repetition operator', 1],
    ['a\\', 'trailing backslash at end of expression', 2],
    ['é🎉(b', 'missing closing )', 3],
    ['('.repeat(1000), 'missing closing )', 1000],
  ] as const) {
    t.equal(
      patternFault(raw),
      `is not a valid RE2 pattern: ${reason} at character ${place}`,
      raw.slice(0, 40),
    )
  }
  for (const raw of ['(?i)a', '\\Aa\\z', '(?P<n>a)', '[[:alpha:]]', ''])
    t.equal(patternFault(raw), undefined, raw)
})

t.test('names the error without its position when the search for the position would take long', async (t) => {
  // Each `\**` is valid. The first error is behind more candidates than are tried.
  const raw = `${'a'.repeat(400)}${'\\**'.repeat(60)}**`
  t.match(patternFault(raw), /^is not a valid RE2 pattern: invalid nested repetition operator/)
})
