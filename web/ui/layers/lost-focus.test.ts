import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { startVisits } from '#web/testing/visitor.ts'

t.teardown(closeBrowser)
const visit = startVisits(t)

/** Waits until the element has the focus. */
const focused = (page: Page, role: 'grid' | 'heading' | 'textbox', name: string) =>
  page.getByRole(role, { name, exact: true }).and(page.locator(':focus')).waitFor()

t.test('after Undo in the menu More, the list has the focus', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Delete')
  await itemNamed(page, 'a.txt').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More' }).press('Enter')
  await page.getByRole('menuitem', { name: 'Undo' }).press('Enter')
  await itemNamed(page, 'a.txt').waitFor()
  await focused(page, 'grid', 'Files')
  t.pass('the list has the focus')
})

t.test('the name of a new user has the focus, and after saving the heading', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/users' })
  await page.getByRole('main').getByRole('button', { name: 'New' }).press('Enter')
  await focused(page, 'textbox', 'Username')
  await page.keyboard.type('bob')
  await page.getByLabel('Password', { exact: true }).fill('some other long passphrase')
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await noticed(page, 'User created!')
  await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
  await focused(page, 'heading', 'User management')
  t.pass('the heading has the focus')
})

t.test('a page of the settings gets the focus on its heading when it is opened', async (t) => {
  const { page } = await start(t, {})
  await chooseAccount(page, 'Profile settings')
  await focused(page, 'heading', 'Profile settings')
  await page.goBack()
  await focused(page, 'heading', 'This folder is empty')
  t.pass('and back in the folder, its message')
})

t.test('on a phone, a page of the settings gets the focus on its heading, too', async (t) => {
  const options = { path: '/settings', viewport: { width: 390, height: 700 }, hasTouch: true }
  const { page } = await start(t, {}, options)
  await page.getByRole('main').getByRole('link', { name: 'Shared links' }).tap()
  await focused(page, 'heading', 'Shared links')
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).tap()
  await focused(page, 'heading', 'Settings')
  t.pass('and so does the list of the pages')
})

t.test('after the password of a share, its list has the focus, or the heading of a file', async (t) => {
  for (const [shared, role, name] of [
    ['/docs', 'grid', 'Files'],
    ['/a b#?.txt', 'heading', 'a b#?.txt'],
  ] as const) {
    const { page } = await visit(t, shared, { password: 'open sesame' })
    await page.getByLabel('Password').fill('open sesame')
    await page.keyboard.press('Enter')
    await focused(page, role, name)
    t.pass(shared)
  }
})
