import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('the notice about a move shows the moved items in their new folder', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', Letters: { 'z.txt': '' } })
  await page.getByRole('button', { name: 'Info' }).waitFor()
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'Letters' }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  const notice = page.locator('[data-key=change]')
  await notice.getByRole('button', { name: 'Undo' }).waitFor()
  await notice.getByRole('button', { name: 'Show' }).click()
  await itemNamed(page, 'z.txt').waitFor()
  await itemNamed(page, 'a.txt').and(page.locator('[aria-selected=true]')).waitFor()
  t.same(await selectedNames(page), ['a.txt', 'b.txt'])
  t.equal(new URL(page.url()).pathname, '/files/Letters/')
})

t.test('a notice about items in the shown folder offers only Undo', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await page.getByRole('button', { name: 'Info' }).waitFor()
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+d')
  const notice = page.locator('[data-key=change]')
  await notice.getByRole('button', { name: 'Undo' }).waitFor()
  t.equal(await notice.getByRole('button', { name: 'Show' }).count(), 0)
})
