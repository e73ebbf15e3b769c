import t from 'tap'
import type { Item } from '#contract/resources.ts'
import { itemsInBand, offsetOf } from '#web/features/files/pointer/marquee-geometry.ts'
import { lineOf, linesOf } from './sections.ts'

const items = (folders: number, files: number) =>
  Array.from({ length: folders + files }, (_, n) => ({ isDir: n < folders }) as Item)

t.test('shows the titles Folders and Files only above items of that kind', async (t) => {
  t.same(linesOf(items(2, 1)), ['folders', 0, 1, 'files', 2])
  t.same(linesOf(items(0, 2)), ['files', 0, 1])
  t.same(linesOf(items(2, 0)), ['folders', 0, 1])
  for (const [folders, files] of [
    [2, 3],
    [0, 3],
    [3, 0],
  ] as const) {
    const lines = linesOf(items(folders, files))
    for (let n = 0; n < folders + files; n++) t.equal(lines[lineOf(n, folders)], n)
  }
})

t.test('a selection box selects the items it covers, across section titles', async (t) => {
  for (const [folders, files] of [
    [3, 4],
    [0, 4],
    [4, 0],
  ] as const) {
    const geometry = { height: 40, title: 30, count: folders + files, firstFile: folders }
    for (let top = -20; top < 400; top += 7) {
      for (let bottom = top; bottom < 420; bottom += 11) {
        const covered = items(folders, files).flatMap((_, n) => {
          const at = offsetOf(n, geometry)
          return at <= bottom && at + 40 > top ? [n] : []
        })
        const [from, to] = itemsInBand({ top, bottom }, geometry)
        const found = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n)
        if (String(found) !== String(covered)) t.fail(`${folders}+${files}: ${top} to ${bottom}: ${found}`)
      }
    }
  }
  t.pass()
})
