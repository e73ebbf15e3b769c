import t from 'tap'
import type { Item } from '#contract/resources.ts'
import {
  clearSelection,
  moveCursor,
  selectAll,
  selection,
  selectOnly,
  selectRange,
  toggleItem,
  updateSelection,
} from './selection.ts'

const items = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }) as Item)
const chosen = () => [...selection.names].toSorted()

t.beforeEach(() => clearSelection())

t.test('a range extends from its start in both directions', async (t) => {
  selectOnly(items, 2)
  selectRange(items, 4)
  t.same(chosen(), ['c', 'd', 'e'])
  selectRange(items, 0)
  t.same(chosen(), ['a', 'b', 'c'])
  t.equal(selection.cursor, 0)
})

t.test('a range can be added to the selection', async (t) => {
  selectOnly(items, 0)
  toggleItem(items, 2)
  selectRange(items, 3, true)
  t.same(chosen(), ['a', 'c', 'd'])
})

t.test('the cursor moves without selecting, and toggling deselects an item', async (t) => {
  selectAll(items)
  moveCursor(3)
  toggleItem(items, 3)
  t.same(chosen(), ['a', 'b', 'c', 'e'])
})

t.test('a refresh deselects items that no longer exist', async (t) => {
  selectAll(items)
  moveCursor(4)
  updateSelection(items.slice(0, 2))
  t.same(chosen(), ['a', 'b'])
  t.equal(selection.cursor, 1)
  updateSelection([])
  t.equal(selection.cursor, 0)
})

t.test('sorting keeps the cursor and the start of a range on the same items', async (t) => {
  selectOnly(items, 1)
  updateSelection(items.toReversed(), items)
  t.equal(selection.cursor, 3)
  selectRange(items.toReversed(), 4)
  t.same(chosen(), ['a', 'b'])
  clearSelection()
  updateSelection(items.toReversed(), items)
  t.equal(selection.cursor, 0, 'without a selection, the cursor stays at the top')
})

t.test('after a deletion, the cursor is on the next item that is left, else on the last', async (t) => {
  selectOnly(items, 0)
  selectRange(items, 1)
  updateSelection(items.slice(2), items)
  t.equal(selection.cursor, 0)
  selectOnly(items, 4)
  selectRange(items, 3)
  updateSelection(items.slice(0, 3), items)
  t.equal(selection.cursor, 2)
})
