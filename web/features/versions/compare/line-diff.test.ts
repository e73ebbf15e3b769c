import t from 'tap'
import { type Block, diffLines } from './line-diff.ts'

/** The differences in the notation of `diff`: common lines, `-` removed, `+` added. */
function shown(before: readonly string[], after: readonly string[]): string[] {
  return diffLines(before, after).flatMap(({ isSame, oldFrom, oldTo, newFrom, newTo }) =>
    isSame
      ? before.slice(oldFrom, oldTo)
      : [
          ...before.slice(oldFrom, oldTo).map((line) => `-${line}`),
          ...after.slice(newFrom, newTo).map((line) => `+${line}`),
        ],
  )
}

const lines = (text: string) => [...text]

/** Checks that the blocks cover both texts in order, that same lines are equal, and that kinds alternate. */
function isValid(before: readonly string[], after: readonly string[], blocks: readonly Block[]): boolean {
  let [x, y] = [0, 0]
  let last: boolean | undefined
  for (const { isSame, oldFrom, oldTo, newFrom, newTo } of blocks) {
    const isEqual = before.slice(oldFrom, oldTo).join('\n') === after.slice(newFrom, newTo).join('\n')
    if (oldFrom !== x || newFrom !== y || isSame === last) return false
    if (isSame && (!isEqual || oldTo - oldFrom !== newTo - newFrom)) return false
    ;[x, y, last] = [oldTo, newTo, isSame]
  }
  return x === before.length && y === after.length
}

t.test('finds added, removed and changed lines', async (t) => {
  t.same(shown(['a', 'b', 'c'], ['a', 'x', 'c']), ['a', '-b', '+x', 'c'])
  t.same(shown(['a', 'c'], ['a', 'b', 'c']), ['a', '+b', 'c'])
  t.same(shown(['a', 'b', 'c'], ['a', 'c']), ['a', '-b', 'c'])
  t.same(shown([], ['a']), ['+a'])
  t.same(shown(['a'], []), ['-a'])
  t.same(shown(['a', 'b'], ['a', 'b']), ['a', 'b'])
  t.same(diffLines([], []), [])
})

t.test('finds the shortest difference where lines repeat', async (t) => {
  // The example of the paper: five differences.
  const found = shown(lines('abcabba'), lines('cbabac'))
  t.equal(found.filter((line) => /^[-+]/.test(line)).length, 5)
  t.same(shown(lines('}}{}'), lines('}{}}')).filter((line) => /^[-+]/.test(line)).length, 2)
})

t.test('a moved block is removed in one place and added in the other', async (t) => {
  t.same(shown(lines('123abc'), lines('abc123')), ['-1', '-2', '-3', 'a', 'b', 'c', '+1', '+2', '+3'])
})

t.test('random texts are covered completely and in order', async (t) => {
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let round = 0; round < 400; round++) {
    const letters = 1 + random(6)
    const text = () => Array.from({ length: random(30) }, () => String(random(letters)))
    const [before, after] = [text(), text()]
    const blocks = diffLines(before, after)
    if (!isValid(before, after, blocks)) t.fail(`${before} | ${after} | ${JSON.stringify(blocks)}`)
  }
  t.pass('400 pairs')
})

// Without the bound, these would take hours.
t.test('large texts without a common line are compared within the bound', async (t) => {
  const before = Array.from({ length: 100_000 }, (_, n) => `${n % 1000}`)
  const after = before.map((line) => `${line}!`)
  t.equal(diffLines(before, after).length, 1)
  const mixed = Array.from({ length: 100_000 }, (_, n) => `${(n * 7919) % 1000}`)
  t.ok(isValid(before, mixed, diffLines(before, mixed)))
})

t.test('a few changes in a large text are found exactly', async (t) => {
  const before = Array.from({ length: 50_000 }, (_, n) => `line ${n}`)
  const after = before.map((line, n) => (n % 10_000 === 5 ? `${line} changed` : line))
  t.equal(diffLines(before, after).filter(({ isSame }) => !isSame).length, 5)
})
