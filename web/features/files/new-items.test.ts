import { existsSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import {
  changePreferences,
  closeBrowser,
  currentName,
  itemNamed,
  selectedNames,
  signInAs,
  start,
  violations,
} from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { chooseNew } from '#web/testing/places.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test(
  'on pages without a folder, New folder and New file ask for the place, starting at home',
  async (t) => {
    const { page, root, address } = await start(t, { docs: { deep: {} } }, { path: '/settings/profile' })
    await chooseNew(page, 'New file')
    const dialog = page.getByRole('dialog', { name: 'New file' })
    await dialog.getByRole('treeitem', { name: 'My files', selected: true }).waitFor()
    await dialog.getByRole('treeitem', { name: 'docs' }).waitFor()
    t.ok(await dialog.getByLabel('Name').evaluate((one) => one === document.activeElement))
    t.same(await violations(page, '[role=dialog]'), [])
    await dialog.getByRole('treeitem', { name: 'docs' }).click()
    await dialog.getByLabel('Name').fill('note.txt')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/files/docs/note.txt')
    t.ok(existsSync(path.join(root, 'docs/note.txt')))

    for (const at of ['/settings/users', '/403', '/files/not-there/']) {
      await page.goto(address + at)
      await chooseNew(page, 'New folder')
      const dialog = page.getByRole('dialog', { name: 'New folder' })
      await dialog.getByRole('treeitem', { name: 'docs' }).waitFor()
      const name = `made at ${at.replaceAll('/', ' ').trim()}`
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByRole('button', { name: 'Create' }).click()
      await page.waitForURL('**/files/')
      await itemNamed(page, name).waitFor()
      t.ok(existsSync(path.join(root, name)), at)
    }
  },
)

t.test('the dialog explains an error and stays open', async (t) => {
  const { page } = await start(t, { docs: { taken: {} } }, { path: '/settings/profile' })
  await chooseNew(page, 'New folder')
  const dialog = page.getByRole('dialog', { name: 'New folder' })
  await dialog.getByLabel('Name').fill('docs')
  await page.keyboard.press('Enter')
  // A folder that exists is not an error: it is selected like a new one.
  await page.waitForURL('**/files/')
  await itemNamed(page, 'docs').waitFor()
  await page.goto(new URL('/settings/profile', page.url()).href)
  await chooseNew(page, 'New file')
  const second = page.getByRole('dialog', { name: 'New file' })
  await second.getByRole('treeitem', { name: 'docs' }).click()
  await second.getByLabel('Name').fill('taken')
  await page.keyboard.press('Enter')
  await second.getByText('An item with this name already exists.').waitFor()
  await second.getByRole('treeitem', { name: 'My files' }).click()
  await second.getByText('An item with this name already exists.').waitFor(settled)
  await page.keyboard.press('Escape')
  await second.waitFor(settled)
  t.match(page.url(), /settings\/profile$/)
})

t.test('without the permission to create, no page offers New folder or New file', async (t) => {
  const { page: admin } = await start(t, { 'a.txt': '' })
  const page = await signInAs(t, admin, { perm: { download: true } }, '/settings/profile')
  await page.getByRole('heading', { name: 'Language' }).waitFor()
  t.equal(await page.getByRole('button', { name: /^New( folder| file)?$/ }).count(), 0)
})

t.test('selects a new folder, and opens it if the user settings say so', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  const make = async (name: string) => {
    await chooseNew(page, 'New folder')
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.keyboard.press('Enter')
  }
  await itemNamed(page, 'a.txt').waitFor()
  await make('  second & "quoted" #1 ')
  await itemNamed(page, 'second & "quoted" #1').waitFor()
  t.same(await selectedNames(page), ['second & "quoted" #1'])
  t.match(page.url(), /\/files\/$/)

  await page.goto(new URL('/settings/profile', page.url()).href)
  const setting = page.getByLabel('Open the destination folder after creating, moving or copying')
  await setting.check()
  await saveButton(page).click()
  await noticed(page, 'Settings updated!')
  await page.getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'a.txt').waitFor()
  await make('first')
  await page.waitForURL('**/files/first/')
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()

  await page.goto(new URL('/settings/profile', page.url()).href)
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').getByLabel('Name').fill('third')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/files/third/')
})

t.test(
  'stays in the folder after a copy or move, and opens the destination if the user wants that',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'a', more: {}, to: { 'aa.txt': '', 'zz.txt': '' } })
    const send = async (name: string, how: 'Move' | 'Copy') => {
      await itemNamed(page, name).click()
      await page
        .getByRole('toolbar')
        .getByRole('button', { name: `${how} to…` })
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('treeitem', { name: 'to' }).click()
      await dialog.getByRole('button', { name: how, exact: true }).click()
      await dialog.waitFor(settled)
    }
    await send('more', 'Move')
    await itemNamed(page, 'more').waitFor(settled)
    await send('a.txt', 'Copy')
    await noticed(page, 'Copied ')
    t.match(page.url(), /\/files\/$/)
    t.ok(existsSync(path.join(root, 'to/more')) && existsSync(path.join(root, 'to/a.txt')))
    await unlink(path.join(root, 'to/a.txt'))

    await changePreferences(page, { redirectAfterCopyMove: true })
    await send('a.txt', 'Move')
    await page.waitForURL('**/files/to/')
    await itemNamed(page, 'a.txt').waitFor()
    t.equal(await currentName(page), 'a.txt', 'the cursor is on the new item')
    t.same(await selectedNames(page), [], 'a change of route clears the selection')
  },
)
