import t from 'tap'
import { closeBrowser, itemNamed, openPage, serve, start, testUser } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const json = { 'Content-Type': 'application/json' }

t.test('a save button keeps the focus, so that Tab continues from there', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/global' })
  await page.getByLabel('Instance name').fill('The chest')
  const update = page.getByRole('button', { name: 'Save', exact: true })
  await update.press('Enter')
  await noticed(page, 'Settings updated!')
  t.ok(await update.evaluate((one) => one.matches(':focus')), 'the settings')
  await page.goto(`${address}/settings/users/1`)
  const save = page.getByRole('button', { name: 'Save' })
  await save.press('Enter')
  await noticed(page, 'User updated!')
  t.ok(await save.evaluate((one) => one.matches(':focus')), 'a user')
})

t.test('a form submitted twice at once is saved once', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/global' })
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  let count = 0
  await page.route('**/api/settings', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    count++
    await free
    return route.continue()
  })
  const name = page.getByLabel('Instance name')
  await name.fill('The chest')
  await name.press('Enter')
  await page.locator('button[aria-disabled]').first().waitFor()
  await name.press('Enter')
  release()
  await noticed(page, 'Settings updated!')
  t.equal(count, 1)
})

t.test('a new rule gets the focus, and removing a rule moves the focus to the next one', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/global' })
  for (const path of ['/a', '/b', '/c']) {
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(path)
  }
  const paths = () =>
    page
      .getByLabel('Path', { exact: true })
      .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
  t.same(await paths(), ['/a', '/b', '/c'])
  const remove = (rule: number) => page.getByRole('button', { name: `Remove rule ${rule}` })
  const isFocused = (button: ReturnType<typeof remove>) => button.and(page.locator(':focus')).waitFor()
  await remove(2).press('Enter')
  await isFocused(remove(2))
  t.same(await paths(), ['/a', '/c'])
  await page.keyboard.press('Enter')
  await isFocused(remove(1))
  await page.keyboard.press('Enter')
  await isFocused(page.getByRole('button', { name: 'Add rule' }))
  t.same(await paths(), [])
})

t.test(
  'closing a notice moves the focus to the next, closing the last one to where it was before',
  async (t) => {
    const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' })
    const status: Record<string, number> = { 'a.txt': 403, 'b.txt': 500 }
    for (const [name, code] of Object.entries(status)) {
      await page.route('**/api/delete/**', (route) => route.fulfill({ status: code, body: 'broken' }), {
        times: 1,
      })
      await itemNamed(page, name).click()
      await page.keyboard.press('Delete')
      await page
        .getByRole('alert')
        .nth(code === 403 ? 0 : 1)
        .waitFor()
    }
    const grid = page.getByRole('grid')
    await grid.and(page.locator(':focus')).waitFor()
    const close = page.locator('[data-part=notices]').getByRole('button', { name: 'Close' })
    await close.first().click()
    await page.getByRole('alert').nth(1).waitFor({ state: 'detached' })
    await close.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await close.waitFor({ state: 'detached' })
    t.ok(await grid.evaluate((one) => one.matches(':focus')))
  },
)

t.test('ending a session moves the focus to the next one, finally to the heading', async (t) => {
  const { page, address } = await start(t, {})
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const headers = { ...json, 'User-Agent': 'curl/8.5.0' }
  for (let at = 0; at < 2; at++) await fetch(`${address}/api/login`, { method: 'POST', body, headers })
  await page.goto(`${address}/settings/profile`)
  const region = page.getByRole('region', { name: 'Where you are signed in' })
  const elsewhere = region.getByRole('listitem', { name: 'curl/8.5.0' })
  await elsewhere.first().getByRole('button').press('Enter')
  await elsewhere.nth(1).waitFor({ state: 'detached' })
  await elsewhere.getByRole('button').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await elsewhere.waitFor({ state: 'detached' })
  await region.getByRole('heading').and(page.locator(':focus')).waitFor()
  t.pass('the heading has the focus')
})

t.test('after a wrong password the sign-in button keeps the focus', async (t) => {
  const page = await openPage(t)
  const address = await serve(t, t.testdir({}))
  await page.goto(address)
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill('wrong')
  const button = page.getByRole('button', { name: 'Sign in' })
  await button.press('Enter')
  await page.getByRole('alert').waitFor()
  t.ok(await button.evaluate((one) => one.matches(':focus')))
})

t.test('F1 shows the shortcuts on every page, also in text fields', async (t) => {
  const { page, address } = await start(t, { docs: {} }, { path: '/settings/profile' })
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const isHelped = async () => {
    await page.keyboard.press('F1')
    await help.waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
  }
  await page.getByRole('heading', { name: 'Change password' }).waitFor()
  await isHelped()
  const field = page.getByLabel('New password', { exact: true })
  await field.press('?')
  t.equal(await field.inputValue(), '?', 'a question mark is typed in a text field')
  await isHelped()
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const headers = { ...json, 'X-Auth': token }
  const made = await fetch(`${address}/api/share/docs/`, { method: 'POST', headers, body: '{}' })
  const { hash } = (await made.json()) as { hash: string }
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${address}/share/${hash}`)
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await isHelped()
  await page.getByRole('navigation').getByRole('button', { name: 'Help' }).click()
  await help.waitFor()
})
