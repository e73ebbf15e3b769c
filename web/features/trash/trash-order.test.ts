import t from 'tap'
import { trashItem } from '#web/testing/trash.ts'
import { inOrder, isServerOrder, newestFirst, nextOrder, type TrashColumn } from './trash-order.ts'

const items = [
  trashItem(1, {
    name: 'file 10.txt',
    path: '/b/file 10.txt',
    size: 5,
    by: '',
    deleted: '2026-01-03T00:00:00Z',
  }),
  trashItem(2, {
    name: 'File 9.txt',
    path: '/a/File 9.txt',
    size: null,
    by: 'bob',
    deleted: '2026-01-02T00:00:00Z',
  }),
  trashItem(3, { name: 'Äpfel', path: '/a/Äpfel', size: 7, by: 'ann', deleted: '2026-01-01T00:00:00Z' }),
]
const sorted = (by: TrashColumn, isAscending: boolean) =>
  inOrder(items, { by, isAscending }, 'en')
    .map(({ id }) => id)
    .join(' ')

t.test('the trash sorts each column both ways, and what is unknown comes last', async (t) => {
  t.equal(sorted('name', true), 'i3 i2 i1', 'numbers in names by their value')
  t.equal(sorted('name', false), 'i1 i2 i3')
  t.equal(sorted('place', true), 'i2 i3 i1', 'equal ones stay in their order')
  t.equal(sorted('place', false), 'i1 i2 i3')
  t.equal(sorted('size', true), 'i1 i3 i2')
  t.equal(sorted('size', false), 'i3 i1 i2')
  t.equal(sorted('by', true), 'i3 i2 i1')
  t.equal(sorted('by', false), 'i2 i3 i1')
  t.equal(sorted('deleted', true), 'i3 i2 i1')
})

t.test('the first click on a column of the trash sorts upwards, of times the newest first', async (t) => {
  const byName = nextOrder(newestFirst, 'name')
  t.strictSame(byName, { by: 'name', isAscending: true })
  t.strictSame(nextOrder(byName, 'name'), { by: 'name', isAscending: false })
  t.ok(isServerOrder(nextOrder(byName, 'deleted')))
  t.strictSame(nextOrder(newestFirst, 'deleted'), { by: 'deleted', isAscending: true })
})
