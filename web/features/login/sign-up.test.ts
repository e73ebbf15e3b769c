import t, { type Test } from 'tap'
import { closeBrowser, openPage, serve, signIn, testUser, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const password = 'another long passphrase'

/** Starts a server that allows sign-up. */
async function open(t: Test, flags: readonly string[] = []) {
  const address = await serve(t, t.testdir({ 'notes.txt': 'x' }), flags)
  const call = (method: string, path: string, body: object, token = '') =>
    fetch(address + path, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const login = await call('POST', '/api/login', { username: testUser.name, password: testUser.password })
  const token = await login.text()
  await call('PUT', '/api/settings', { signup: true, createUserDir: true }, token)
  return { address, call, token }
}

t.test('a visitor signs up and is signed in', async (t) => {
  const { address } = await open(t)
  const page = await openPage(t)
  await page.goto(address)
  await page.waitForFunction(() => document.title === 'Sign in – Coffer')
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForFunction(() => document.title === 'Sign up – Coffer')
  await page.getByText('Use at least 12 characters.').waitFor()
  t.same(await violations(page), [])
  await page.getByLabel('Username').fill('carol')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill('something else')
  await page.keyboard.press('Enter')
  t.equal(await page.getByRole('alert').textContent(), "Passwords don't match")
  await page.getByRole('button', { name: 'Already have an account? Sign in' }).click()
  t.equal(await page.getByRole('alert').count(), 0, 'switching the form hides its error')
  t.equal(await page.getByLabel('Confirm password').count(), 0)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.getByLabel('Username').fill(` ${testUser.name.toUpperCase()} `)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  const alert = page.getByRole('alert')
  await alert.getByText('Username already taken').waitFor()
  await page.getByLabel('Username').fill('carol')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Confirm password').fill('short')
  await page.keyboard.press('Enter')
  await alert.getByText('This password is too short. Use at least 12 characters.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('This folder is empty').waitFor()
  t.equal(new URL(page.url()).pathname, '/files/', 'shows the new user’s own folder')
})

t.test('after sign-up with a failed sign-in, the user can sign in with the new account', async (t) => {
  const { address } = await open(t)
  const page = await openPage(t)
  await page.goto(`${address}/login?sign-up`)
  await page.getByLabel('Username').fill('carol')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.route('**/api/login', (route) => route.abort())
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText("Can't reach the server.").waitFor()
  t.equal(await page.getByLabel('Confirm password').count(), 0)
  await page.unroute('**/api/login')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('This folder is empty').waitFor()
})

t.test('offers no sign-up when the instance does not allow it', async (t) => {
  const address = await serve(t, t.testdir({}))
  const page = await openPage(t)
  await page.goto(`${address}/login?sign-up`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Create an account' }).count(), 0)
})

t.test('redirects signed-in users from the sign-in page, only within the site', async (t) => {
  const address = await serve(t, t.testdir({ docs: { 'notes.txt': 'x' } }))
  const page = await openPage(t)
  await signIn(page, address)
  for (const [query, path] of [
    ['', '/files/'],
    ['?redirect=%2Ffiles%2Fdocs%2F', '/files/docs/'],
    ['?redirect=https%3A%2F%2Fexample.com', '/files/'],
    ['?redirect=%2F%5Cexample.com', '/files/'],
    ['?redirect=%2Flogin%3Fredirect%3D%2Flogin', '/files/'],
  ]) {
    await page.goto(`${address}/login${query}`)
    await page.waitForURL(`${address}${path}`)
  }
})
