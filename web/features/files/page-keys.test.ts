import { existsSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import {
  closeBrowser,
  currentName,
  itemNamed,
  openPage,
  selectedNames,
  serve,
  start,
  testUser,
  visibleNames,
} from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test('a key that is pressed before its action has loaded waits for it', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': '' })
  await page.getByRole('button', { name: 'More' }).waitFor()
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(/\/later-views-\w+\.js$/, async (route) => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  await page.reload()
  await itemNamed(page, 'a.txt').click()
  await asked.promise
  await page.keyboard.press('Shift+Delete')
  t.equal(await page.getByRole('dialog').count(), 0)
  released.resolve()
  await page.getByRole('dialog').getByText('“a.txt”').waitFor()
})

t.test('input fields and input methods take precedence over page keys', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': '' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Rename' }).waitFor()
  await page.keyboard.press('F2')
  const name = page.getByRole('grid').getByLabel('New name')
  await name.waitFor()
  await page.keyboard.press('Delete')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+x')
  t.equal(await name.inputValue(), '')
  t.equal(await page.getByRole('dialog').count(), 0)
  await page.keyboard.press('Escape')
  await name.waitFor(settled)
  t.same(await selectedNames(page), ['a.txt'], 'the first Escape only closes the field')
  await page.getByRole('grid').evaluate((grid) => {
    const init = { key: 'Delete', shiftKey: true, bubbles: true, cancelable: true, isComposing: true }
    grid.dispatchEvent(new KeyboardEvent('keydown', init))
  })
  t.equal(await page.getByRole('dialog').count(), 0)
  await page.getByRole('button', { name: 'Clear selection' }).focus()
  await page.keyboard.press('Escape')
  t.same(await selectedNames(page), [], 'independent of the focus')
})

t.test('Ctrl+D duplicates the selected item', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Rename' }).waitFor()
  await page.keyboard.press('Control+d')
  await itemNamed(page, 'a (1).txt').waitFor()
  t.ok(existsSync(path.join(root, 'a (1).txt')))
})

t.test(
  'keeps the cursor after a file is closed, and restores it when the user returns to a folder',
  async (t) => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`f${1000 + n}.txt`, '']))
    const { page } = await start(t, { one: { deep: {}, ...many } })
    await itemNamed(page, 'one').dblclick()
    await itemNamed(page, 'deep').waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Close' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Close' }).waitFor(settled)
    await page.keyboard.press('ArrowUp')
    t.same(await selectedNames(page), ['f1119.txt'], 'the first arrow key selects the item at the cursor')
    await page.keyboard.press('ArrowUp')
    t.same(await selectedNames(page), ['f1118.txt'])
    await page.getByRole('complementary').getByRole('link', { name: 'My files' }).click()
    await itemNamed(page, 'one').waitFor()
    await chooseAccount(page, 'Profile settings')
    await page.getByRole('heading', { name: 'Language' }).waitFor()
    await page.goBack()
    await itemNamed(page, 'one').waitFor()
    t.same(await selectedNames(page), [], 'leaving the page clears the selection')
    await page.goBack()
    await itemNamed(page, 'f1118.txt').waitFor()
    await page.keyboard.press('ArrowDown')
    t.same(
      await selectedNames(page),
      ['f1118.txt'],
      'the first arrow key selects the item at the restored cursor',
    )
  },
)

t.test('forbidden actions have no button, and their keys show the missing permission', async (t) => {
  const root = t.testdir({ 'a.txt': 'a', folder: {} })
  const address = await serve(t, root)
  const call = (to: string, body: object, token = '') =>
    fetch(`${address}/api/${to}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
      body: JSON.stringify(body),
    })
  const token = await (await call('login', { username: testUser.name, password: testUser.password })).text()
  const data = { username: 'guest', password: 'a guest of this house', perm: { execute: false } }
  t.equal((await call('users', { what: 'user', which: [], data }, token)).status, 201)
  const page = await openPage(t)
  await page.goto(address)
  await page.getByLabel('Username').fill('guest')
  await page.getByLabel('Password').fill('a guest of this house')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Info' }).waitFor()
  for (const label of ['Delete', 'Rename', 'Move to…', 'Copy to…', 'Download', 'Share', 'New']) {
    t.equal(await page.getByRole('button', { name: label, exact: true }).count(), 0, label)
  }
  for (const [key, label] of [
    ['Delete', 'Delete'],
    ['F2', 'Rename'],
    ['Control+s', 'Download'],
    ['Control+x', 'Cut'],
  ] as const) {
    await page.keyboard.press(key)
    await page
      .getByRole('alert')
      .filter({ hasText: `You don't have permission for this: ${label}` })
      .waitFor()
  }
  await page.getByRole('link', { name: 'a.txt' }).dragTo(itemNamed(page, 'folder'))
  t.same(await visibleNames(page), ['folder', 'a.txt'])
})

