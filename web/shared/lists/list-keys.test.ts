import t from 'tap'
import { nextCursor, typeAhead } from './list-keys.ts'

const list = { count: 100, columns: 1, page: 10, isRightToLeft: false }
const mosaic = { count: 10, columns: 4, page: 2, isRightToLeft: false }

t.test('keys move the cursor through the list and stop at its ends', async (t) => {
  t.equal(nextCursor('ArrowDown', 5, list), 6)
  t.equal(nextCursor('ArrowUp', 0, list), 0)
  t.equal(nextCursor('ArrowDown', 99, list), 99)
  t.equal(nextCursor('PageDown', 95, list), 99)
  t.equal(nextCursor('PageUp', 50, list), 40)
  t.equal(nextCursor('Home', 50, list), 0)
  t.equal(nextCursor('End', 50, list), 99)
  t.equal(nextCursor('ArrowRight', 5, list), undefined, 'there is no item beside it')
  t.equal(nextCursor('x', 5, list), undefined)
  t.equal(nextCursor('End', 0, { ...list, count: 0 }), undefined)
})

t.test('arrow keys move through the mosaic in both directions', async (t) => {
  t.equal(nextCursor('ArrowDown', 1, mosaic), 5)
  t.equal(nextCursor('ArrowDown', 8, mosaic), 8, 'there is no card below')
  t.equal(nextCursor('ArrowRight', 3, mosaic), 4)
  t.equal(nextCursor('ArrowRight', 3, { ...mosaic, isRightToLeft: true }), 2)
  t.equal(nextCursor('ArrowLeft', 0, mosaic), 0)
})

t.test('typing selects the name that starts with the typed letters', async (t) => {
  const names = ['apple', 'Banana', 'blueberry', 'cherry'].map((name) => ({ name }))
  t.equal(typeAhead('b', names, 0, 1000), 1)
  t.equal(typeAhead('l', names, 1, 1100), 2, 'a second letter narrows the match')
  t.equal(typeAhead('c', names, 2, 9000), 3, 'a pause resets the typed letters')
  t.equal(typeAhead('b', names, 1, 20_000), 2, 'the same letter again goes to the next match')
  t.equal(typeAhead('b', names, 2, 20_100), 1)
  t.equal(typeAhead('z', names, 1, 40_000), undefined)
  t.equal(typeAhead('c', names, 0, 1000), 3, 'a clock that was set back resets the typed letters')
})
