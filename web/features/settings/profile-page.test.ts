import type { Page } from 'playwright-core'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  signIn,
  start,
  testUser,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const files = { 'notes.txt': 'x' }

t.test('an administrator finds the settings in six tabs', async (t) => {
  const { page, address } = await start(t, files)
  await chooseAccount(page, 'Profile settings')
  const tabs = page.getByRole('navigation', { name: 'Settings' })
  await tabs.getByRole('link', { name: 'Profile settings' }).waitFor()
  t.equal(page.url(), `${address}/settings/profile`)
  t.equal(await page.title(), 'Profile settings – Coffer')
  t.same(await tabs.getByRole('link').allTextContents(), [
    'Profile settings',
    'Shared links',
    'Global settings',
    'User management',
    'Health check',
    'Audit log',
  ])
  await tabs.getByRole('link', { name: 'User management' }).click()
  await page.getByRole('table').waitFor()
  t.equal(await tabs.locator('[aria-current=page]').textContent(), 'User management')
  await page.goto(`${address}/settings`)
  await page.getByRole('heading', { name: 'Change password' }).waitFor()
  t.equal(page.url(), `${address}/settings/profile`)
})

t.test('the colours of the password fields show whether both passwords match', async (t) => {
  const { page, address } = await start(t, files, { path: '/settings/profile' })
  const first = page.getByLabel('New password', { exact: true })
  const second = page.getByLabel('Confirm new password')
  await first.waitFor()
  t.equal(await first.getAttribute('data-state'), 'empty')
  await first.fill('another long passphrase')
  await second.fill('another long')
  t.equal(await first.getAttribute('data-state'), 'differ')
  t.equal(await page.getByRole('alert').textContent(), "Passwords don't match")
  await second.fill('another long passphrase')
  t.equal(await second.getAttribute('data-state'), 'match')
  const green = await second.evaluate((one) => getComputedStyle(one).borderColor)
  t.equal(green, 'rgb(26, 127, 55)', 'independent of the instance’s accent colour')
  await page.keyboard.press('Enter')
  await noticed(page, 'Password updated!')
  await page.waitForFunction(() => document.querySelectorAll('[data-state=empty]').length === 2)
  const body = JSON.stringify({ username: testUser.name, password: 'another long passphrase' })
  const answer = await fetch(`${address}/api/login`, { method: 'POST', body, headers: json })
  t.equal(answer.status, 200)
})

t.test('lists other sessions and ends them', async (t) => {
  const { page, address } = await start(t, files)
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const login = () =>
    fetch(`${address}/api/login`, { method: 'POST', body, headers: { ...json, 'User-Agent': 'curl/8.5.0' } })
  const tokens = [await (await login()).text(), await (await login()).text(), await (await login()).text()]
  const status = async (at: number) =>
    (await fetch(`${address}/api/resources/`, { headers: { 'X-Auth': tokens[at] ?? '' } })).status
  await page.goto(`${address}/settings/profile`)
  const elsewhere = page.getByRole('listitem', { name: 'curl/8.5.0' })
  await elsewhere.first().waitFor()
  t.equal(await elsewhere.count(), 3)
  t.equal(await page.getByRole('listitem').filter({ hasText: 'this session' }).count(), 1)
  const out = page.getByRole('button', { name: 'Sign out curl/8.5.0' })
  t.equal(await out.count(), 3, 'each button names its session')
  await out.first().click()
  await page.getByText('Session signed out.').waitFor()
  await page.waitForFunction(() => document.querySelectorAll('li[aria-label="curl/8.5.0"]').length === 2)
  // One session ends and another begins in the meantime, so the list is outdated.
  await fetch(`${address}/api/logout`, { method: 'POST', headers: { 'X-Auth': tokens[0] ?? '' } })
  tokens.push(await (await login()).text())
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await elsewhere.first().waitFor({ state: 'detached' })
  t.same([await status(0), await status(1), await status(2), await status(3)], [401, 401, 401, 401])
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'this session' }).waitFor()
})

t.test('view settings are saved and take effect at once', async (t) => {
  const { page, address } = await start(t, { docs: { 'inside.txt': 'x' }, '.hidden': 'x' })
  await page.getByRole('link', { name: '.hidden' }).waitFor()
  await chooseAccount(page, 'Profile settings')
  await page.getByLabel('Open with a single click').check()
  await page.getByLabel('Hide names that begin with a dot').check()
  await saveButton(page).click()
  await noticed(page, 'Settings updated!')
  await page.getByRole('link', { name: 'My files' }).click()
  await page.getByRole('link', { name: 'docs' }).waitFor()
  await page.getByRole('link', { name: '.hidden' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'docs' }).click()
  await page.getByRole('link', { name: 'inside.txt' }).waitFor()
  await page.goto(`${address}/settings/profile`)
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[type=checkbox]')?.checked)
})

t.test(
  'the height of rows, the unit of sizes and the style of dates are saved and take effect at once',
  async (t) => {
    const { page } = await start(t, { 'notes.txt': 'x'.repeat(1500) })
    const row = page.locator('[data-part=row]', { hasText: 'notes.txt' })
    await row.getByText('1.46 KB').waitFor()
    await chooseAccount(page, 'Profile settings')
    const card = page.getByRole('region', { name: 'Files' })
    await card.getByLabel('Row height').selectOption('compact')
    await card.getByLabel('Sizes').selectOption('decimal')
    await card.getByLabel('Dates', { exact: true }).selectOption('iso')
    await card.getByLabel('Show exact dates').check()
    await saveButton(page).click()
    await noticed(page, 'Settings updated!')
    await page.getByRole('link', { name: 'My files' }).click()
    await row.getByText('1.5 kB').waitFor()
    await row.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d$/).waitFor()
    t.equal((await row.boundingBox())?.height, 32)
  },
)

