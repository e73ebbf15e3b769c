import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  start,
  testUser,
  violations,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('each error has a page with its reason and a link to continue', async (t) => {
  const { page, address } = await start(t, { 'notes.txt': 'x' })
  for (const [path, sentence] of [
    ['/403', "You don't have permissions to access this."],
    ['/404', "This location can't be reached."],
    ['/500', 'Something really went wrong.'],
  ] as const) {
    await page.goto(address + path)
    await page.getByRole('main').getByRole('alert').getByText(sentence).waitFor()
    t.equal(await page.title(), `${sentence} – Coffer`)
    await page.getByRole('complementary').getByRole('link', { name: 'My files' }).waitFor()
    t.same(await violations(page), [], path)
  }
  await page.getByRole('link', { name: 'Go to my files' }).click()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
})

t.test('the page of a forbidden resource has a general title, and the exact reason below it', async (t) => {
  const { page, address } = await start(t, { secret: { 'a.txt': 'x' } })
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const token = await (await fetch(`${address}/api/login`, { method: 'POST', body })).text()
  const rules = JSON.stringify({ rules: [{ allow: false, path: '/secret' }] })
  await fetch(`${address}/api/settings`, { method: 'PUT', body: rules, headers: { 'x-auth': token } })
  await page.goto(`${address}/files/secret/`)
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByRole('heading', { name: "You don't have permissions to access this." }).waitFor()
  await alert.getByText('A rule denies access to this.').waitFor()
})

t.test('a broken symbolic link inside the folder is shown as such', async (t) => {
  const { page, root } = await start(t, {})
  await symlink('gone.txt', join(root, 'broken'))
  await page.reload()
  await itemNamed(page, 'broken').dblclick()
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByRole('heading', { name: "This location can't be reached." }).waitFor()
  await alert.getByText('This symbolic link is broken: its target no longer exists.').waitFor()
})

t.test('any other address is treated as a path of a file', async (t) => {
  const { page, address } = await start(t, { docs: { 'notes.txt': 'x' } }, { path: '/docs/' })
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.equal(page.url(), `${address}/files/docs/`)
  await page.goto(`${address}/files`)
  await page.getByRole('link', { name: 'docs' }).waitFor()
  t.equal(page.url(), `${address}/files/`)
  await page.goto(`${address}/nowhere`)
  await page.getByRole('main').getByRole('alert').getByText("This location can't be reached.").waitFor()
})

t.test('a page that needs a sign-in redirects to it, and returns afterwards', async (t) => {
  const address = await serve(t, t.testdir({}))
  const page = await openPage(t)
  for (const path of ['/files/', '/files/a%20b/?x=1#part', '/settings/users/7', '/settings/global']) {
    await page.goto(address + path)
    await page.getByLabel('Username').waitFor()
    t.equal(page.url(), `${address}/login?redirect=${encodeURIComponent(path)}`)
  }
  await page.goto(`${address}/403`)
  await page.getByRole('main').getByRole('alert').waitFor()
  t.equal(page.url(), `${address}/403`, 'an error page needs no sign-in')
  t.same(await violations(page), [])
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Username').waitFor()
})