t.test('a right click beside the items opens the menu of the folder, even if it is empty', async (t) => {
  const { page } = await start(t, { empty: {}, 'a.txt': '' })
  await page.getByRole('button', { name: 'More' }).waitFor()
  const grid = page.getByRole('grid')
  await grid.click({ button: 'right', position: { x: 300, y: 400 } })
  await page.getByRole('menuitem', { name: 'New folder' }).waitFor()
  t.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0)
  t.equal(
    await page.getByRole('menuitem', { name: 'Show as list' }).count(),
    0,
    'it is shown as a list already',
  )
  await page.getByRole('menuitem', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
  await grid.click({ button: 'right', position: { x: 300, y: 400 } })
  await page.getByRole('menuitem', { name: 'Sort by size' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor(settled)
  await itemNamed(page, 'empty').dblclick()
  await page.getByText('This folder is empty').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Upload files' }).waitFor()
})

t.test('the menu sorts the cards', async (t) => {
  const { page } = await start(t, { 'a.txt': 'long long', 'b.txt': 'x' })
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Sort by size' }).click()
  await page.locator('[data-index="0"]').filter({ hasText: 'b.txt' }).waitFor()
  t.same(await visibleNames(page), ['b.txt', 'a.txt'])
})

t.test('the keys still work after the pressed button has disappeared', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await itemNamed(page, 'a.txt').waitFor(settled)
  await page.getByRole('dialog').waitFor(settled)
  await page.keyboard.press('End')
  t.same(await selectedNames(page), ['c.txt'])
  await page.keyboard.press('Control+a')
  t.same(await selectedNames(page), ['b.txt', 'c.txt'])
})

t.test('Shift with arrow keys, Home and End extends the selection, also with Ctrl', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '', 'e.txt': '' })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+ArrowDown')
  await page.keyboard.press('Control+ArrowDown')
  await page.keyboard.press('Control+Space')
  t.same(await selectedNames(page), ['a.txt', 'c.txt'])
  await page.keyboard.press('Control+Shift+ArrowDown')
  t.same(await selectedNames(page), ['a.txt', 'c.txt', 'd.txt'], 'the selection is kept')
  await page.keyboard.press('Control+Shift+End')
  t.same(await selectedNames(page), ['a.txt', 'c.txt', 'd.txt', 'e.txt'])
  await page.keyboard.press('Shift+Home')
  t.same(await selectedNames(page), ['a.txt', 'b.txt', 'c.txt'])
})

t.test('without a selection, Delete and F2 act on the item at the cursor', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
  await page.getByRole('button', { name: 'More' }).waitFor()
  await page.getByRole('grid').press('ArrowDown')
  await page.keyboard.press('Control+ArrowDown')
  await page.keyboard.press('Escape')
  t.same(await selectedNames(page), [])
  await page.keyboard.press('F2')
  const name = page.getByLabel('New name')
  await name.waitFor()
  t.equal(await name.inputValue(), 'b.txt')
  await page.keyboard.press('Escape')
  await name.waitFor(settled)
  await page.keyboard.press('Escape')
  t.same(await selectedNames(page), [])
  await page.keyboard.press('Delete')
  await itemNamed(page, 'b.txt').waitFor(settled)
  t.same(await visibleNames(page), ['a.txt', 'c.txt'])
})

t.test('after a deletion, the cursor is on the next item that is left', async (t) => {
  const names = ['0.txt', '1.txt', '2.txt', '3.txt', '4.txt']
  const { page } = await start(t, Object.fromEntries(names.map((name) => [name, ''])))
  await itemNamed(page, '0.txt').click()
  await page.getByRole('button', { name: 'Rename' }).waitFor()
  await page.keyboard.press('Shift+ArrowDown')
  await page.keyboard.press('Delete')
  await itemNamed(page, '1.txt').waitFor(settled)
  t.equal(await currentName(page), '2.txt')
})
