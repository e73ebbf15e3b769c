import t from 'tap'
import type { Item } from '#contract/resources.ts'
import {
  clearSelection,
  keepSelection,
  moveCursor,
  selectAll,
  selection,
  selectOnly,
  selectRange,
  toggle,
} from './selection.ts'

const items = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }) as Item)
const chosen = () => [...selection.names].toSorted()

t.beforeEach(() => clearSelection())

t.test('a range grows from where it began, whichever way', async (t) => {
  selectOnly(items, 2)
  selectRange(items, 4)
  t.same(chosen(), ['c', 'd', 'e'])
  selectRange(items, 0)
  t.same(chosen(), ['a', 'b', 'c'])
  t.equal(selection.cursor, 0)
})

t.test('a range may be added to what is selected', async (t) => {
  selectOnly(items, 0)
  toggle(items, 2)
  selectRange(items, 3, true)
  t.same(chosen(), ['a', 'c', 'd'])
})

t.test('the cursor moves without selecting, and an item can be taken away', async (t) => {
  selectAll(items)
  moveCursor(3)
  toggle(items, 3)
  t.same(chosen(), ['a', 'b', 'c', 'e'])
})

t.test('what is gone after a refresh is no longer selected', async (t) => {
  selectAll(items)
  moveCursor(4)
  keepSelection(items.slice(0, 2))
  t.same(chosen(), ['a', 'b'])
  t.equal(selection.cursor, 1)
  keepSelection([])
  t.equal(selection.cursor, 0)
})

t.test('after a sort the keyboard is on the same item, and a range grows from the same', async (t) => {
  selectOnly(items, 1)
  keepSelection(items.toReversed(), items)
  t.equal(selection.cursor, 3)
  selectRange(items.toReversed(), 4)
  t.same(chosen(), ['a', 'b'])
  clearSelection()
  keepSelection(items.toReversed(), items)
  t.equal(selection.cursor, 0, 'who has pointed at nothing stays at the top')
})
