import t from 'tap'
import { closeBrowser, openPage, serve, testUser, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const flags = ['--auth-header', 'X-Remote-User', '--trusted-proxy', '127.0.0.1']

t.test('signs in the user that the proxy names, and shows an error when it names none', async (t) => {
  const address = await serve(t, t.testdir({ docs: { 'notes.txt': 'x' } }), flags)
  const page = await openPage(t)
  await page.goto(`${address}/files/docs/`)
  await page.getByRole('alert').getByText('Sign-in failed.').waitFor()
  t.equal(await page.getByLabel('Password').count(), 0, 'there is no password field')
  t.same(await violations(page), [])
  await page.context().setExtraHTTPHeaders({ 'X-Remote-User': testUser.name })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.equal(page.url(), `${address}/files/docs/`, 'opens the requested folder')
  t.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0, 'the proxy handles signing out')
})

t.test('signs in the other user when the proxy names another one', async (t) => {
  const address = await serve(t, t.testdir({ 'notes.txt': 'x' }), flags)
  const as = (name: string) => ({ 'X-Remote-User': name, 'Content-Type': 'application/json' })
  const token = await (
    await fetch(`${address}/api/login`, { method: 'POST', headers: as(testUser.name), body: 'null' })
  ).text()
  const data = { username: 'bob', password: 'another long passphrase', perm: { download: true } }
  const body = JSON.stringify({ what: 'user', which: [], data })
  await fetch(`${address}/api/users`, {
    method: 'POST',
    headers: { ...as(testUser.name), 'X-Auth': token },
    body,
  })
  const page = await openPage(t, { extraHTTPHeaders: { 'X-Remote-User': testUser.name } })
  await page.goto(`${address}/settings/users`)
  await page.getByRole('row', { name: 'bob' }).waitFor()
  await page.context().setExtraHTTPHeaders({ 'X-Remote-User': 'bob' })
  await page.reload()
  await page.getByRole('alert').getByText("You don't have permissions to access this.").waitFor()
  t.equal(page.url(), `${address}/403`)
})

t.test('renews an ended session without a question', async (t) => {
  const address = await serve(t, t.testdir({ docs: { 'notes.txt': 'x' } }), ['--noauth'])
  const page = await openPage(t)
  await page.goto(address)
  await page.getByRole('link', { name: 'docs' }).waitFor()
  await page
    .getByRole('complementary')
    .getByText(/ of .* used/)
    .waitFor()
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  await fetch(`${address}/api/logout`, { method: 'POST', headers: { 'X-Auth': token } })
  await page.getByRole('link', { name: 'docs' }).dblclick()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.match(page.url(), /\/files\/docs\/$/)
})
