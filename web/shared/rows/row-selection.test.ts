import t from 'tap'
import { createRowSelection } from './row-selection.ts'

const row = (n: number) => ({ id: `i${n}` })
const selection = createRowSelection<{ id: string }>(({ id }) => id)
const { state, selectedIn, selectOnly, selectRange, toggle, keep } = selection
const items = Array.from({ length: 6 }, (_, n) => row(n))
const chosen = (list = items) => selectedIn(list).map(({ id }) => id)

t.beforeEach(() => selection.clear())

t.test('a range of rows reaches from the last row that was chosen alone', async (t) => {
  selectOnly(items, 3)
  selectRange(items, 5)
  t.strictSame(chosen(), ['i3', 'i4', 'i5'])
  selectRange(items, 2)
  t.strictSame(chosen(), ['i2', 'i3'], 'the range turns around its start')
  toggle(items, 5)
  selectRange(items, 4, true)
  t.strictSame(chosen(), ['i2', 'i3', 'i4', 'i5'], 'a range can be added to the selection')
  selection.moveCursor(0)
  selectRange(items, 4)
  t.strictSame(chosen(), ['i4', 'i5'], 'moving the cursor alone does not move the start')
})

t.test('a row outside the list is never selected', async (t) => {
  selectOnly(items, 9)
  t.strictSame(chosen(), [])
  toggle(items, 9)
  t.equal(state.ids.size, 0)
  selection.selectAll([])
  t.equal(state.ids.size, 0)
})

t.test('the selection and the cursor stay with their rows when the list changes', async (t) => {
  selectOnly(items, 2)
  toggle(items, 4)
  const newest = row(9)
  const changed = [newest, ...items.filter(({ id }) => id !== 'i2')]
  keep(changed, items)
  t.strictSame(chosen(changed), ['i4'], 'a row that is gone is not selected any more')
  t.equal(state.ids.size, 1)
  t.equal(changed[state.cursor]?.id, 'i4')
  t.equal(changed[state.anchor]?.id, 'i4')
})

t.test('the cursor moves to the row that takes the place of a lost one', async (t) => {
  selectOnly(items, 3)
  const without = items.filter(({ id }) => id !== 'i3')
  keep(without, items)
  t.equal(without[state.cursor]?.id, 'i4')
  selectOnly(without, 4)
  keep(without.slice(0, 2), without)
  t.equal(state.cursor, 1, 'the last one, if there is no later one')
  keep([], without.slice(0, 2))
  t.equal(state.cursor, 0, 'the start of an empty list')
})
