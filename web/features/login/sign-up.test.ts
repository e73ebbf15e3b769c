import t, { type Test } from 'tap'
import { closeBrowser, openPage, person, serve, signIn, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const password = 'another long passphrase'

/** A server that lets strangers make accounts. */
async function open(t: Test, flags: readonly string[] = []) {
  const address = await serve(t, t.testdir({ 'notes.txt': 'x' }), flags)
  const call = (method: string, path: string, body: object, token = '') =>
    fetch(address + path, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const login = await call('POST', '/api/login', { username: person.name, password: person.password })
  const token = await login.text()
  await call('PUT', '/api/settings', { signup: true, createUserDir: true }, token)
  return { address, call, token }
}

t.test('a stranger makes an account, and is signed in with it', async (t) => {
  const { address } = await open(t)
  const page = await openPage(t)
  await page.goto(address)
  await page.waitForFunction(() => document.title === 'Sign in – Coffer')
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.waitForFunction(() => document.title === 'Sign up – Coffer')
  t.same(await violations(page), [])
  await page.getByLabel('Username').fill('carol')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill('something else')
  await page.keyboard.press('Enter')
  t.equal(await page.getByRole('alert').textContent(), "Passwords don't match")
  await page.getByRole('button', { name: 'Already have an account? Sign in' }).click()
  t.equal(await page.getByRole('alert').count(), 0, 'a complaint about the other form goes with it')
  t.equal(await page.getByLabel('Confirm password').count(), 0)
  await page.getByRole('button', { name: 'Create an account' }).click()
  await page.getByLabel('Username').fill(` ${person.name.toUpperCase()} `)
  await page.getByLabel('Confirm password').fill(password)
  await page.getByRole('button', { name: 'Sign up' }).click()
  const told = page.getByRole('alert')
  await told.getByText('Username already taken').waitFor()
  await page.getByLabel('Username').fill('carol')
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByLabel('Confirm password').fill('short')
  await page.keyboard.press('Enter')
  await told.getByText('This password is too short. Use at least 12 characters.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Confirm password').fill(password)
  await page.keyboard.press('Enter')
  await page.getByText('This folder is empty').waitFor()
  t.equal(new URL(page.url()).pathname, '/files/', 'in a folder of their own')
})

t.test(
  'an account that was made, but could not be signed in with yet, is there to sign in with',
  async (t) => {
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
  },
)

t.test('nobody is offered an account where there are none to be had', async (t) => {
  const address = await serve(t, t.testdir({}))
  const page = await openPage(t)
  await page.goto(`${address}/login?sign-up`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Create an account' }).count(), 0)
})

t.test('who is signed in already is led on from the sign-in page', async (t) => {
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
