import t from 'tap'
import { searchTerms } from '#web/api/search/search.ts'
import { buildQuery, runSearch, searchState, splitAtMatches } from './search-state.ts'

t.test('a tile adds a type filter to the query, and an empty query stays empty', async (t) => {
  t.equal(buildQuery('  ', undefined), '')
  t.equal(buildQuery(' holiday ', undefined), 'holiday')
  t.equal(buildQuery('', 'music'), 'type:music')
  t.equal(buildQuery('"summer 24"', 'image'), 'type:image "summer 24"')
})

t.test('highlights the search terms in a name, including special characters', async (t) => {
  t.same(searchTerms('type:image  Summer case:sensitive plan'), ['Summer', 'plan'])
  t.same(searchTerms('"summer plan"'), ['summer plan'])
  t.same(searchTerms('2024 "summer plan" "a "b".txt TYPE:pdf'), ['2024', 'summer plan', '"a', '"b".txt'])
  t.same(splitAtMatches('Summer plan.txt', searchTerms('plan summer')), ['', 'Summer', ' ', 'plan', '.txt'])
  t.same(splitAtMatches('a (1).[x]+?.txt', searchTerms('(1).[x]+?')), ['a ', '(1).[x]+?', '.txt'])
  t.same(splitAtMatches('a.txt', []), ['a.txt'])
})

t.test('a search that the server refuses has no results, and a reason', async (t) => {
  const body = JSON.stringify({ status: 429, code: 'user.busy' })
  t.intercept(globalThis, 'fetch', { value: async () => new Response(body, { status: 429 }) })
  await runSearch('/', 'plan')
  t.match(searchState, { hits: [], isSearching: false, failure: 'user.busy' })
})
