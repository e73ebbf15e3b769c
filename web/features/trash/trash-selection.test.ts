import t from 'tap'
import { trashItem } from '#web/testing/trash.ts'
import {
  clearTrashSelection,
  keepSelection,
  moveTrashCursor,
  selectAllOf,
  selectedIn,
  selectOnly,
  selectRange,
  toggle,
  trashSelection,
} from './trash-selection.ts'

const items = Array.from({ length: 6 }, (_, n) => trashItem(n))
const chosen = (list = items) => selectedIn(list).map(({ id }) => id)

t.beforeEach(() => clearTrashSelection())

t.test('a range of trash entries reaches from the last entry that was chosen alone', async (t) => {
  selectOnly(items, 3)
  selectRange(items, 5)
  t.strictSame(chosen(), ['i3', 'i4', 'i5'])
  selectRange(items, 2)
  t.strictSame(chosen(), ['i2', 'i3'], 'the range turns around its start')
  toggle(items, 5)
  selectRange(items, 4, true)
  t.strictSame(chosen(), ['i2', 'i3', 'i4', 'i5'], 'a range can be added to the selection')
  moveTrashCursor(0)
  selectRange(items, 4)
  t.strictSame(chosen(), ['i4', 'i5'], 'moving the cursor alone does not move the start')
})

t.test('an entry outside the trash list is never selected', async (t) => {
  selectOnly(items, 9)
  t.strictSame(chosen(), [])
  toggle(items, 9)
  t.equal(trashSelection.ids.size, 0)
  selectAllOf([])
  t.equal(trashSelection.ids.size, 0)
})

t.test(
  'the selection in the trash and the cursor stay with their entries when the list changes',
  async (t) => {
    selectOnly(items, 2)
    toggle(items, 4)
    const newest = trashItem(9)
    const changed = [newest, ...items.filter(({ id }) => id !== 'i2')]
    keepSelection(changed, items)
    t.strictSame(chosen(changed), ['i4'], 'an entry that is gone is not selected any more')
    t.equal(trashSelection.ids.size, 1)
    t.equal(changed[trashSelection.cursor]?.id, 'i4')
    t.equal(changed[trashSelection.anchor]?.id, 'i4')
  },
)

t.test('the cursor in the trash moves to the entry that takes the place of a lost one', async (t) => {
  selectOnly(items, 3)
  const without = items.filter(({ id }) => id !== 'i3')
  keepSelection(without, items)
  t.equal(without[trashSelection.cursor]?.id, 'i4')
  selectOnly(without, 4)
  keepSelection(without.slice(0, 2), without)
  t.equal(trashSelection.cursor, 1, 'the last one, if there is no later one')
  keepSelection([], without.slice(0, 2))
  t.equal(trashSelection.cursor, 0, 'the start of an empty list')
})
