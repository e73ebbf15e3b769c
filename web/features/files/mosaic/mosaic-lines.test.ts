import t from 'tap'
import type { Item } from '#contract/resources.ts'
import { columnsOf, fillsTile, itemBelow, mosaicLines, sharesOf, tileRatio } from './mosaic-lines.ts'
import { parseTiles } from './tiles-state.ts'

const item = (name: string, modified = '2026-05-03T10:00:00Z') =>
  ({ name, modified, isDir: name.startsWith('d') }) as Item

t.test('the mosaic splits folders and files into lines', async (t) => {
  const items = ['d1', 'd2', 'd3', 'a', 'b'].map((name) => item(name))
  t.same(mosaicLines(items, 2, false), [
    'folders',
    { from: 0, to: 2 },
    { from: 2, to: 3 },
    'files',
    { from: 3, to: 5 },
  ])
  t.same(mosaicLines([], 2, true), [])
})

t.test('sorted by time, the mosaic has a section for each month of the files', async (t) => {
  const items = [
    item('d1', '2020-01-15T10:00:00Z'),
    item('a', '2026-05-15T10:00:00Z'),
    item('b', '2026-05-14T10:00:00Z'),
    item('c', '2025-05-14T10:00:00Z'),
  ]
  const month = (year: number) => new Date(year, 4).getTime()
  t.same(mosaicLines(items, 3, true), [
    'folders',
    { from: 0, to: 1 },
    month(2026),
    { from: 1, to: 3 },
    month(2025),
    { from: 3, to: 4 },
  ])
})

t.test('up and down go to the same column of the next line of tiles, across titles', async (t) => {
  const lines = [
    'folders' as const,
    { from: 0, to: 2 },
    'files' as const,
    { from: 2, to: 5 },
    { from: 5, to: 6 },
  ]
  t.equal(itemBelow(lines, 1, 1), 3)
  t.equal(itemBelow(lines, 3, -1), 1)
  t.equal(itemBelow(lines, 4, -1), 1, 'the last tile of a shorter line')
  t.equal(itemBelow(lines, 4, 1), 5)
  t.equal(itemBelow(lines, 1, 9), 5)
  t.equal(itemBelow(lines, 1, -1), 1, 'there is no line above')
})

t.test('a phone shows three columns, and larger tiles mean fewer columns', async (t) => {
  t.equal(columnsOf(390, 200), 3)
  t.equal(columnsOf(1048, 200), 4)
  t.equal(columnsOf(1048, 320), 3)
  t.equal(columnsOf(50, 320), 1)
})

t.test('tiles have the shapes of their pictures when all shapes in the line are known', async (t) => {
  t.same(sharesOf([1.5, 0.75], 2), [1.5, 0.75])
  t.same(sharesOf([1.5, undefined], 2), [tileRatio, tileRatio])
  t.same(sharesOf([9], 2), [2.4, tileRatio], 'the end of a short line stays empty')
  t.ok(fillsTile(1.5, tileRatio))
  t.notOk(fillsTile(0.66, tileRatio), 'the whole picture is shown instead')
})

t.test('the size of tiles that the device has stored is limited', async (t) => {
  t.same(parseTiles('160'), { size: 160, hasNames: false })
  t.same(parseTiles('999 names'), { size: 320, hasNames: true })
  t.same(parseTiles('huge'), { size: 200, hasNames: true })
})
