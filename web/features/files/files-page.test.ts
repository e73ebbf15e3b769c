import type { Locator } from 'playwright-core'
import t from 'tap'
import {
  closeBrowser,
  currentName,
  itemNamed,
  selectedNames,
  start,
  visibleNames,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const hostile = [
  'a b#?%.txt',
  '"double" \'single\'.txt',
  '<img src=x onerror=alert(1)>.txt',
  '🎉 party.txt',
  'مرحبا بالعالم.txt',
  '%2e%2e%2f.txt',
  '&amp;.txt',
  `${'long-'.repeat(40)}end.txt`,
  ' leading and trailing .txt ',
]

t.test('a column header sorts, a second press reverses the order, and the order is saved', async (t) => {
  const { page } = await start(t, {
    'big.txt': 'x'.repeat(3000),
    'mid.txt': 'x'.repeat(200),
    'tiny.txt': 'x',
  })
  const sorted = (wanted: string) => page.locator(`[data-index="0"]`).filter({ hasText: wanted }).waitFor()
  await page.getByRole('button', { name: 'Size' }).click()
  await sorted('tiny.txt')
  t.equal(await page.getByRole('columnheader', { name: 'Size' }).getAttribute('aria-sort'), 'ascending')
  await page.getByRole('button', { name: 'Size' }).click()
  await sorted('big.txt')
  await page.reload()
  await sorted('big.txt')
  t.same(await visibleNames(page), ['big.txt', 'mid.txt', 'tiny.txt'])
  await page.getByRole('button', { name: 'Name' }).click()
  await page.getByRole('button', { name: 'Name' }).click()
  await sorted('tiny.txt')
  t.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'descending')
})

t.test('a folder opens by double click and Enter, and its parents by breadcrumb', async (t) => {
  const { page } = await start(t, { one: { two: { three: { four: { 'deep.txt': '' } } } } })
  await page.getByRole('link', { name: 'one' }).dblclick()
  await itemNamed(page, 'two').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'three').waitFor()
  await itemNamed(page, 'three').dblclick()
  await itemNamed(page, 'four').dblclick()
  await itemNamed(page, 'deep.txt').waitFor()
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  t.same(await crumbs.getByRole('link').allInnerTexts(), ['', 'one', 'two', 'three', 'four'])
  await crumbs.getByRole('link', { name: 'two' }).click()
  await itemNamed(page, 'three').waitFor()
  t.match(page.url(), /\/files\/one\/two\/$/)
  t.equal(await page.title(), 'two – Coffer')
})

t.test('the list can be used with the keyboard alone', async (t) => {
  const files = Object.fromEntries(['alpha', 'beta', 'bravo', 'gamma'].map((name) => [`${name}.txt`, name]))
  const { page } = await start(t, { ...files, docs: { 'inside.txt': '' } })
  await page.getByRole('grid').waitFor()
  await page.keyboard.press('End')
  t.same(await selectedNames(page), ['gamma.txt'])
  await page.keyboard.press('Home')
  t.same(await selectedNames(page), ['docs'])
  await page.keyboard.press('Shift+ArrowDown')
  t.same(await selectedNames(page), ['docs', 'alpha.txt'])
  await page.keyboard.press('Escape')
  t.same(await selectedNames(page), [])
  await page.keyboard.type('br')
  t.same(await selectedNames(page), ['bravo.txt'])
  await page.keyboard.press('Control+ArrowUp')
  await page.keyboard.press('Control+Space')
  t.same(await selectedNames(page), ['beta.txt', 'bravo.txt'])
  await page.keyboard.press('Control+a')
  t.equal((await selectedNames(page)).length, 5)
  t.match(await page.locator('main').getByRole('status').first().textContent(), '5 of 5 selected')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'inside.txt').waitFor()
  await page.keyboard.press('Backspace')
  await itemNamed(page, 'docs').waitFor()
  t.equal(await currentName(page), 'docs', 'the cursor is on the folder that was left')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'inside.txt').waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await itemNamed(page, 'docs').waitFor()
})

