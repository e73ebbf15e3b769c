import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { closeBrowser, openPage, serve, signIn, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const scope = (page: Page) => page.getByLabel('Home folder', { exact: true })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Choose folder' })
const files = { team: { anna: {}, bert: {}, 'notes.txt': 'x' }, 'zoo.txt': 'x' }

async function newUser(t: Test) {
  const root = t.testdir(files)
  const page = await openPage(t)
  await signIn(page, await serve(t, root), '/settings/users/new')
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill('bob has a long passphrase')
  return { page, root }
}

t.test('a typed home folder is checked: it exists, is created, or is no folder', async (t) => {
  const { page } = await newUser(t)
  for (const [path, text] of [
    ['/team', 'This folder exists.'],
    ['team/new', 'This folder does not exist yet. It will be created.'],
    ['/', 'The whole served folder, with the files of all users.'],
  ] as const) {
    await scope(page).fill(path)
    await page.getByRole('status').getByText(text, { exact: true }).waitFor()
  }
  await scope(page).fill('/zoo.txt')
  await page.getByRole('alert').getByText('There is a file at this path. Choose a folder.').waitFor()
  t.equal(await scope(page).getAttribute('aria-invalid'), 'true')
  t.same(await violations(page), [])
})

t.test('a home folder is picked with the keyboard, with a new folder', async (t) => {
  const { page, root } = await newUser(t)
  await scope(page).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('treeitem', { name: 'team' }).waitFor()
  t.same(await violations(page), [])
  await page.keyboard.press('t')
  await page.keyboard.press('ArrowRight')
  await dialog(page).getByRole('treeitem', { name: 'bert' }).waitFor()
  await dialog(page).getByRole('button', { name: 'New folder' }).press('Enter')
  await page.keyboard.type('bob')
  await page.keyboard.press('Enter')
  await dialog(page).getByRole('treeitem', { name: 'bob', selected: true }).waitFor()
  await dialog(page).getByRole('button', { name: 'Choose', exact: true }).press('Enter')
  await dialog(page).waitFor({ state: 'detached' })
  t.equal(await scope(page).inputValue(), '/team/bob')
  await page
    .locator(':focus')
    .and(page.getByRole('button', { name: 'Choose folder' }))
    .waitFor()
  t.notOk((await readdir(join(root, 'team'))).includes('bob'), 'a form that is not saved leaves nothing')
  await page.getByText('It will be created.').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'User created!')
  t.equal(await scope(page).inputValue(), '/team/bob')
})

t.test('the picker opens at the typed folder, and Escape keeps the path', async (t) => {
  const { page, root } = await newUser(t)
  await mkdir(join(root, 'team/anna/deep'))
  await writeFile(join(root, 'team/anna/deep/x.txt'), 'x')
  await scope(page).fill('/team/anna/deep')
  await page.getByText('This folder exists.').waitFor()
  await page.getByRole('button', { name: 'Choose folder' }).click()
  await dialog(page).getByRole('treeitem', { name: 'deep', selected: true }).waitFor()
  await page.keyboard.press('Escape')
  await dialog(page).waitFor({ state: 'detached' })
  t.equal(await scope(page).inputValue(), '/team/anna/deep')
})

t.test('with home folders, a new user gets one unless another folder is chosen', async (t) => {
  const { page, address } = await start(t, files, { path: '/settings/global' })
  await page.getByLabel('Create a home folder for each new user').check()
  await page.getByLabel('Parent folder for home folders').fill('/homes')
  await page.getByText('It will be created.').waitFor()
  await page.locator('[data-part=save-bar] button[type=submit]').click()
  await noticed(page, 'Settings updated!')
  await page.goto(`${address}/settings/users/new`)
  await page.getByText('A home folder with the name of the user is created.').waitFor()
  await scope(page).fill('/team')
  await page.getByText('This folder exists.').waitFor()
})
