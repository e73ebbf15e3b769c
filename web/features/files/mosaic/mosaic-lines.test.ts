import t from 'tap'
import type { Item } from '#contract/resources.ts'
import {
  columnsOf,
  fillsTile,
  gapPx,
  hasTiles,
  heightOf,
  itemBelow,
  type Line,
  marginPx,
  mosaicLines,
  tileRatio,
} from './mosaic-lines.ts'
import { decodePlaceholder } from './placeholder.tsx'
import { timeIn } from './shapes.ts'
import { parseTiles } from './tiles-state.ts'

const item = (name: string, modified = '2026-05-03T10:00:00Z') =>
  ({ name, modified, isDir: name.startsWith('d') }) as Item

/** Lines in short: titles, and the indices and the shapes of tiles. */
const inShort = (lines: readonly Line[]) =>
  lines.map((line) =>
    hasTiles(line) ? [line.from, line.to, ...line.shapes.map((one) => one.toFixed(2))] : line,
  )

t.test('the mosaic splits folders and files into lines', async (t) => {
  const items = ['d1', 'd2', 'd3', 'a', 'b'].map((name) => item(name))
  t.same(inShort(mosaicLines(items, { columns: 2 })), [
    'folders',
    [0, 2, '1.33', '1.33'],
    [2, 3, '1.33'],
    'files',
    [3, 5, '1.33', '1.33'],
  ])
  t.same(mosaicLines([], { columns: 2, timeOf: () => 0 }), [])
})

t.test('sorted by time, the mosaic has a section for each month of the files', async (t) => {
  const items = [
    item('d1', '2020-01-15T10:00:00Z'),
    item('a', '2026-05-15T10:00:00Z'),
    item('b', '2026-05-14T10:00:00Z'),
    item('c', '2025-05-14T10:00:00Z'),
  ]
  const month = (year: number) => new Date(year, 4).getTime()
  const taken = new Map([['c', { taken: '2024-05-31T23:59:59-11:00' }]])
  const linesBy = (by: 'modified' | 'taken') =>
    inShort(mosaicLines(items, { columns: 3, timeOf: timeIn(by, taken) })).filter(
      (line) => !Array.isArray(line),
    )
  t.same(linesBy('modified'), ['folders', month(2026), month(2025)])
  t.same(linesBy('taken'), ['folders', month(2026), month(2024)], 'in the time of the camera')
})

t.test('lines have the width of the list and pictures keep their shapes', async (t) => {
  const shapes = [1.5, 0.75, 0.75, 1.5, 2, 0.75, 9, 0.1, 1]
  const items = shapes.map((_, n) => item(`${n}`))
  const lines = mosaicLines(items, { columns: 3, shapeOf: ({ name }) => shapes[Number(name)] })
  const rows = lines.filter(hasTiles)
  t.same(
    rows.flatMap((row) => row.shapes),
    [1.5, 0.75, 0.75, 1.5, 2, 0.75, 2.4, 0.5, 1],
    'within limits',
  )
  const inner = 1000 - 2 * marginPx
  for (const [n, row] of rows.entries()) {
    const height = heightOf(row, 1000, 234)
    const width = row.shapes.reduce((sum, shape) => sum + shape * height, (row.shapes.length - 1) * gapPx)
    if (n < rows.length - 1) t.ok(Math.abs(width - inner) < 0.01, `${width} of ${inner}`)
    else t.ok(width <= inner && height <= 234, 'the last line leaves its end empty')
  }
})

t.test('up and down go to the tile of the next line that is nearest, across titles', async (t) => {
  const tiles = (from: number, ...shapes: number[]) => ({ from, to: from + shapes.length, shapes, full: 3 })
  const lines = ['folders' as const, tiles(0, 1.5, 1.5), 'files' as const, tiles(2, 1, 1, 1), tiles(5, 1)]
  t.equal(itemBelow(lines, 0, 1), 2)
  t.equal(itemBelow(lines, 1, 1), 4)
  t.equal(itemBelow(lines, 4, -1), 1)
  t.equal(itemBelow(lines, 4, 1), 5, 'the last tile of a shorter line')
  t.equal(itemBelow(lines, 1, 9), 5)
  t.equal(itemBelow(lines, 1, -1), 1, 'there is no line above')
})

t.test('a phone shows three columns, and larger tiles mean fewer columns', async (t) => {
  t.equal(columnsOf(390, 200), 3)
  t.equal(columnsOf(1048, 200), 4)
  t.equal(columnsOf(1048, 320), 3)
  t.equal(columnsOf(50, 320), 1)
})

t.test('a picture with nearly the shape of its tile fills it', async (t) => {
  t.ok(fillsTile(1.5, tileRatio))
  t.notOk(fillsTile(0.66, tileRatio), 'the whole picture is shown instead')
})

t.test('the size of tiles that the device has stored is limited', async (t) => {
  t.same(parseTiles('160'), { size: 160, hasNames: false })
  t.same(parseTiles('999 names'), { size: 320, hasNames: true })
  t.same(parseTiles('huge'), { size: 200, hasNames: true })
})

t.test('a placeholder is a tiny picture with two bytes for each pixel', async (t) => {
  const code = (...bytes: number[]) => Buffer.from(bytes).toString('base64')
  t.same(decodePlaceholder(code(0x21, 0xf8, 0x00, 0x07, 0xff)), {
    width: 2,
    height: 1,
    pixels: Uint8ClampedArray.from([255, 0, 0, 255, 0, 255, 255, 255]),
  })
  t.equal(decodePlaceholder(code(0x21, 0xf8, 0x00)), undefined, 'too short')
  t.equal(decodePlaceholder('no base64!'), undefined)
  t.equal(decodePlaceholder(''), undefined)
})
