import t from 'tap'
import { changedPart, compareTexts, hasComparableLength, linesOf } from './compare-rows.ts'

const numbered = (count: number, changed: number[] = []) =>
  Array.from({ length: count }, (_, n) => `line ${n + 1}${changed.includes(n + 1) ? ' changed' : ''}\n`).join(
    '',
  )

t.test('common lines far from a difference are folded', async (t) => {
  const { sections, removed, added } = compareTexts(numbered(100), numbered(100, [50]))
  t.strictSame([removed, added], [1, 1])
  t.strictSame(
    sections.map(({ isFolded, rows }) => [isFolded, rows[0]?.before?.number, rows.length]),
    [
      [true, 1, 46],
      [false, 47, 3],
      [false, 50, 1],
      [false, 51, 3],
      [true, 54, 47],
    ],
  )
  t.match(sections[2]?.rows, [
    { isSame: false, before: { text: 'line 50' }, after: { text: 'line 50 changed' } },
  ])
})

t.test('equal texts are one folded section', async (t) => {
  const { sections, removed, added } = compareTexts('a\nb\nc\n', 'a\nb\nc\n')
  t.strictSame([removed, added, sections.length, sections[0]?.isFolded], [0, 0, 1, true])
})

t.test('line endings and a byte order mark are not part of a line', async (t) => {
  t.strictSame(linesOf('\uFEFFa\r\nb\rc\n\n'), ['a', 'b', 'c', ''])
  t.strictSame(linesOf(''), [])
})

t.test('the changed part of a line is marked, whole characters only', async (t) => {
  t.strictSame(changedPart('let a = 1', 'let b = 1'), ['let ', 'a', ' = 1'])
  t.strictSame(changedPart('aa', 'aaa'), ['aa', '', ''])
  t.strictSame(changedPart('x👍🏽', 'x👎🏽'), ['x', '👍', '🏽'])
})

t.test('a text with too many lines is not compared', async (t) => {
  t.ok(hasComparableLength('\r\n'.repeat(100_000)))
  t.notOk(hasComparableLength('\n'.repeat(100_001)))
})
