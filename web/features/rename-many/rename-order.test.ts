import t from 'tap'
import { laterSentences } from '#web/api/problems/later-sentences.ts'
import { addSentences } from '#web/api/problems/problem-text.ts'
import { checkNames } from './check-names.ts'
import { renameSteps, temporaryNames } from './rename-order.ts'

t.test('names that are taken, equal or empty are errors', async (t) => {
  const wrong = (to: string[]) =>
    checkNames(['a', 'b', 'c'], to, new Set(['d'])).map(({ error }) => error !== undefined)
  t.same(wrong(['b', 'a', 'c']), [false, false, false])
  t.same(wrong(['x', 'd', '']), [false, true, true])
  t.same(wrong(['c', 'x', 'c']), [true, false, true])
})

t.test('a new name that cannot be used has the reason beside it', async (t) => {
  addSentences(laterSentences)
  const reasons = checkNames(['a', 'b', 'c', 'd', 'e'], ['', 'taken', 'x', 'x', 'p/q'], new Set(['taken']))
  t.strictSame(
    reasons.map(({ error }) => error?.message),
    [
      'This name is empty.',
      'An item with this name already exists.',
      'Several items would get this name.',
      'Several items would get this name.',
      "A name can't be “.” or “..” or contain a slash.",
    ],
  )
  const [same] = checkNames(['a/b'], ['a/b'], new Set())
  t.equal(same?.error, undefined, 'a name that stays is never wrong')
})

t.test('renames chains from their end, and cycles over a free name', async (t) => {
  const orders = ['a>b b>c c>d', 'c>d b>c a>b', 'a>b b>a', 'a>b b>c c>a x>y', 'b>c a>b c>a']
  for (const order of orders) {
    const changes = order.split(' ').map((one) => ({ from: one[0] ?? '', to: one[2] ?? '' }))
    const folder = new Map(changes.map(({ from }) => [from, from]))
    for (const { from, to } of renameSteps(changes, temporaryNames(new Set(['renaming-1'])))) {
      t.ok(folder.has(from) && !folder.has(to), `${order}: ${from} to ${to}`)
      folder.set(to, folder.get(from) ?? '')
      folder.delete(from)
    }
    for (const { from, to } of changes) t.equal(folder.get(to), from)
  }
})

t.test('a name that frees another one is given first, and a temporary name is never taken', async (t) => {
  t.strictSame(
    renameSteps(
      [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
      ],
      () => 'unused',
    ),
    [
      { from: 'b', to: 'c' },
      { from: 'a', to: 'b' },
    ],
  )
  const next = temporaryNames(new Set(['renaming-1', 'renaming-3']))
  t.strictSame([next(), next()], ['renaming-2', 'renaming-4'])
})
