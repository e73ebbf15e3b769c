import t from 'tap'
import { queryOf } from './search-state.ts'

t.test('a tile looks for a type, words narrow it, and nothing is no search', async (t) => {
  t.equal(queryOf('  ', undefined), '')
  t.equal(queryOf(' holiday ', undefined), 'holiday')
  t.equal(queryOf('', 'music'), 'type:music')
  t.equal(queryOf('"summer 24"', 'image'), 'type:image "summer 24"')
})
