import { readdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { changePreferences, closeBrowser, itemNamed, selectedNames, start } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

/** The names in a folder, without our own hidden folders. */
const names = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort()

/** The text field of a name in the list. */
const field = (page: Page) => page.getByRole('grid').getByRole('textbox', { name: 'New name' })

const gridHasFocus = (page: Page) => page.waitForFunction(() => document.activeElement?.role === 'grid')

async function startRename(page: Page, name: string) {
  await itemNamed(page, name).click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).waitFor()
  await page.keyboard.press('F2')
  await field(page).waitFor()
}

t.test('Tab saves a name and goes on with the next item, Shift+Tab with the previous one', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
  await startRename(page, 'a.txt')
  await page.keyboard.type('z')
  await page.keyboard.press('Tab')
  await itemNamed(page, 'z.txt').waitFor()
  await page.waitForFunction(() => document.querySelector('input')?.value === 'b.txt')
  t.same(names(root), ['b.txt', 'c.txt', 'z.txt'])
  await page.keyboard.press('Tab')
  await page.waitForFunction(() => document.querySelector('input')?.value === 'c.txt')
  await page.keyboard.press('Shift+Tab')
  await page.waitForFunction(() => document.querySelector('input')?.value === 'b.txt')
  await page.keyboard.type('lost')
  await page.keyboard.press('Escape')
  await field(page).waitFor(settled)
  await gridHasFocus(page)
  t.same(await selectedNames(page), ['b.txt'])
  t.same(names(root), ['b.txt', 'c.txt', 'z.txt'])
})

t.test('a press elsewhere saves a valid name, and says why another one was not saved', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '' })
  await changePreferences(page, { viewMode: 'mosaic', singleClick: false })
  await startRename(page, 'a.txt')
  await page.keyboard.type('c')
  await itemNamed(page, 'b.txt').click()
  await itemNamed(page, 'c.txt').waitFor()
  t.same(await selectedNames(page), ['b.txt'], 'the new selection stays')
  await page.getByRole('grid').press('F2')
  await page.keyboard.type('c')
  await page.getByText('An item with this name already exists.').waitFor()
  await itemNamed(page, 'c.txt').click()
  await noticed(page, 'An item with this name already exists.')
  t.same(names(root), ['b.txt', 'c.txt'])
})

t.test('the menu starts it, too, and the field closes when the item has gone', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '' })
  await itemNamed(page, 'a.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await field(page).fill('typed')
  await rename(path.join(root, 'a.txt'), path.join(root, 'other.txt'))
  await itemNamed(page, 'other.txt').waitFor()
  await field(page).waitFor(settled)
  await noticed(page, 'no longer exists.')
  await gridHasFocus(page)
})
