import t from 'tap'
import { closeBrowser, openPage, person, serve, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const flags = ['--auth-header', 'X-Remote-User', '--trusted-proxy', '127.0.0.1']

t.test('whom the proxy names is in, and whom it does not name learns why not', async (t) => {
  const address = await serve(t, t.testdir({ docs: { 'notes.txt': 'x' } }), flags)
  const page = await openPage(t)
  await page.goto(`${address}/files/docs/`)
  await page.getByRole('alert').getByText('Sign-in failed.').waitFor()
  t.equal(await page.getByLabel('Password').count(), 0, 'there is nothing to type')
  t.same(await violations(page), [])
  await page.context().setExtraHTTPHeaders({ 'X-Remote-User': person.name })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.equal(page.url(), `${address}/files/docs/`, 'where they wanted to go')
  t.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0, 'signing out is the proxy’s')
})

t.test('when the proxy names somebody else, that is who is signed in', async (t) => {
  const address = await serve(t, t.testdir({ 'notes.txt': 'x' }), flags)
  const as = (name: string) => ({ 'X-Remote-User': name, 'Content-Type': 'application/json' })
  const token = await (
    await fetch(`${address}/api/login`, { method: 'POST', headers: as(person.name), body: 'null' })
  ).text()
  const data = { username: 'bob', password: 'another long passphrase', perm: { download: true } }
  const body = JSON.stringify({ what: 'user', which: [], data })
  await fetch(`${address}/api/users`, {
    method: 'POST',
    headers: { ...as(person.name), 'X-Auth': token },
    body,
  })
  const page = await openPage(t, { extraHTTPHeaders: { 'X-Remote-User': person.name } })
  await page.goto(`${address}/settings/users`)
  await page.getByRole('row', { name: 'bob' }).waitFor()
  await page.context().setExtraHTTPHeaders({ 'X-Remote-User': 'bob' })
  await page.reload()
  await page.getByRole('alert').getByText("You don't have permissions to access this.").waitFor()
  t.equal(page.url(), `${address}/403`)
})

t.test('a session that has ended is made anew without a word', async (t) => {
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
