import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { closeBrowser, openPage, serve, testUser, violationsInBothThemes } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const base = t.testdir({ root: { 'notes.txt': 'x' }, state: {} })
const database = path.join(base, 'state/state.json')
const others = ['bob', 'carol', 'dave', 'erin']
const theirs = 'a passphrase of theirs'
const tokens: string[] = []
let address = ''
let ofErin = ''

/** Makes a call in the same way as the page. */
async function call(address: string, method: string, url: string, body: object, token = ''): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'X-Auth': token }
  const reply = await fetch(address + url, { method, headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${method} ${url}: ${reply.status} ${await reply.text()}`)
  return reply.text()
}

const login = (address: string, username = testUser.name, password = testUser.password) =>
  call(address, 'POST', '/api/login', { username, password })

t.test('the sessions of these tests are created and made half an hour old', async (first) => {
  await first.test('they are created', async (t) => {
    const address = await serve(t, path.join(base, 'root'), ['--database', database])
    for (let n = 0; n < 12; n++) tokens.push(await login(address))
    for (const username of others) {
      const data = { username, password: theirs }
      await call(address, 'POST', '/api/users', { what: 'user', which: [], data }, tokens[0])
    }
    ofErin = await login(address, 'erin', theirs)
  })
  // The server has stopped, and its sessions are in files.
  const files = await readdir(base, { recursive: true })
  const sessions = files.filter((name) => /sessions\/.*\.json$/.test(name))
  for (const file of sessions) {
    const session = JSON.parse(await readFile(path.join(base, file), 'utf8'))
    for (const time of ['created', 'proven']) session[time] -= 30 * 60_000
    await writeFile(path.join(base, file), JSON.stringify(session))
  }
  first.equal(sessions.length, 13)
  // All tests below use this server.
  address = await serve(t, path.join(base, 'root'), ['--database', database])
})

/** Opens the page `at` in a session of the administrator that is half an hour old. */
async function open(t: Test, at: string, options = {}, token = tokens.pop() ?? ''): Promise<Page> {
  const page = await openPage(t, options)
  await page.addInitScript((jwt) => {
    if (!localStorage.getItem('jwt')) localStorage.setItem('jwt', jwt)
  }, token)
  await page.goto(address + at)
  return page
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm your password' })
/** The element with the focus: its label, or its text. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const here = document.activeElement
    return here instanceof HTMLInputElement
      ? here.labels?.[0]?.textContent
      : here?.ariaLabel || here?.textContent
  })

/** Fills the password dialog by keyboard, first wrongly, then correctly. */
async function confirm(t: Test, page: Page, password = testUser.password): Promise<void> {
  const dialog = question(page)
  await dialog.waitFor()
  t.equal(await focused(page), 'Current password')
  await page.keyboard.type('a guess')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').getByText('The current password is wrong.').waitFor()
  const field = dialog.getByLabel('Current password')
  t.equal(await field.getAttribute('aria-invalid'), 'true', 'the field shows the error')
  t.equal(await focused(page), 'Current password')
  await page.keyboard.type(password)
  t.equal(await field.inputValue(), password, 'typing replaces the wrong password')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
}

t.test('saving the settings needs the password once, then not for ten minutes', async (t) => {
  const page = await open(t, '/settings/global')
  const name = page.getByLabel('Instance name')
  await name.fill('The chest')
  await page.keyboard.press('Enter')
  await confirm(t, page)
  await noticed(page, 'Settings updated!')
  t.equal(await name.inputValue(), 'The chest')
  await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
  t.equal(await focused(page), 'Instance name', 'the focus is where it was before')
  await page.reload()
  await name.fill('Another chest')
  await page.keyboard.press('Enter')
  await noticed(page, 'Settings updated!')
  t.equal(await question(page).count(), 0)
})

t.test('cancelling the dialog keeps the input and the session', async (t) => {
  const page = await open(t, '/settings/users/new')
  await page.getByLabel('Username').fill('frank')
  await page.getByLabel('Password', { exact: true }).fill('a passphrase of his own')
  const save = page.getByRole('button', { name: 'Save' })
  await save.focus()
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.textContent === 'Save')
  t.equal(page.url(), `${address}/settings/users/new`)
  t.equal(await page.getByRole('alert').count(), 0, 'cancelling shows no error')
  t.equal(await page.getByLabel('Username').inputValue(), 'frank')
  t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), 'a passphrase of his own')
  await page.keyboard.press('Enter')
  await confirm(t, page)
  await page.getByRole('heading', { name: 'Edit frank' }).waitFor()
})

/** Opens the page of the user with this name. */
async function openUser(t: Test, name: string): Promise<Page> {
  const page = await open(t, '/settings/users')
  await page.getByRole('link', { name: `Edit ${name}` }).click()
  await page.getByRole('heading', { name: `Edit ${name}` }).waitFor()
  return page
}

t.test('a user is changed after the password is confirmed', async (t) => {
  const page = await openUser(t, 'bob')
  await page.getByLabel('Administrator').check()
  await page.getByRole('button', { name: 'Save' }).press('Enter')
  await confirm(t, page)
  await noticed(page, 'User updated!')
  t.ok(await page.getByLabel('Administrator').isChecked())
})

t.test('a user is deleted after the password is confirmed', async (t) => {
  const page = await openUser(t, 'carol')
  await page.getByRole('button', { name: 'Delete' }).press('Enter')
  await page
    .getByRole('dialog', { name: 'Delete user' })
    .getByRole('button', { name: 'Delete' })
    .press('Enter')
  await confirm(t, page)
  await noticed(page, 'User deleted!')
  await page.waitForURL(`${address}/settings/users`)
  await page.getByRole('row', { name: 'dave' }).waitFor()
  t.equal(await page.getByRole('row', { name: 'carol' }).count(), 0)
})

t.test('all sessions of a user are ended after the password is confirmed', async (t) => {
  const token = await login(address, 'dave', theirs)
  const page = await openUser(t, 'dave')
  const button = page.getByRole('button', { name: 'Sign out everywhere' })
  await button.press('Enter')
  await question(page).waitFor()
  const alive = await fetch(`${address}/api/sessions`, { headers: { 'X-Auth': token } })
  t.equal(alive.status, 200, 'not before that')
  await confirm(t, page)
  await page.getByText('Signed out everywhere.').waitFor()
  const ended = await fetch(`${address}/api/sessions`, { headers: { 'X-Auth': token } })
  t.equal(ended.status, 401)
  await page.waitForFunction(() => document.activeElement?.textContent === 'Sign out everywhere')
})

t.test('saving changes when leaving a form asks for the password as well', async (t) => {
  const page = await openUser(t, 'erin')
  await page.getByLabel('Home folder', { exact: true }).fill('/erin')
  await page.getByRole('link', { name: 'User management' }).click()
  await page
    .getByRole('dialog', { name: 'Save your changes?' })
    .getByRole('button', { name: 'Save' })
    .press('Enter')
  await question(page).waitFor()
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  t.equal(
    await page.getByLabel('Home folder', { exact: true }).inputValue(),
    '/erin',
    'cancelling the dialog stays on the form',
  )
  await page.getByRole('link', { name: 'User management' }).click()
  await page
    .getByRole('dialog', { name: 'Save your changes?' })
    .getByRole('button', { name: 'Save' })
    .press('Enter')
  await confirm(t, page)
  await page.getByRole('row', { name: 'erin' }).getByText('/erin').waitFor()
})

t.test('users change their own password after confirming the current one', async (t) => {
  const page = await open(t, '/settings/profile', {}, ofErin)
  await page.getByLabel('New password', { exact: true }).fill('another long passphrase')
  await page.getByLabel('Confirm new password').fill('another long passphrase')
  await page.keyboard.press('Enter')
  await confirm(t, page, theirs)
  await noticed(page, 'Password updated!')
  t.ok(await login(address, 'erin', 'another long passphrase'))
})

t.test("ending one's own sessions needs the password, changing preferences does not", async (t) => {
  const headers = { 'Content-Type': 'application/json', 'User-Agent': 'curl/8.5.0' }
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  await fetch(`${address}/api/login`, { method: 'POST', headers, body })
  const page = await open(t, '/settings/profile')
  await page.getByLabel('Open with a single click').check()
  await saveButton(page).click()
  await noticed(page, 'Settings updated!')
  t.equal(await question(page).count(), 0)
  await page.getByRole('button', { name: 'Sign out curl/8.5.0' }).click()
  await confirm(t, page)
  await page.getByText('Session signed out.').waitFor()
})

t.test('if the dialog is closed while saving, the result is still shown', async (t) => {
  const page = await open(t, '/settings/global')
  await page.getByLabel('Instance name').fill('A third chest')
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  const asked = page.waitForRequest((one) => (one.postData() ?? '').includes('current_password'))
  await page.route('**/api/settings', async (route) => {
    await held
    await route.continue()
  })
  await page.keyboard.type(testUser.password)
  await page.keyboard.press('Enter')
  await asked
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  go()
  await noticed(page, 'Settings updated!')
})

t.test('the password dialog is accessible', async (t) => {
  const page = await open(t, '/settings/global', { viewport: { width: 390, height: 800 } })
  await page.getByLabel('Instance name').fill('Ours')
  await page.keyboard.press('Enter')
  await question(page).waitFor()
  t.same(await violationsInBothThemes(page, '[role=dialog]'), [])
  const stops: unknown[] = []
  for (let n = 0; n < 5; n++) {
    stops.push(await focused(page))
    await page.keyboard.press('Tab')
  }
  t.same(
    stops,
    ['Current password', 'Show what you type', 'Cancel', 'Continue', 'Current password'],
    'the focus stays in the dialog',
  )
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'no horizontal overflow')
})

// Must be the last test, because after it no password can be confirmed from here for five minutes.
t.test('after too many wrong passwords the user has to wait, and the session continues', async (t) => {
  const page = await open(t, '/settings/global')
  await page.getByLabel('Instance name').fill('Ours')
  await page.keyboard.press('Enter')
  const dialog = question(page)
  await dialog.waitFor()
  const field = dialog.getByLabel('Current password')
  const limited = dialog.getByText('Too many attempts. Wait a moment, then try again.')
  for (let n = 0; n < 15 && !(await limited.isVisible()); n++) {
    await field.fill(`guess ${n}`)
    await page.keyboard.press('Enter')
    await dialog.getByRole('alert').waitFor()
  }
  await limited.waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.getByRole('link', { name: 'My files' }).click()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
})
