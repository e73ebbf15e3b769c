import t from 'tap'
import { piecesOf, queryOf, termsOf } from './search-state.ts'

t.test('a tile adds a type filter to the query, and an empty query stays empty', async (t) => {
  t.equal(queryOf('  ', undefined), '')
  t.equal(queryOf(' holiday ', undefined), 'holiday')
  t.equal(queryOf('', 'music'), 'type:music')
  t.equal(queryOf('"summer 24"', 'image'), 'type:image "summer 24"')
})

t.test('highlights the search terms in a name, including special characters', async (t) => {
  t.same(termsOf('type:image  Summer case:sensitive plan'), ['Summer', 'plan'])
  t.same(termsOf('"summer plan"'), ['summer plan'])
  t.same(piecesOf('Summer plan.txt', termsOf('plan summer')), ['', 'Summer', ' ', 'plan', '.txt'])
  t.same(piecesOf('a (1).[x]+?.txt', termsOf('(1).[x]+?')), ['a ', '(1).[x]+?', '.txt'])
  t.same(piecesOf('a.txt', []), ['a.txt'])
})
