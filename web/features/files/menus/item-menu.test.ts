import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test('a right click opens the menu of an item, and so do keys', async (t) => {
  const { page } = await start(t, { 'a.txt': 'hello', 'b.txt': '' })
  await itemNamed(page, 'a.txt').click({ button: 'right' })
  const menu = page.getByRole('menu')
  await menu.waitFor()
  t.same(await selectedNames(page), ['a.txt'])
  t.same(await violations(page, '[data-part=menu]'), [])
  await page.keyboard.press('Escape')
  await menu.waitFor(settled)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+F10')
  await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await menu.getByRole('menuitem', { name: 'Info' }).click()
  await page.getByRole('dialog').getByText('b.txt', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor(settled)
  t.same(await selectedNames(page), ['b.txt'])
})

t.test('Info shows size and place, and a checksum on request', async (t) => {
  const { page } = await start(t, { folder: { a: {}, 'b.txt': '', 'c.txt': '' }, 'hello.txt': 'hello\n' })
  await itemNamed(page, 'hello.txt').click()
  await page.getByRole('button', { name: 'Info' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('6 bytes').waitFor()
  await dialog.getByRole('button', { name: 'Show SHA-1', exact: true }).click()
  await dialog.getByText('f572d396fae9206628714fb2ce00f72e94f2258f').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor(settled)
  await itemNamed(page, 'folder').click()
  await page.keyboard.press('Control+i')
  await dialog.getByText('1 folder, 2 files').waitFor()
})

t.test('F1 shows the keyboard shortcuts', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await page.getByRole('button', { name: 'Info' }).waitFor()
  await page.keyboard.press('F1')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
})

t.test('a menu that is higher than the window scrolls', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, { viewport: { width: 800, height: 420 } })
  await page.getByRole('button', { name: 'More' }).waitFor()
  await page.getByRole('grid').click({ button: 'right', position: { x: 300, y: 200 } })
  const last = page.getByRole('menuitem').last()
  await last.waitFor()
  await page.keyboard.press('End')
  await last.and(page.locator(':focus')).waitFor()
  const [box, item] = await Promise.all([page.locator('[data-part=menu]').boundingBox(), last.boundingBox()])
  t.ok(box && item && item.y + item.height <= box.y + box.height)
})
