import { readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, signInAs, start, violations } from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'
import { noticed } from '#web/testing/notices.ts'
import { photo } from '#web/testing/photos.ts'
import { delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

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

t.test('a swap that the server refuses in the middle leaves the old names', async (t) => {
  const { page, root } = await start(t, { '1-2.txt': 'one', '2-1.txt': 'two' })
  let calls = 0
  await page.route('**/api/resources/*action=rename*', (route) => {
    calls++
    if (calls !== 2) return route.continue()
    return route.fulfill({ status: 403, json: { code: 'path.forbidden', detail: '' } })
  })
  const dialog = await open(page, 2)
  await dialog.getByLabel('Regular expression').check()
  await dialog.getByLabel('Find').fill('(.)-(.)')
  await dialog.getByLabel('Replace with').fill('$2-$1')
  await page.locator('[role=dialog] button:enabled', { hasText: 'Rename 2 items' }).click()
  await page.getByRole('alert').waitFor()
  t.same(names(root), ['1-2.txt', '2-1.txt'])
  t.equal(readFileSync(path.join(root, '1-2.txt'), 'utf8'), 'one')
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

const gone = { state: 'detached' } as const
const renaming = '**/api/resources/*action=rename*'

/** The new names in the preview. */
const previewed = (dialog: Locator) => dialog.getByRole('row').locator('td:nth-child(2) bdi').allInnerTexts()

/** The button that renames. */
const rename = (dialog: Locator) => dialog.getByRole('button', { name: /^Rename \d/ })

t.test('the preview of new names shows each rule and what is wrong with it', async (t) => {
  const files = { 'b one.txt': '', 'b two.JPG': '', 'c three.txt': '', 'd taken.txt': '' }
  const { page, root } = await start(t, files)
  const button = page.getByRole('toolbar').getByRole('button', { name: 'Rename…' })
  await itemNamed(page, 'b one.txt').click()
  await itemNamed(page, 'c three.txt').click({ modifiers: ['Shift'] })
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Rename 3 items' })
  const find = dialog.getByLabel('Find')
  await find.and(page.locator(':focus')).waitFor()

  await t.test('a name that another item has, that is equal, empty or invalid is not given', async (t) => {
    const wrong = async (text: string, count: number) => {
      await dialog.getByText(text).first().waitFor()
      t.equal(await dialog.locator('[data-wrong]').count(), count, text)
      t.ok(await rename(dialog).isDisabled(), text)
    }
    await find.fill('c three')
    await dialog.getByLabel('Replace with').fill('d taken')
    await wrong('An item with this name already exists.', 1)
    await dialog.getByText("1 name can't be used.").waitFor()
    await dialog.getByLabel('Replace with').fill('b one')
    await wrong('Several items would get this name.', 2)
    await dialog.getByLabel('Replace with').fill('x/y')
    await wrong("A name can't be “.” or “..” or contain a slash.", 1)
    await dialog.getByLabel('Change the extension, too').check()
    await find.fill('c three.txt')
    await dialog.getByLabel('Replace with').fill('')
    await wrong('This name is empty.', 1)
    await page.keyboard.press('Enter')
    t.ok(await dialog.isVisible(), 'Enter does nothing')
    await dialog.getByLabel('Change the extension, too').uncheck()
    await find.fill('')
    await dialog.getByText('No name changes.').waitFor()
  })

  await t.test('numbers count from the first, within limits', async (t) => {
    await dialog.getByLabel('Change', { exact: true }).selectOption('number')
    await dialog.getByLabel('Prefix').fill('Trip ')
    await dialog.getByLabel('First number').fill('98')
    await dialog.getByLabel('Digits').fill('3')
    t.strictSame(await previewed(dialog), ['Trip 098.txt', 'Trip 099.JPG', 'Trip 100.txt'])
    await dialog.getByLabel('Digits').fill('12')
    t.equal(await dialog.getByLabel('Digits').inputValue(), '9')
    await dialog.getByLabel('First number').fill('-5')
    t.equal(await dialog.getByLabel('First number').inputValue(), '0')
  })

  await t.test('upper and lower case change the name, and on demand the extension', async (t) => {
    await dialog.getByLabel('Change', { exact: true }).selectOption('case')
    await dialog.getByLabel('Letters').selectOption('title')
    t.strictSame(await previewed(dialog), ['B One.txt', 'B Two.JPG', 'C Three.txt'])
    await dialog.getByLabel('Letters').selectOption('lower')
    t.equal(await dialog.locator('[data-same]').count(), 3)
    await dialog.getByLabel('Change the extension, too').check()
    t.strictSame(await previewed(dialog), ['b one.txt', 'b two.jpg', 'c three.txt'])
    t.equal(await rename(dialog).innerText(), 'Rename 1 item')
  })

  await t.test('canceling renames nothing, and returns to the button', async (t) => {
    await page.keyboard.press('Escape')
    await dialog.waitFor(gone)
    await button.and(page.locator(':focus')).waitFor()
    t.same(await selectedNames(page), ['b one.txt', 'b two.JPG', 'c three.txt'])
    t.same(names(root), Object.keys(files))
  })

  await t.test('an item that is gone meanwhile stops the renaming and is named', async (t) => {
    await page.keyboard.press('F2')
    await find.fill('t')
    await dialog.getByLabel('Replace with').fill('T')
    await page.route(renaming, (route) => {
      rmSync(path.join(root, 'c three.txt'), { force: true })
      return route.continue()
    })
    await find.press('Enter')
    await noticed(page, 'Renamed 1 of 2 items')
    await page.getByRole('alert').filter({ hasText: 'c three.txt' }).waitFor()
    t.same(names(root), ['b Two.JPG', 'b one.txt', 'd taken.txt'])
  })
})

t.test('renaming several items can be stopped, undone and done again', async (t) => {
  const { page, root } = await start(t, { 'a1.txt': '1', 'a2.txt': '2', 'a3.txt': '3' })
  const held = await delayResponses(page, renaming, 'PATCH')
  const dialog = await open(page, 3)
  await dialog.getByLabel('Find').fill('a')
  await dialog.getByLabel('Replace with').fill('b')
  await rename(dialog).click()
  await held.waitForCalls()
  await dialog.getByRole('progressbar', { name: 'Progress' }).waitFor()
  t.ok(await dialog.getByLabel('Find').isDisabled())
  await settle(page)
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Stop' }).click()
  held.release()
  await noticed(page, 'Renamed 1 of 3 items')
  t.same(names(root), ['a2.txt', 'a3.txt', 'b1.txt'])
  await page.unroute(renaming)
  await page.getByRole('grid').press('Control+z')
  await noticed(page, 'Undone: Renamed 1 of 3 items')
  t.same(names(root), ['a1.txt', 'a2.txt', 'a3.txt'])
  await page.keyboard.press('Control+y')
  await noticed(page, 'Done again: Renamed 1 of 3 items')
  t.same(names(root), ['a2.txt', 'a3.txt', 'b1.txt'])
  await page.keyboard.press('Control+z')
  await noticed(page, 'Undone: Renamed 1 of 3 items')
})

t.test('a swap of names that is refused in the middle is taken back', async (t) => {
  const { page, root } = await start(t, { '1-2.txt': 'one', '2-1.txt': 'two' })
  let calls = 0
  await page.route(renaming, (route) => {
    calls++
    if (calls !== 3) return route.continue()
    return route.fulfill({ status: 403, json: { code: 'path.forbidden', detail: '' } })
  })
  const dialog = await open(page, 2)
  await dialog.getByLabel('Regular expression').check()
  await dialog.getByLabel('Find').fill('(.)-(.)')
  await dialog.getByLabel('Replace with').fill('$2-$1')
  await page.locator('[role=dialog] button:enabled', { hasText: 'Rename 2 items' }).click()
  await page.getByRole('alert').waitFor()
  t.equal(calls, 5, 'two steps, a refused one, and two back')
  t.same(names(root), ['1-2.txt', '2-1.txt'])
  t.equal(readFileSync(path.join(root, '1-2.txt'), 'utf8'), 'one')
})

t.test('a long preview shows the wrong names first, and how many are left out', async (t) => {
  const all = Array.from({ length: 230 }, (_, n) => `file ${String(n).padStart(3, '0')}.txt`)
  const { page } = await start(t, Object.fromEntries(all.map((name) => [name, ''])))
  const dialog = await open(page, 200)
  await dialog.getByLabel('Find').fill('file 229')
  await dialog.getByLabel('Replace with').fill('file 228')
  await dialog.getByText("2 names can't be used.").waitFor()
  t.equal(await dialog.getByRole('row').count(), 201, 'the head, and 200 names')
  t.same((await previewed(dialog)).slice(0, 3), ['file 228.txt', 'file 228.txt', 'file 000.txt'])
  await dialog.getByText('and 30 more').waitFor()
  const box = dialog.getByRole('region', { name: 'Preview' })
  await box.focus()
  await page.keyboard.press('End')
  await page.waitForFunction(() => (document.querySelector('[role=dialog] section')?.scrollTop ?? 0) > 0)
})

t.test('renaming many needs the permission to rename, and the date taken that to download', async (t) => {
  const { page } = await start(t, { 'a.jpg': await photo('2024:05:01 23:30:00'), 'b.txt': '' })
  const his = await signInAs(t, page, { perm: { rename: true } })
  const dialog = await open(his, 2)
  await dialog.getByLabel('Change', { exact: true }).selectOption('date')
  t.same(await dialog.getByLabel('Date', { exact: true }).locator('option').allInnerTexts(), [
    'Last modified',
  ])
  await his.keyboard.press('Escape')
  await dialog.waitFor(gone)
  const viewer = await signInAs(t, page, { username: 'eve', perm: { download: true } })
  await viewer.getByRole('grid').press('Control+a')
  await viewer.getByRole('toolbar').getByRole('button', { name: 'Download' }).waitFor()
  t.equal(await viewer.getByRole('toolbar').getByRole('button', { name: 'Rename…' }).count(), 0)
  await viewer.keyboard.press('F2')
  t.equal(await viewer.getByRole('dialog', { name: /^Rename \d/ }).count(), 0)
})

t.test('renaming many fits on a phone, from right to left', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const long = `${'a long name '.repeat(15)}.txt`
  const { page, root } = await start(t, { [long]: '', 'b.txt': '' }, { ...phone, locale: 'ar' })
  await page.getByRole('grid').press('Control+a')
  await page.keyboard.press('F2')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('row').nth(2).waitFor()
  await dialog.getByRole('combobox').first().selectOption('number')
  await dialog.getByRole('textbox').first().fill('n')
  t.equal(await page.getAttribute('html', 'dir'), 'rtl')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await settle(page)
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.locator('button[type=submit]').tap()
  await dialog.waitFor(gone)
  t.same(names(root), ['n01.txt', 'n02.txt'])
})

t.test('dates and patterns that cannot be loaded are reported', async (t) => {
  const { page } = await start(t, { 'a.jpg': await photo('2024:05:01 23:30:00'), 'b.txt': '' })
  const dialog = await open(page, 2)
  const alert = page.getByRole('alert')
  await page.route('**/later-patterns*', (route) => route.abort())
  await dialog.getByLabel('Find').fill('a')
  await dialog.getByLabel('Regular expression').check()
  await alert.getByText("Can't reach the server.").waitFor()
  await dialog.getByText('No name changes.').waitFor()
  await dialog.getByLabel('Regular expression').uncheck()
  await dialog.getByLabel('Change', { exact: true }).selectOption('date')
  const slow = await delayResponses(page, '**/api/metadata/?fields=taken')
  await dialog.getByLabel('Date', { exact: true }).selectOption('taken')
  await dialog.getByText('Reading the dates…').waitFor()
  t.ok(await rename(dialog).isDisabled())
  await slow.waitForCalls()
  slow.release()
  await dialog.getByText('1 item has no date taken').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor(gone)
  await page.unroute('**/api/metadata/?fields=taken')
  await page.route('**/api/metadata/?fields=taken', (route) =>
    route.fulfill({ status: 500, json: { code: 'disk.failed' } }),
  )
  const again = await open(page, 2)
  await again.getByLabel('Change', { exact: true }).selectOption('date')
  await again.getByLabel('Date', { exact: true }).selectOption('taken')
  await alert.getByText("The server's disk reported an error.").waitFor()
  await again.getByText('2 items have no date taken').waitFor()
  t.ok(await rename(again).isEnabled(), 'the dates of the last change are used')
})
