import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { RE2JS } from 're2js'
import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start, violations } from '#web/testing/browser.ts'
import { photo } from '#web/testing/photos.ts'
import { checkNames } from './check-names.ts'
import { firstRule, newNames } from './new-names.ts'
import { renameSteps, temporaryNames } from './rename-order.ts'
import { replaceText } from './replace-text.ts'

t.teardown(closeBrowser)

const item = (name: string, isDir = false) => ({
  name,
  isDir,
  path: `/${name}`,
  modified: '2026-03-04T12:00:00Z',
  type: 'image' as const,
})

t.test('new names keep their extension unless it is changed, too', async (t) => {
  const taken = new Map([['b.jpg', { taken: '2024-05-01T23:59:00-11:00' }]])
  const names = (change: Partial<typeof firstRule>, ...items: ReturnType<typeof item>[]) => {
    const rule = { ...firstRule, ...change }
    return newNames(items, rule, { replace: replaceText(rule, RE2JS), taken })
  }
  t.same(names({ find: 'A', replacement: '$&' }, item('a-a.a')), ['$&-$&.a'])
  t.same(names({ find: 'A', matchesCase: true }, item('aA.txt')), ['a.txt'])
  t.same(names({ find: '(\\d+)-(\\d+)', replacement: '$2-$1', isPattern: true }, item('1-22.txt')), [
    '22-1.txt',
  ])
  t.same(names({ find: '.*', isPattern: true, withEnding: true }, item('a.txt')), [''])
  t.throws(() => names({ find: '(', isPattern: true }, item('a')))
  t.same(
    names({ mode: 'number', prefix: 'img ', start: 9, digits: 2 }, item('x.tar.gz'), item('d.1', true)),
    ['img 09.tar.gz', 'img 10'],
  )
  t.same(names({ mode: 'case', letters: 'title' }, item('élan VITAL.TXT')), ['Élan Vital.TXT'])
  t.same(names({ mode: 'case', letters: 'lower', withEnding: true }, item('A.TXT')), ['a.txt'])
  t.same(names({ mode: 'date', datePlace: 'after' }, item('a.txt')), ['a 2026-03-04.txt'])
  t.same(
    names({ mode: 'date', date: 'taken' }, item('a.txt'), item('b.jpg')),
    ['2026-03-04 a.txt', '2024-05-01 b.jpg'],
    'in the time of the camera',
  )
})

t.test('names that are taken, equal or empty are errors', async (t) => {
  const wrong = (to: string[]) =>
    checkNames(['a', 'b', 'c'], to, new Set(['d'])).map(({ error }) => error !== undefined)
  t.same(wrong(['b', 'a', 'c']), [false, false, false])
  t.same(wrong(['x', 'd', '']), [false, true, true])
  t.same(wrong(['c', 'x', 'c']), [true, false, true])
})

t.test('renames chains from their end, and cycles over a free name', async (t) => {
  const orders = ['a>b b>c c>d', 'c>d b>c a>b', 'a>b b>a', 'a>b b>c c>a x>y', 'b>c a>b c>a']
  for (const order of orders) {
    const changes = order.split(' ').map((one) => ({ from: one[0] ?? '', to: one[2] ?? '' }))
    const folder = new Map(changes.map(({ from }) => [from, from]))
    for (const { from, to } of renameSteps(changes, temporaryNames(new Set(['renaming-1'])))) {
      t.ok(folder.has(from) && !folder.has(to), `${order}: ${from} to ${to}`)
      folder.set(to, folder.get(from) ?? '')
      folder.delete(from)
    }
    for (const { from, to } of changes) t.equal(folder.get(to), from)
  }
})

/** The names in a folder, without our own hidden folders. */
const names = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort()

async function open(page: Page, count: number) {
  await page.getByRole('grid').press('Control+a')
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename…' }).waitFor()
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog', { name: /^Rename \d/ })
  await dialog.getByRole('row').nth(count).waitFor()
  return dialog
}

t.test('swaps names with a pattern in one change, which is undone as one', async (t) => {
  const { page, root } = await start(t, { '1-2.txt': 'one', '2-1.txt': 'two' })
  const dialog = await open(page, 2)
  await dialog.getByText('No name changes.').waitFor()
  await dialog.getByLabel('Regular expression').check()
  await dialog.getByLabel('Find').fill('(')
  await dialog.getByText('This regular expression is invalid.').waitFor()
  await dialog.getByLabel('Find').fill('(.)-(.)')
  await dialog.getByLabel('Replace with').fill('same')
  await dialog.getByText("2 names can't be used.").waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  t.ok(await dialog.getByRole('button', { name: 'Rename 2 items' }).isDisabled())
  await dialog.getByLabel('Replace with').fill('$2-$1')
  await page.locator('[role=dialog] button:enabled', { hasText: 'Rename 2 items' }).click()
  await page.getByText('Renamed 2 items').waitFor()
  t.equal(readFileSync(path.join(root, '1-2.txt'), 'utf8'), 'two')
  await page.waitForFunction(() => document.activeElement?.role === 'grid')
  t.same(await selectedNames(page), ['1-2.txt', '2-1.txt'])
  await page.keyboard.press('Control+z')
  await page.getByText('Undone: Renamed 2 items').waitFor()
  t.equal(readFileSync(path.join(root, '1-2.txt'), 'utf8'), 'one')
  t.same(names(root), ['1-2.txt', '2-1.txt'])
})

t.test('says what was renamed when the server refuses in the middle', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
  let calls = 0
  await page.route('**/api/resources/*action=rename*', (route) => {
    calls++
    if (calls !== 2) return route.continue()
    return route.fulfill({ status: 403, json: { code: 'path.forbidden', detail: '' } })
  })
  const dialog = await open(page, 3)
  await dialog.getByLabel('Change', { exact: true }).selectOption('number')
  await dialog.getByLabel('Prefix').fill('n')
  await page.keyboard.press('Enter')
  await page.getByText('Renamed 1 of 3 items').waitFor()
  await page.getByRole('alert').filter({ hasText: 'b.txt' }).waitFor()
  await itemNamed(page, 'n01.txt').waitFor()
  t.same(names(root), ['b.txt', 'c.txt', 'n01.txt'])
})

t.test('adds the date taken, and says for which items the date of the last change is used', async (t) => {
  const { page, root } = await start(t, {
    'a.jpg': await photo('2024:05:01 23:30:00'),
    'b.txt': 'no photo',
  })
  utimesSync(path.join(root, 'b.txt'), new Date(), new Date('2022-02-03T12:00:00'))
  await page.reload()
  const dialog = await open(page, 2)
  await dialog.getByLabel('Change', { exact: true }).selectOption('date')
  await dialog.getByLabel('Date', { exact: true }).selectOption('taken')
  await dialog.getByRole('row').filter({ hasText: '2024-05-01 a.jpg' }).waitFor()
  const other = dialog.getByRole('row').filter({ hasText: '2022-02-03 b.txt' })
  await other.getByText('No date taken. Last modified is used.').waitFor()
  await dialog.getByText('1 item has no date taken').waitFor()
  t.equal(await dialog.getByText('No date taken. Last modified is used.').count(), 1)
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Rename 2 items' }).click()
  await page.getByText('Renamed 2 items').waitFor()
  t.same(names(root), ['2022-02-03 b.txt', '2024-05-01 a.jpg'])
})
