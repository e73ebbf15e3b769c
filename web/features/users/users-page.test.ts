import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  openPage,
  start,
  testUser,
  violations,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { openAdvanced } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const files = { 'notes.txt': 'x' }
const password = 'bob has a long passphrase'

t.test('an administrator creates, changes and deletes a user', async (t) => {
  const { page, address } = await start(t, files, { path: '/settings/users', more: ['--enable-exec'] })
  await page.getByRole('row', { name: testUser.name }).waitFor()
  await page.getByRole('main').getByRole('button', { name: 'New', exact: true }).click()
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await openAdvanced(page)
  await page.getByLabel('Allowed commands, separated by spaces').fill(' git   svn ')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Path').fill('/private')
  await page.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'User created!')
  await page.waitForURL(/\/settings\/users\/\d+$/)
  await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
  t.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
  t.equal(await page.getByLabel('Allowed commands, separated by spaces').inputValue(), 'git svn')
  t.equal(await page.getByLabel('Path').inputValue(), '/private')

  const admin = page.getByLabel('Administrator')
  await page.getByLabel('Prevent the user from changing the password').check()
  await page.getByLabel('Delete files and folders').uncheck()
  await admin.check()
  t.ok(await page.getByLabel('Execute commands').isChecked(), 'an administrator has all permissions')
  t.ok(await page.getByLabel('Execute commands').isDisabled())
  t.notOk(await page.getByLabel('Prevent the user').isChecked(), 'and may change the password')
  await admin.uncheck()
  t.notOk(await page.getByLabel('Delete files and folders').isChecked(), 'what was ticked before is restored')
  t.ok(await page.getByLabel('Prevent the user').isChecked())
  await page.getByLabel('Share files').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'User updated!')

  const body = JSON.stringify({ username: 'bob', password })
  const headers = { 'Content-Type': 'application/json' }
  const login = await fetch(`${address}/api/login`, { method: 'POST', body, headers })
  t.equal(login.status, 200, 'an empty password keeps the old one')
  const token = { 'X-Auth': await login.text() }
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Signed out everywhere.').waitFor()
  t.equal((await fetch(`${address}/api/resources/`, { headers: token })).status, 401)

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await noticed(page, 'User deleted!')
  await page.getByRole('row', { name: testUser.name }).waitFor()
  t.equal(await page.getByRole('row', { name: 'bob' }).count(), 0)
})

t.test('an administrator sees and ends the sessions of a user', async (t) => {
  const { page, address } = await start(t, files)
  const auth = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const call = (method: string, path: string, token: string, body?: object, agent = 'curl/8.5.0') =>
    fetch(address + path, {
      method,
      headers: { 'Content-Type': 'application/json', 'X-Auth': token, 'User-Agent': agent },
      ...(body && { body: JSON.stringify(body) }),
    })
  const data = { username: 'bob', password, perm: { download: true } }
  await call('POST', '/api/users', auth, { what: 'user', which: [], data })
  const login = async (agent: string) =>
    (await call('POST', '/api/login', '', { username: 'bob', password }, agent)).text()
  const [first, second] = [await login('curl/8.5.0'), await login('Wget/1.21')]
  const status = async (token: string) => (await call('GET', '/api/resources/', token)).status
  await page.goto(`${address}/settings/users/2`)
  const card = page.getByRole('region', { name: 'Where this user is signed in' })
  await card.getByRole('listitem').first().waitFor()
  t.equal(await card.getByRole('listitem').count(), 2)
  t.same(await violations(page), [])
  await card.getByRole('button', { name: 'Sign out curl/8.5.0' }).click()
  await page.getByText('Session signed out.').waitFor()
  await card.getByRole('listitem', { name: 'curl/8.5.0' }).waitFor({ state: 'detached' })
  t.same([await status(first), await status(second)], [401, 200])
  await card.getByRole('button', { name: 'Sign out everywhere' }).click()
  await card.getByText('This user is not signed in anywhere.').waitFor()
  t.equal(await status(second), 401)
})

t.test(
  'share can be allowed without download; the form explains that nothing can be shared then',
  async (t) => {
    const { page, address } = await start(t, files, { path: '/settings/users/new' })
    await page.getByLabel('Username').fill('bob')
    await page.getByLabel('Password', { exact: true }).fill(password)
    const hint = page.getByText('Sharing also requires permission to download.')
    t.equal(await hint.count(), 0)
    await page.getByLabel('Download').uncheck()
    const share = page.getByLabel('Share files')
    t.ok((await share.isChecked()) && (await share.isEnabled()))
    await hint.waitFor()
    await share.uncheck()
    await share.check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Edit bob' }).waitFor()
    t.ok(await share.isChecked())
    t.notOk(await page.getByLabel('Download').isChecked())

    const bobPage = await openPage(t)
    await bobPage.goto(address)
    await bobPage.getByLabel('Username').fill('bob')
    await bobPage.getByLabel('Password').fill(password)
    await bobPage.keyboard.press('Enter')
    await itemNamed(bobPage, 'notes.txt').click()
    await bobPage.getByRole('button', { name: 'Info' }).first().waitFor()
    t.equal(await bobPage.getByRole('button', { name: 'Share', exact: true }).count(), 0)
    t.equal(await bobPage.getByRole('link', { name: 'Shared links' }).count(), 0)
  },
)

