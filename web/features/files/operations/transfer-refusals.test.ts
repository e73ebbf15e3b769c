import { existsSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start } from '#web/testing/browser.ts'
import { delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const
const unknown = "This location can't be reached."

t.test('names the items that cannot be moved, and moves the others', async (t) => {
  const files = { 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '', to: {} }
  const { page, root } = await start(t, files)
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'd.txt').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'to' }).click()
  for (const name of ['a.txt', 'c.txt']) await rm(path.join(root, name))
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('alert').getByText('“a.txt” +1:').waitFor()
  t.match(await page.getByRole('alert').textContent(), unknown)
  t.same(await readdir(path.join(root, 'to')), ['b.txt', 'd.txt'])
  await page.context().grantPermissions(['clipboard-write', 'clipboard-read'])
  await page.getByRole('button', { name: 'Copy details' }).click()
  const report = await page.evaluate(() => navigator.clipboard.readText())
  t.match(report, 'A problem with Coffer')
  t.notMatch(report.replace('“a.txt” +1:', ''), 'a.txt', 'the details contain no file name')
})

t.test('cut items are faded and stay cut if pasting fails, and Escape clears them', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '', to: {} })
  const cut = page.locator('[data-cut]')
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Move to…' }).waitFor()
  await page.keyboard.press('Control+x')
  await cut.first().waitFor()
  t.equal(await cut.count(), 2)
  await page.keyboard.press('Escape')
  await cut.first().waitFor(settled)
  await page.getByRole('button', { name: 'Paste' }).waitFor(settled)
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click({ modifiers: ['Shift'] })
  await page.keyboard.press('Control+x')
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card][data-cut]').first().waitFor()
  await itemNamed(page, 'to').dblclick()
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  await rm(path.join(root, 'b.txt'))
  await page.getByRole('button', { name: 'Paste' }).click()
  await page.getByRole('alert').getByText('“b.txt”:').waitFor()
  await itemNamed(page, 'a.txt').waitFor()
  t.same(await selectedNames(page), ['a.txt'], 'the pasted item is selected')
  await writeFile(path.join(root, 'b.txt'), 'again')
  await page.getByRole('button', { name: 'Paste' }).click()
  await itemNamed(page, 'b.txt').waitFor()
  t.notOk(existsSync(path.join(root, 'b.txt')), 'the remaining item could be pasted again')
  await page.getByRole('button', { name: 'Paste' }).waitFor(settled)
})

t.test('selects copied items also under new names', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', other: '' })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click({ modifiers: ['Shift'] })
  await page.getByRole('button', { name: 'Move to…' }).waitFor()
  await page.keyboard.press('Control+d')
  await itemNamed(page, 'b (1).txt').and(page.locator('[aria-selected=true]')).waitFor()
  t.same(await selectedNames(page), ['a (1).txt', 'b (1).txt'])
})

t.test('a file that cannot be deleted stays open', async (t) => {
  const { page, root } = await start(t, { 'a.bin': '\0\0\0\0', 'b.bin': '\0' })
  await itemNamed(page, 'a.bin').dblclick()
  const open = page.getByRole('main', { name: 'a.bin' })
  const remove = open.getByRole('button', { name: 'Delete' })
  const keeping = await delayResponses(page, '**/api/keeping/**')
  await remove.click()
  await keeping.waitForCalls()
  await rm(path.join(root, 'a.bin'))
  keeping.release()
  await page.getByRole('alert').getByText('“a.bin”:').waitFor()
  t.ok(await open.isVisible())
  await writeFile(path.join(root, 'a.bin'), 'here again')
  await remove.click()
  await open.waitFor(settled)
  t.same(await readdir(root), ['b.bin'])
})
