import t from 'tap'
import { afterDoubleClick, fitting, zoomTo } from './zoom.ts'

t.test('a double click goes from 1 to 2 to 4 and back to 1', async (t) => {
  t.same([1, 2, 4].map(afterDoubleClick), [2, 4, 1])
  t.equal(afterDoubleClick(0.5), 2)
})

t.test('a picture is shown between a quarter and four times its place', async (t) => {
  t.equal(zoomTo(fitting, 9).zoom, 4)
  t.equal(zoomTo(fitting, 0).zoom, 0.25)
})

t.test('the point under the pointer stays where it is', async (t) => {
  const once = zoomTo(fitting, 2, { x: 100, y: -50 })
  t.same(once, { zoom: 2, x: -100, y: 50 })
  t.same(zoomTo(once, 1, { x: 7, y: 7 }), fitting, 'back at 1 it is in the middle')
})