t.test('preferences are saved with the user, and apply in another browser', async (t) => {
  const address = await serve(t, t.testdir({ docs: {}, 'notes.txt': 'x'.repeat(1500) }))
  const first = await openPage(t)
  await signIn(first, address, '/settings/profile')
  const choices = [
    ['Theme', 'auto'],
    ['Row height', 'compact'],
    ['Sizes', 'decimal'],
    ['Dates', 'iso'],
    ['First day of the week', 'saturday'],
  ] as const
  const select = (page: Page, label: string) => page.getByRole('main').getByLabel(label, { exact: true })
  for (const [label, value] of choices) await select(first, label).last().selectOption(value)
  await first.getByLabel('Open with a single click').check()
  await first.getByLabel('Show exact dates').check()
  await first.getByLabel('Remember view and order for each folder').check()
  await saveButton(first).click()
  await noticed(first, 'Settings updated!')
  const second = await openPage(t)
  await second.emulateMedia({ colorScheme: 'dark' })
  await signIn(second, address, '/settings/profile')
  for (const [label, value] of choices) t.equal(await select(second, label).last().inputValue(), value, label)
  t.ok(await second.getByLabel('Remember view and order for each folder').isChecked())
  t.equal(await second.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'light dark')
  await second.getByRole('link', { name: 'My files' }).click()
  const row = second.locator('[data-part=row]', { hasText: 'notes.txt' })
  await row.getByText('1.5 kB').waitFor()
  await row.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d$/).waitFor()
  t.equal((await row.boundingBox())?.height, 32)
  await second.getByRole('link', { name: 'docs' }).last().click()
  await second.waitForURL('**/files/docs/')
})

t.test('ending an already ended session succeeds', async (t) => {
  const { page, address } = await start(t, files)
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const headers = { ...json, 'User-Agent': 'curl/8.5.0' }
  const token = await (await fetch(`${address}/api/login`, { method: 'POST', body, headers })).text()
  await page.goto(`${address}/settings/profile`)
  const out = page.getByRole('button', { name: 'Sign out curl/8.5.0' })
  await out.waitFor()
  await fetch(`${address}/api/logout`, { method: 'POST', headers: { 'X-Auth': token } })
  await out.click()
  await page.getByText('Session signed out.').waitFor()
  await out.waitFor({ state: 'detached' })
})

t.test(
  'does not switch to a language that could not be saved, and keeps the focus when it switches',
  async (t) => {
    const { page } = await start(t, files, { path: '/settings/profile' })
    const card = page
      .getByRole('region')
      .filter({ has: page.locator('select') })
      .first()
    await page.route('**/api/users/*', (route) => route.abort())
    await card.locator('select').selectOption('de')
    await saveButton(page).click()
    await page.getByRole('alert').getByText("Can't reach the server.").waitFor()
    await page.unroute('**/api/users/*')
    await page.getByRole('link', { name: 'My files' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await itemNamed(page, 'notes.txt').waitFor()
    await chooseAccount(page, 'Profile settings')
    t.equal(await card.locator('select').inputValue(), '')
    await card.locator('select').selectOption('de')
    await saveButton(page).click()
    await page.getByRole('heading', { name: 'Sprache' }).waitFor()
    await page.locator('[data-part=save-bar] button:focus').waitFor()
  },
)

t.test('the last of two selected languages wins, even if the first one loads later', async (t) => {
  const { page } = await start(t, files, { path: '/settings/profile' })
  const late: (() => Promise<void>)[] = []
  await page.route(/\/fr-\w+\.js$/, (route) => void late.push(() => route.continue()))
  const card = page
    .getByRole('region')
    .filter({ has: page.locator('select') })
    .first()
  const choose = async (language: string, coming: RegExp) => {
    await card.locator('select').selectOption(language)
    const request = page.waitForRequest(coming)
    await saveButton(page).click()
    await request
  }
  await choose('fr', /\/fr-\w+\.js$/)
  await choose('de', /\/de-\w+\.js$/)
  await page.getByRole('heading', { name: 'Sprache' }).waitFor()
  const arrived = page.waitForResponse(/\/fr-\w+\.js$/)
  for (const go of late) await go()
  await arrived
  await page.evaluate(() => new Promise((done) => setTimeout(done)))
  t.equal(await page.evaluate(() => document.documentElement.lang), 'de')
  t.equal(await page.getByRole('heading', { name: 'Sprache' }).count(), 1)
})

t.test('a saved language is also that of the notice, and nothing is left to save', async (t) => {
  const { page } = await start(t, files, { path: '/settings/profile' })
  await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
  await saveButton(page).click()
  await noticed(page, 'Einstellungen gespeichert!')
  await page.getByRole('status').getByText('Gespeichert').waitFor()
  t.ok(
    await page
      .getByRole('region', { name: 'Nicht gespeicherte Änderungen' })
      .getByRole('button', { name: 'Speichern' })
      .isDisabled(),
  )
})

t.test('the profile is accessible', async (t) => {
  const options = { viewport: { width: 390, height: 800 }, path: '/settings/profile' }
  const { page } = await start(t, files, options)
  await page.getByLabel('Confirm new password').fill('x')
  t.same(await violationsInBothThemes(page), [])
  const name = page.locator('[data-part=header] > span')
  t.ok(
    await name.evaluate((one) => one.clientWidth > 0 && one.scrollWidth <= one.clientWidth),
    'the name of the instance is not cut off',
  )
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
})

const json = { 'Content-Type': 'application/json' }
