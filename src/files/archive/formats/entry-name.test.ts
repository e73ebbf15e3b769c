import t from 'tap'
import { changedNames, createFreeNames } from './entry-name.ts'

t.test('each name that gets a number continues where the last one of the same name has ended', async (t) => {
  let questions = 0
  const taken = new (class extends Set<string> {
    override has(name: string): boolean {
      questions++
      return super.has(name)
    }
  })()
  const freeNames = createFreeNames(taken, (name) => name.toLowerCase())
  const found = Array.from({ length: 1000 }, (_, n) => freeNames(n % 2 ? 'A.txt' : 'a.txt'))
  t.strictSame(found.slice(0, 4), ['a.txt', 'A (1).txt', 'a (2).txt', 'A (3).txt'])
  t.equal(new Set(found.map((name) => name.toLowerCase())).size, 1000)
  t.ok(questions <= 2000, `${questions} questions`)
})

t.test('names that differ only in case get numbers for Windows, and only there', async (t) => {
  const names = ['a', 'A', 'A (1)', 'b ', 'b_']
  t.strictSame(
    [...changedNames(names, true)],
    [
      ['A', 'A (2)'],
      ['b ', 'b_ (1)'],
    ],
  )
  t.strictSame([...changedNames(names, false)], [])
})