t.test('an unknown user id opens the form for a new user', async (t) => {
  const { page, address } = await start(t, files, { path: '/settings/users/99' })
  await page.getByRole('heading', { name: 'New user' }).waitFor()
  t.equal(page.url(), `${address}/settings/users/new`)
})

t.test('users who are not administrators see only their own profile', async (t) => {
  const { page, address } = await start(t, files)
  const auth = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const data = { username: 'bob', password, lockPassword: true, perm: { download: true } }
  const created = await fetch(`${address}/api/users`, {
    method: 'POST',
    body: JSON.stringify({ what: 'user', which: [], data }),
    headers: { 'Content-Type': 'application/json', 'X-Auth': auth },
  })
  t.equal(created.status, 201)
  const bobPage = await openPage(t)
  await bobPage.goto(`${address}/settings/global`)
  await bobPage.getByLabel('Username').fill('bob')
  await bobPage.getByLabel('Password').fill(password)
  await bobPage.keyboard.press('Enter')
  await bobPage.getByRole('alert').waitFor()
  t.equal(bobPage.url(), `${address}/403`)
  await bobPage.goto(`${address}/settings/profile`)
  await bobPage.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
  t.equal(await bobPage.getByRole('navigation', { name: 'Settings' }).count(), 0)
  t.equal(await bobPage.getByLabel('New password').count(), 0, 'a locked password cannot be changed')
})

t.test('the user pages are accessible', async (t) => {
  const options = { viewport: { width: 390, height: 800 }, path: '/settings/users' }
  const { page } = await start(t, files, options)
  await page.getByRole('table').waitFor()
  t.same(await violationsInBothThemes(page), [])
  await page.getByRole('main').getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await page.getByLabel('Administrator').check()
  t.same(await violationsInBothThemes(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
})

t.test('the error of a rejected regular expression names its field and position', async (t) => {
  const { page } = await start(t, files, { path: '/settings/users/new' })
  await page.getByLabel('Username').fill('bob')
  await page.getByLabel('Password', { exact: true }).fill(password)
  for (const path of ['/one', '/two']) {
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Path').last().fill(path)
  }
  const second = page.getByRole('listitem', { name: 'Rule 2' })
  await second.getByLabel('Regex').check()
  const field = second.getByLabel('Regular expression')
  await field.fill('^/private/(a|b')
  await page.getByRole('button', { name: 'Save' }).click()
  const alert = second.getByRole('alert')
  await alert.waitFor()
  t.match(
    await alert.textContent(),
    /rules\.1\.regexp\.raw: is not a valid RE2 pattern: missing closing \) at character 11/,
  )
  t.ok(await field.evaluate((one) => one === document.activeElement), 'the field has the focus')
  t.equal(await page.getByRole('alert').count(), 1)
})

t.test(
  'a role sets the permissions, a new rule denies, and a path can be tried against the rules',
  async (t) => {
    const { page } = await start(t, files, { path: '/settings/users/new' })
    const role = page.getByLabel('Role')
    await role.selectOption('viewer')
    t.ok(await page.getByLabel('Download').isChecked())
    t.notOk(await page.getByLabel('Delete files and folders').isChecked())
    await page.getByLabel('Edit files').check()
    t.equal(await role.inputValue(), 'custom')
    await role.selectOption('administrator')
    t.ok(await page.getByLabel('Administrator', { exact: true }).isChecked())
    await role.selectOption('editor')
    t.notOk(await page.getByLabel('Administrator', { exact: true }).isChecked())
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Path').fill('/private')
    await page.getByText('Deny everything in /private').waitFor()
    await page.getByLabel('Try it').fill('/private/a.txt')
    await page.getByRole('status').getByText('Denied by rule 1').waitFor()
    await page.getByLabel('Try it').fill('/other')
    await page.getByRole('status').getByText('Allowed, because no rule matches').waitFor()
    await page.getByLabel('Allow', { exact: true }).check()
    await page.getByText('Allow everything in /private').waitFor()
    t.same(await violations(page), [])
  },
)

t.test('a refused password is shown at its field, and a good one is offered', async (t) => {
  const { page, address } = await start(t, files, { path: '/settings/users/new' })
  await page.getByLabel('Username').fill('bob')
  const field = page.getByLabel('Password', { exact: true })
  await page.getByText('Use at least 12 characters.').waitFor()
  await field.fill('short')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('This password is too short.').waitFor()
  t.equal(await field.getAttribute('aria-invalid'), 'true')
  t.equal(await page.locator('[data-part=notices] > div').count(), 0)
  await page.getByRole('button', { name: 'Generate a password' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  const generated = await field.inputValue()
  t.match(generated, /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
  t.equal(await field.getAttribute('type'), 'text', 'it can be read')
  const selected = await field.evaluate((one: HTMLInputElement) => [one.selectionStart, one.selectionEnd])
  t.same(selected, [0, generated.length], 'and copied')
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Show what you type', pressed: true }).click()
  t.equal(await field.getAttribute('type'), 'password')
  await page.getByRole('button', { name: 'Save' }).click()
  await noticed(page, 'User created!')
  const body = JSON.stringify({ username: 'bob', password: generated })
  const headers = { 'Content-Type': 'application/json' }
  t.equal((await fetch(`${address}/api/login`, { method: 'POST', body, headers })).status, 200)
})
