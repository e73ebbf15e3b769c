import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'

t.teardown(closeBrowser)

const rows = (page: Page) => page.locator('[data-part=places] [data-part=row]')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })
const go = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

t.test('a file is starred with the keyboard, found in the page Starred, and opened', async (t) => {
  const { page } = await start(t, { docs: { 'a b#?.txt': 'the first line' }, 'b.txt': 'b' })
  await itemNamed(page, 'b.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
  const starred = page.waitForResponse('**/api/starred/b.txt')
  await page.keyboard.press('Control+Shift+S')
  await starred
  await itemNamed(page, 'b.txt').getByRole('img', { name: 'Starred' }).waitFor()
  const call = await callerOf(page)
  await call('PUT', '/api/starred/docs')
  await call('PUT', '/api/starred/docs/a%20b%23%3F.txt')
  await page.getByRole('complementary').getByRole('link', { name: 'Starred' }).press('Enter')
  await page.waitForURL('**/starred')
  await until(async () => (await rows(page).count()) === 3)
  t.equal(await page.title(), 'Starred – Coffer')
  t.same(await violations(page), [])
  await row(page, 'docs').first().getByRole('link', { name: 'docs', exact: true }).focus()
  await page.keyboard.press('End')
  t.equal(await focused(page), 'b.txt')
  const removed = page.waitForResponse('**/api/starred/b.txt')
  await page.keyboard.press('Control+Shift+S')
  await removed
  await row(page, 'b.txt').getByRole('button', { name: 'Starred', pressed: false }).waitFor()
  await page.keyboard.press('ArrowUp')
  t.equal(await focused(page), 'a b#?.txt')
  await page.keyboard.press('Enter')
  await page.locator('[data-part=file]').getByText('the first line').waitFor()
})

t.test('a star that is added while the stars are being loaded stays', async (t) => {
  const { page } = await start(t, { 'b.txt': 'b' })
  const [asked, added] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // The first response has no star, and arrives after the star was added.
  await page.route('**/api/starred', async (route) => {
    const response = await route.fetch()
    asked.resolve()
    await added.promise
    await route.fulfill({ response })
  })
  await page.reload()
  await asked.promise
  await itemNamed(page, 'b.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
  await page.keyboard.press('Control+Shift+S')
  const star = itemNamed(page, 'b.txt').getByRole('img', { name: 'Starred' })
  await star.waitFor()
  const loaded = page.waitForResponse(
    async (reply) => reply.url().endsWith('/api/starred') && (await reply.text()).includes('b.txt'),
  )
  added.resolve()
  await loaded
  await star.waitFor()
})

t.test('opened files are recent, and are shown in their folder', async (t) => {
  const { page } = await start(t, { docs: { 'a.txt': 'a', 'b.txt': 'b' } })
  await go(page, '/recent')
  await page.getByText('No recent files').waitFor()
  t.same(await violations(page), [])
  const noted = page.waitForResponse('**/api/recent/docs/b.txt')
  await go(page, '/files/docs/b.txt')
  await noted
  await page.route('**/api/recent', (route) => route.abort())
  await go(page, '/recent')
  const again = page.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unroute('**/api/recent')
  await again.press('Enter')
  await page.getByRole('region', { name: 'Today' }).waitFor()
  t.same(await violations(page), [])
  await row(page, 'b.txt').getByRole('link', { name: 'Show in folder /docs/' }).press('Enter')
  await page.waitForURL('**/files/docs/')
  await itemNamed(page, 'b.txt').and(page.locator('[data-current]')).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Clear list' }).press('Enter')
  await page.getByText('No recent files').waitFor()
})

t.test(
  'starring answers with a notice, whose Undo takes it back and whose Show opens the starred files',
  async (t) => {
    const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', docs: {} })
    const star = (name: string) => itemNamed(page, name).getByRole('img', { name: 'Starred' })
    const notice = page.locator('[data-part=notices]')
    const withKey = async (name: string) => {
      await itemNamed(page, name).click()
      await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
      await page.keyboard.press('Control+Shift+S')
    }
    await withKey('a.txt')
    await notice.getByText(/^Added .?a\.txt.? to Starred$/).waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await star('a.txt').waitFor({ state: 'detached' })
    await notice.getByText(/^Removed .?a\.txt.? from Starred$/).waitFor()
    await withKey('b.txt')
    await star('b.txt').waitFor()
    await page.getByRole('grid').press('Control+a')
    await page.keyboard.press('Control+Shift+S')
    await notice.getByText('Added 2 items to Starred').waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await star('a.txt').waitFor({ state: 'detached' })
    t.ok(await star('b.txt').isVisible(), 'what was starred before stays starred')
    await withKey('docs')
    await notice.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**/starred')
    await row(page, 'docs').waitFor()
    await row(page, 'b.txt').getByRole('button', { name: 'Starred' }).click()
    await notice.getByText(/^Removed .?b\.txt.? from Starred$/).waitFor()
  },
)
