import t from 'tap'
import { afterDoubleClick, fittedPosition, pinchRatio, wheelDistance, wheelSteps, zoomTo } from './zoom.ts'

t.test('a double click zooms to 2, then 4, then back to 1', async (t) => {
  t.same([1, 2, 4].map(afterDoubleClick), [2, 4, 1])
  t.equal(afterDoubleClick(0.5), 2)
})

t.test('limits the zoom to between 0.25 and 4', async (t) => {
  t.equal(zoomTo(fittedPosition, 9).zoom, 4)
  t.equal(zoomTo(fittedPosition, 0).zoom, 0.25)
})

t.test('zooming keeps the point under the pointer in place', async (t) => {
  const once = zoomTo(fittedPosition, 2, { x: 100, y: -50 })
  t.same(once, { zoom: 2, x: -100, y: 50 })
  t.same(zoomTo(once, 1, { x: 7, y: 7 }), fittedPosition, 'zoom 1 centres the picture')
})

/** The zoom steps of a sequence of wheel events. */
function stepsOf(turns: readonly number[]): number[] {
  let rest = 0
  return turns.map((px) => {
    const turned = wheelSteps(rest, px)
    rest = turned.rest
    return turned.steps
  })
}

t.test('one wheel notch is one step, whatever its size in pixels', async (t) => {
  for (const notch of [53, 66.67, 100, 120, 125]) {
    t.same(stepsOf([notch, notch, notch, -notch]), [1, 1, 1, -1], `${notch} pixels`)
  }
  t.same(stepsOf([300]), [3], 'three notches in one event')
  t.same(stepsOf([wheelDistance({ deltaY: 3, deltaMode: 1 })]), [1], 'three lines')
  t.same(stepsOf([wheelDistance({ deltaY: -1, deltaMode: 2 })]), [-1], 'a page')
})

t.test('small trackpad scrolls add up to a step, and reset when the direction changes', async (t) => {
  t.same(stepsOf(Array.from({ length: 10 }, () => 10)), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  t.same(stepsOf([40, 40, -40, -40, -40]), [0, 0, 0, 0, -1])
})

t.test('a trackpad pinch zooms without steps', async (t) => {
  t.ok(pinchRatio(-2) > 1 && pinchRatio(-2) < 1.05)
  t.equal(Math.round(pinchRatio(-2) * pinchRatio(2) * 1000), 1000, 'the opposite pinch restores the size')
  t.ok(pinchRatio(-120) < 1.3, 'a wheel notch is not treated as a large pinch')
})
