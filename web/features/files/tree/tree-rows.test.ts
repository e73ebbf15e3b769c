import t from 'tap'
import { letterStep, treeRows, treeStep } from './tree-rows.ts'

const branches = new Map([
  ['/', ['docs', 'music']],
  ['/docs/', ['2025', '2026', 'old']],
  ['/docs/2026/', ['may']],
])
const rowsOf = (...open: string[]) => treeRows(branches, new Set(['/', ...open]), 10)

t.teardown(() => Reflect.deleteProperty(globalThis, 'document'))

const setDirection = (dir: string) => Object.assign(globalThis, { document: { documentElement: { dir } } })

t.test('the tree lists the folders inside open folders, each one level deeper', async (t) => {
  t.same(
    rowsOf('/docs/', '/docs/2026/').map(({ path, level }) => [path, level]),
    [
      ['/docs/', 1],
      ['/docs/2025/', 2],
      ['/docs/2026/', 2],
      ['/docs/2026/may/', 3],
      ['/docs/old/', 2],
      ['/music/', 1],
    ],
  )
  t.same(
    rowsOf('/docs/2026/').map(({ name }) => name),
    ['docs', 'music'],
    'an open folder inside a closed one is not listed',
  )
  t.same(treeRows(branches, new Set(), 10), [])
  t.equal(treeRows(branches, new Set(['/', '/docs/']), 1).length, 2, 'at most one inside each folder')
})

t.test('arrow keys move through the tree, open and close folders', async (t) => {
  setDirection('ltr')
  const rows = rowsOf('/docs/')
  t.same(treeStep('ArrowDown', rows, 4, false), { to: 4 }, 'the last one')
  t.same(treeStep('ArrowDown', rows, 0, true), { to: 1 })
  t.same(treeStep('ArrowUp', rows, 0, true), { to: 0 })
  t.same(treeStep('Home', rows, 3, false), { to: 0 })
  t.same(treeStep('End', rows, 0, true), { to: 4 })
  t.same(treeStep('ArrowRight', rows, 4, false), { opens: true })
  t.same(treeStep('ArrowRight', rows, 0, true), { to: 1 }, 'to the first folder inside')
  t.same(treeStep('ArrowRight', rows, 4, true), { to: 4 }, 'which an empty folder does not have')
  t.same(treeStep('ArrowLeft', rows, 0, true), { opens: false })
  t.same(treeStep('ArrowLeft', rows, 3, false), { to: 0 }, 'to the folder around')
  t.same(treeStep('ArrowLeft', rows, 4, false), { to: 4 })
  t.equal(treeStep('Enter', rows, 0, true), undefined)
  setDirection('rtl')
  t.same(treeStep('ArrowLeft', rows, 4, false), { opens: true }, 'from right to left')
  t.same(treeStep('ArrowRight', rows, 0, true), { opens: false })
})

t.test('typed letters go to a folder, other keys of the page keep their meaning', async (t) => {
  const rows = rowsOf('/docs/')
  t.same(letterStep('m', rows, 0), { to: 4 })
  for (const key of ['/', '?', ' ', 'Enter', 'F2']) t.equal(letterStep(key, rows, 0), undefined, key)
})
