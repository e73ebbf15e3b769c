import t from 'tap'
import { createPlaces } from './places.ts'

t.test('everybody has as many things under way as they may, and one more when one has ended', async (t) => {
  const places = createPlaces('uploads', { each: 2, all: Number.POSITIVE_INFINITY })
  const first = places.enter('a')
  places.enter('a')
  t.throws(() => places.enter('a'), {
    code: 'user.busy',
    status: 429,
    message: '2 uploads are under way already; try again when one has ended',
  })
  places.enter('b')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  places.enter('a')
  t.throws(() => places.enter('a'), { code: 'user.busy' }, 'what ends twice has ended once')
})

t.test('all together have as many as the server can carry', async (t) => {
  const places = createPlaces('archives', { each: 2, all: 3 })
  const some = ['a', 'b', 'c'].map((who) => places.enter(who))
  t.throws(() => places.enter('d'), { code: 'server.busy', status: 503 })
  for (const one of some) one[Symbol.dispose]()
  for (const who of ['d', 'd', 'e']) places.enter(who)
})
