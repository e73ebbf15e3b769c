import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, signInAs, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const field = (page: Page) => page.getByRole('combobox', { name: 'Search settings' })
const results = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option')
const focusedLabel = (page: Page) =>
  page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent)

t.test('the search finds a field by its label, opens its page and focuses it', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/profile' })
  await page.getByLabel('Row height').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('minimum pass')
  await results(page).first().waitFor()
  t.match(await results(page).first().textContent(), 'Minimum password lengthGlobal settings › Accounts')
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.waitForURL(`${address}/settings/global#global.minimumPasswordLength`)
  await until(async () => (await focusedLabel(page)) === 'Minimum password length')
  await page.locator('[data-found]').waitFor()
  await page.locator('[data-found]').waitFor({ state: 'detached' })
  await page.reload()
  await until(async () => (await focusedLabel(page)) === 'Minimum password length')
})

t.test('a folded field is opened, and words of the help find it, too', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/global' })
  await page.getByLabel('Instance name').fill('The chest')
  await page.keyboard.press('Tab')
  await field(page).click()
  await field(page).fill('without a shell')
  await results(page).filter({ hasText: 'Shell for commands' }).click()
  await until(async () => (await focusedLabel(page)) === 'Shell for commands')
  t.equal(await page.getByLabel('Instance name').inputValue(), 'The chest', 'without a question')
  await field(page).fill('after delete')
  await page.keyboard.press('Enter')
  await until(() =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'After delete'),
  )
})

t.test('the search is used with the keyboard alone, and Escape clears it', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/profile' })
  await page.getByLabel('Row height').waitFor()
  await page.keyboard.press('Control+F')
  await page.keyboard.type('theme')
  await results(page).nth(1).waitFor()
  const selected = () => results(page).and(page.locator('[aria-selected=true]')).textContent()
  t.match(await selected(), 'ThemeProfile settings')
  await page.keyboard.press('ArrowDown')
  t.match(await selected(), 'ThemeGlobal settings › Branding')
  await page.keyboard.press('Escape')
  t.equal(await field(page).inputValue(), '')
  await page.keyboard.type('zzz')
  await page.getByText('Nothing found. Try another word.').waitFor()
})

t.test('users find only the settings of the pages that they may open', async (t) => {
  const { page: admin } = await start(t, {})
  const page = await signInAs(t, admin, { perm: { download: true } }, '/settings/profile')
  await page.getByLabel('Row height').waitFor()
  await field(page).fill('password')
  await until(async () => (await results(page).count()) > 0)
  for (const text of await results(page).allTextContents()) t.match(text, 'Profile settings')
  await field(page).fill('home folder')
  await page.getByText('Nothing found. Try another word.').waitFor()
})

t.test('a field that no rule has yet leads to its section', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/users/new' })
  await page.getByLabel('Username').fill('bob')
  await field(page).fill('regex')
  await results(page).filter({ hasText: 'User management' }).click()
  await page.locator('[data-found]').waitFor()
  t.equal(await page.locator('[data-found]').getAttribute('data-setting'), 'user.rules')
  t.equal(await page.getByLabel('Username').inputValue(), 'bob')
})

const pages = ['profile', 'shares', 'global', 'users', 'users/new', 'users/1', 'doctor', 'audit']
/** Pages whose fields all have a help line. */
const explained = ['profile', 'global', 'users/new', 'users/1']

/** The visible names of a field, and its description. */
async function textsOf(control: Locator): Promise<{ label: string; help: string; isRule: boolean }> {
  return control.evaluate((one: HTMLInputElement) => {
    const ids = one.getAttribute('aria-describedby')?.split(' ') ?? []
    return {
      label: one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? '',
      help: ids.map((id) => document.getElementById(id)?.textContent ?? '').join(' '),
      isRule: one.closest('ol') !== null,
    }
  })
}

t.test(
  'the search finds every labelled field and every card of every page, and each field has help',
  async (t) => {
    const { page, address } = await start(t, {})
    for (const path of pages) {
      await page.goto(`${address}/settings/${path}`)
      const main = page.getByRole('main')
      await main.locator('section h2').first().waitFor()
      if (path === 'global') await main.getByRole('heading', { name: 'Trash and versions' }).waitFor()
      for (const rule of await main.getByRole('button', { name: 'Add rule' }).all()) await rule.click()
      await main.locator('details').evaluateAll((all) => {
        for (const one of all) (one as HTMLDetailsElement).open = true
      })
      const controls = await main
        .locator(':is(input, select, textarea):not([role=combobox])')
        .filter({ visible: true })
        .all()
      const texts = await Promise.all(controls.map(textsOf))
      if (explained.includes(path)) {
        t.ok(texts.length > 8, `${path} has fields`)
        for (const { label, help } of texts) t.ok(help.trim(), `${path}: ${label} is explained`)
      }
      const headings = (await main.locator('section h2, legend').allTextContents()).map((label) => ({
        label,
      }))
      const own = headings.filter(({ label }) => !/^Edit |^Advanced$/.test(label))
      for (const { label } of [...texts, ...own]) {
        t.ok(label, `${path}: a field has a name`)
        await field(page).fill(label)
        const found = await results(page).locator('span:first-child').allTextContents()
        t.ok(found.includes(label), `${path}: ${label} is found`)
      }
    }
  },
)
