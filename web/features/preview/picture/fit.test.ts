import t from 'tap'
import { fitOf } from './fit.ts'

const stage = { width: 1000, height: 500 }

t.test('a picture that is turned on its side still fits, and is not enlarged', async (t) => {
  const large = fitOf(stage, { width: 750, height: 500 }, { width: 3000, height: 2000 }, 1)
  t.equal(large.scale, 500 / 750)
  t.equal(large.pixels, 4 / (500 / 750))
  t.same(fitOf(stage, { width: 100, height: 50 }, { width: 100, height: 50 }, 3), { scale: 1, pixels: 1 })
  t.same(fitOf(stage, { width: 750, height: 500 }, { width: 3000, height: 2000 }, 2), { scale: 1, pixels: 4 })
})
