import t from 'tap'
import { sortShares } from './share-state.ts'

t.test('sorts shares: permanent ones first, then by their end', async (t) => {
  const link = (hash: string, expire: number) => ({
    ...{ hash, expire, path: '/a', userID: 1, created: 1, hasPassword: false },
  })
  const sorted = sortShares([link('late', 300), link('ever', 0), link('soon', 200)])
  t.same(
    sorted.map(({ hash }) => hash),
    ['ever', 'soon', 'late'],
  )
})
