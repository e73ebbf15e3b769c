import t from 'tap'
import { afterDoubleClick, fitting, pinchRatio, turnOf, wheelSteps, zoomTo } from './zoom.ts'

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

/** The steps that these turns of a wheel make one after the other. */
function stepsOf(turns: readonly number[]): number[] {
  let rest = 0
  return turns.map((px) => {
    const turned = wheelSteps(rest, px)
    rest = turned.rest
    return turned.steps
  })
}

t.test('one notch of a wheel is one step, whatever its maker takes for one', async (t) => {
  for (const notch of [53, 66.67, 100, 120, 125]) {
    t.same(stepsOf([notch, notch, notch, -notch]), [1, 1, 1, -1], `${notch} pixels`)
  }
  t.same(stepsOf([300]), [3], 'three notches in one go')
  t.same(stepsOf([turnOf({ deltaY: 3, deltaMode: 1 })]), [1], 'three rows')
  t.same(stepsOf([turnOf({ deltaY: -1, deltaMode: 2 })]), [-1], 'a page')
})

t.test('the small turns of a trackpad add up to a step, and start anew when they turn back', async (t) => {
  t.same(stepsOf(Array.from({ length: 10 }, () => 10)), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  t.same(stepsOf([40, 40, -40, -40, -40]), [0, 0, 0, 0, -1])
})

t.test('two fingers on a trackpad make it larger and smaller without steps', async (t) => {
  t.ok(pinchRatio(-2) > 1 && pinchRatio(-2) < 1.05)
  t.equal(Math.round(pinchRatio(-2) * pinchRatio(2) * 1000), 1000, 'and back again')
  t.ok(pinchRatio(-120) < 1.3, 'a wheel is not taken for two fingers that go far')
})
