import t from 'tap'
import { closeBrowser, itemNamed, openPage, serve, signIn, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const files = {
  folder: { deep: { deeper: { deepest: {} } } },
  [`${'long '.repeat(30)}.txt`]: 'x',
  'a.txt': '',
}

for (const [width, isNarrow] of [
  [1024, false],
  [737, false],
  [736, true],
  [450, true],
  [320, true],
] as const) {
  t.test(`the layout fits a window ${width} pixels wide`, async (t) => {
    const { page } = await start(t, files, { viewport: { width, height: 640 } })
    await page.getByRole('button', { name: 'More' }).waitFor()
    t.equal(await page.getByRole('complementary').isVisible(), !isNarrow)
    t.equal(await page.getByRole('button', { name: 'Menu', exact: true }).isVisible(), isNarrow)
    await itemNamed(page, 'a.txt').click()
    const move = page.getByRole('button', { name: 'Move to…' }).filter({ visible: true })
    t.equal(await move.count(), 1, 'each action of the selection is shown once')
    const isBelow = await move.evaluate((one) => one.closest('[data-part=status]') !== null)
    t.equal(isBelow, isNarrow)
    t.ok(await page.getByRole('button', { name: 'Upload', exact: true }).isVisible())
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, 'nothing is cut off')
  })
}

t.test('on narrow screens, the sidebar is a drawer that closes by Escape and by its links', async (t) => {
  const { page } = await start(t, files, { viewport: { width: 390, height: 800 } })
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await itemNamed(page, 'a.txt').waitFor()
  await menu.click()
  for (const name of ['New folder', 'New file', 'Upload files', 'Upload a folder', 'Help', 'Sign out']) {
    t.ok(await drawer.getByRole('button', { name, exact: true }).isVisible(), name)
  }
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })
  t.ok(await menu.evaluate((one) => one === document.activeElement), 'the focus returns to the button')
  await menu.click()
  await drawer.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('heading', { name: 'Language' }).waitFor()
  t.equal(await drawer.count(), 0)
})

t.test('the sidebar shows the version, opens the help and links home', async (t) => {
  const { page } = await start(t, files, { path: '/files/folder/deep/' })
  const side = page.getByRole('complementary')
  await side.getByText(/^Coffer \d/).waitFor()
  await side.getByRole('button', { name: 'Help' }).click()
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await side.getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test('a slow folder shows that it is loading', async (t) => {
  const root = t.testdir(files)
  const address = await serve(t, root)
  const page = await openPage(t)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/resources/**', async (route) => {
    await released
    await route.continue()
  })
  await signIn(page, address)
  await page.getByRole('status').filter({ hasText: 'Loading…' }).waitFor()
  release()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test('the selection is visible in forced-colors mode', async (t) => {
  const { page } = await start(t, files, { forcedColors: 'active' })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'folder').click({ modifiers: ['Control'] })
  const ticks = page.locator('[data-check] path')
  const shown = await ticks.evaluateAll(
    (all) => all.filter((one) => getComputedStyle(one).visibility !== 'hidden').length,
  )
  t.equal(shown, 2)
  // The other row, the current one, has the outline of the keyboard focus.
  t.equal(await itemNamed(page, 'a.txt').evaluate((row) => getComputedStyle(row).outlineStyle), 'solid')
})

t.test('all addresses contain the base path: typed, followed or by the back button', async (t) => {
  const root = t.testdir({ 'a b#': { 'in.txt': 'inside' } })
  const address = await serve(t, root, ['--baseurl', '/sub/path'])
  const page = await openPage(t)
  await signIn(page, new URL(address).origin, '/sub/path/files/')
  await itemNamed(page, 'a b#').dblclick()
  await itemNamed(page, 'in.txt').waitFor()
  t.equal(new URL(page.url()).pathname, '/sub/path/files/a%20b%23/')
  t.match(
    await page.getByRole('link', { name: 'in.txt' }).getAttribute('href'),
    /^\/sub\/path\/files\/a%20b%23\/in.txt$/,
  )
  await page.reload()
  await itemNamed(page, 'in.txt').waitFor()
  await page.goBack()
  await itemNamed(page, 'a b#').waitFor()
  t.equal(await page.title(), 'My files – Coffer')
})