t.test(
  'a click selects one item, Ctrl adds, Shift selects a range, a click beside the items clears',
  async (t) => {
    const { page } = await start(t, { a: '', b: '', c: '', d: '' })
    await itemNamed(page, 'a').click()
    await itemNamed(page, 'c').click()
    t.same(await selectedNames(page), ['c'])
    await itemNamed(page, 'a').click({ modifiers: ['Control'] })
    t.same(await selectedNames(page), ['a', 'c'])
    await itemNamed(page, 'd').click({ modifiers: ['Shift'] })
    t.same(await selectedNames(page), ['a', 'b', 'c', 'd'])
    const box = await page.getByRole('grid').boundingBox()
    await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + (box?.height ?? 0) - 20)
    t.same(await selectedNames(page), [])
  },
)

t.test('an empty folder shows a message and upload buttons', async (t) => {
  const { page } = await start(t, {})
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  t.equal(await page.getByRole('main').getByRole('button', { name: 'Upload files' }).count(), 1)
})

t.test('an empty folder has the focus like a list, whether it was opened, emptied or made', async (t) => {
  const { page } = await start(t, { empty: {} })
  const message = page.getByRole('heading', { name: 'This folder is empty' })
  const isFocused = (element: Locator) => element.and(page.locator(':focus')).waitFor()
  await itemNamed(page, 'empty').click()
  await page.keyboard.press('Enter')
  await isFocused(message)
  const make = async (name: string) => {
    await page.keyboard.press('Shift+N')
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.keyboard.press('Enter')
    await itemNamed(page, name).waitFor()
    await isFocused(page.getByRole('grid'))
  }
  await make('inner')
  await page.keyboard.press('Enter')
  await isFocused(message)
  await page.keyboard.press('Alt+ArrowUp')
  await isFocused(page.getByRole('grid'))
  await make('second')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await isFocused(message)
  await page.keyboard.press('Tab')
  await isFocused(page.getByRole('main').getByRole('button', { name: 'Upload files' }))
})

t.test('shows any name unchanged, opens it, and finds it after a reload', async (t) => {
  const { page } = await start(t, Object.fromEntries(hostile.map((name) => [name, `this is ${name}`])))
  await page.getByRole('grid').waitFor()
  t.same((await visibleNames(page)).toSorted(), hostile.toSorted())
  for (const name of hostile) {
    await itemNamed(page, name).dblclick()
    await page.getByRole('textbox', { name }).getByText(`this is ${name}`).waitFor()
    await page.reload()
    await page.getByRole('textbox', { name }).getByText(`this is ${name}`).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await itemNamed(page, name).waitFor()
  }
})

t.test('the mosaic shows the same items as cards, and the view is saved', async (t) => {
  const { page } = await start(t, { folder: {}, 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '' })
  const saved = page.waitForResponse('**/api/users/*')
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
  t.same(await visibleNames(page), ['folder', 'a.txt', 'b.txt', 'c.txt', 'd.txt'])
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('ArrowRight')
  t.same(await selectedNames(page), ['b.txt'])
  await saved
  await page.reload()
  await page.locator('[data-part=card]').first().waitFor()
  t.same(await visibleNames(page), ['folder', 'a.txt', 'b.txt', 'c.txt', 'd.txt'])
})

t.test('returning to a long folder restores the scroll position', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`dir ${n}`, {}]))
  const { page } = await start(t, many)
  await page.getByRole('grid').waitFor()
  await page.keyboard.type('dir 250')
  await page.keyboard.press('Enter')
  await page.getByText('This folder is empty').waitFor()
  await page.goBack()
  await itemNamed(page, 'dir 250').waitFor()
  t.ok(await itemNamed(page, 'dir 250').evaluate((row) => row.getBoundingClientRect().top < innerHeight))
})

t.test('any change of route clears the selection: Home, Back and closing a file', async (t) => {
  const { page } = await start(
    t,
    { docs: { 'a.txt': 'a', 'b.txt': 'b' }, 'c.txt': 'c' },
    { path: '/files/docs/' },
  )
  await itemNamed(page, 'a.txt').click()
  t.same(await selectedNames(page), ['a.txt'])
  await page.getByRole('complementary').getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'docs').waitFor()
  t.same(await selectedNames(page), [])
  t.equal(await currentName(page), 'docs', 'the cursor is on the folder that was left')
  await itemNamed(page, 'c.txt').click()
  await page.goBack()
  await itemNamed(page, 'a.txt').waitFor()
  t.same(await selectedNames(page), [])
  await itemNamed(page, 'b.txt').click()
  await page.keyboard.press('Enter')
  await page.getByRole('main', { name: 'b.txt' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('main', { name: 'b.txt' }).waitFor({ state: 'detached' })
  t.same(await selectedNames(page), [])
  t.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
})
