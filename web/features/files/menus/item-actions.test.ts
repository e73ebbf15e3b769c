import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import {
  closeBrowser,
  downloadedBytes,
  itemNamed,
  selectedNames,
  start,
  violations,
  visibleNames,
} from '#web/testing/browser.ts'
import { confirmDeletion } from '#web/testing/dialogs.ts'
import { noticed } from '#web/testing/notices.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test(
  'F2 renames the selected item, selects its name without extension, and explains a taken name',
  async (t) => {
    const { page, root } = await start(t, { 'a b#?.txt': 'a', 'taken.txt': 'b' })
    await itemNamed(page, 'a b#?.txt').click()
    await page.getByRole('button', { name: 'Rename' }).waitFor()
    await page.keyboard.press('F2')
    const name = page.getByRole('grid').getByLabel('New name')
    await name.waitFor()
    t.equal(
      await name.evaluate((one: HTMLInputElement) => one.value.slice(0, one.selectionEnd ?? 0)),
      'a b#?',
    )
    await name.fill('taken.txt')
    await page.getByText('An item with this name already exists.').waitFor()
    await page.keyboard.press('Enter')
    t.same(await violations(page, '[role=grid]'), [])
    await name.fill('  new "name" 100%.txt ')
    await page.keyboard.press('Enter')
    await name.waitFor(settled)
    await itemNamed(page, 'new "name" 100%.txt').waitFor()
    t.same(await selectedNames(page), ['new "name" 100%.txt'])
    t.equal(await readFile(path.join(root, 'new "name" 100%.txt'), 'utf8'), 'a')
    t.equal(await readFile(path.join(root, 'taken.txt'), 'utf8'), 'b')
  },
)

t.test('Delete moves items to the trash, folders with everything in them, without a question', async (t) => {
  const { page, root } = await start(t, { folder: { 'in.txt': '' }, 'a.txt': '', 'b.txt': '' })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'folder').click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.keyboard.press('Delete')
  await itemNamed(page, 'folder').waitFor(settled)
  t.equal(await page.getByRole('dialog').count(), 0)
  t.same(await visibleNames(page), ['b.txt'])
  t.notOk(existsSync(path.join(root, 'folder')))
  await page.locator('[data-key=change]').getByRole('button', { name: 'Undo' }).click()
  await itemNamed(page, 'folder').waitFor()
  t.ok(existsSync(path.join(root, 'folder/in.txt')))
})

t.test('Delete asks first if the user wants that', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' }, { path: '/settings/profile' })
  await page.getByLabel('Ask before moving items to the trash').check()
  await saveButton(page).click()
  await noticed(page, 'Settings updated!')
  await page.getByRole('link', { name: 'My files' }).first().click()
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.keyboard.press('Delete')
  await page.getByText('2 items will be moved to the trash.').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor(settled)
  t.same(await selectedNames(page), ['a.txt', 'b.txt'], 'closing the dialog changes nothing')
  await page.keyboard.press('Delete')
  await confirmDeletion(page)
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.same(await visibleNames(page), ['c.txt'])
})

t.test('several items are downloaded as one archive in the selected format', async (t) => {
  const { page } = await start(t, { folder: { 'in.txt': 'in' }, 'a, b.txt': 'a', 'c.txt': 'c' })
  await itemNamed(page, 'a, b.txt').click()
  await itemNamed(page, 'c.txt').click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Download' }).click()
  t.same(await violations(page, '[role=dialog]'), [])
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: '.zip' }).click()
  const zip = (await downloadedBytes(await downloadEvent)).toString('latin1')
  t.match(zip, /^PK/)
  t.match(zip, 'a, b.txt')
  t.match(zip, 'c.txt')
  t.notMatch(zip, 'in.txt')
  await itemNamed(page, 'folder').click()
  await page.keyboard.press('Control+s')
  const second = page.waitForEvent('download')
  await page.getByRole('button', { name: '.tar.gz' }).click()
  t.equal((await second).suggestedFilename(), 'folder.tar.gz')
})

t.test('a selection of any length can be downloaded', async (t) => {
  const names = Array.from({ length: 400 }, (_, n) => `Отчёт о поездке номер ${n}.txt`)
  const { page } = await start(t, Object.fromEntries(names.map((name) => [name, name])))
  await itemNamed(page, names[0] as string).click()
  await page.keyboard.press('Control+a')
  await itemNamed(page, names[0] as string).click({ modifiers: ['Control'] })
  await page.getByRole('button', { name: 'Download' }).click()
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: '.tar', exact: true }).click()
  const download = await downloadEvent
  t.equal(await download.failure(), null)
  const tar = (await downloadedBytes(download)).toString()
  t.match(tar, names[399])
  t.notMatch(tar, names[0])
})

t.test('on phones, the likeliest actions are above the list, and all of them in the menu More', async (t) => {
  const options = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '' }, options)
  await itemNamed(page, 'a.txt').locator('[data-check]').tap()
  await page.locator('[data-part=selection]').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('New name').fill('c.txt')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await itemNamed(page, 'c.txt').waitFor()
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Delete' }).click()
  await itemNamed(page, 'c.txt').waitFor(settled)
  await stat(path.join(root, 'b.txt'))
})
