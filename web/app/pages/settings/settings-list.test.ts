import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }

t.test('on a phone, the settings open with a list of pages, each with a way back', async (t) => {
  const { page, address } = await start(t, {}, { ...phone, path: '/settings' })
  const list = page.getByRole('navigation', { name: 'Settings' })
  await list.getByRole('link', { name: 'Global settings' }).waitFor()
  t.equal(await list.getByRole('link').count(), 6)
  t.equal(await page.title(), 'Settings – Coffer')
  t.same(await violations(page), [])
  await list.getByRole('link', { name: 'Global settings' }).tap()
  await page.getByLabel('Instance name').waitFor()
  t.equal(await list.count(), 0, 'the rail takes no room')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  await page.getByRole('main').getByRole('link', { name: 'Settings', exact: true }).tap()
  await page.waitForURL(`${address}/settings`)
  await list.waitFor()
  await page.goBack()
  await page.getByLabel('Instance name').waitFor()
})

t.test('on a phone, results of the search take the place of the list', async (t) => {
  const { page, address } = await start(t, {}, { ...phone, path: '/settings' })
  await page.getByRole('combobox', { name: 'Search settings' }).fill('row height')
  await page.getByRole('option', { name: 'Row height' }).tap()
  await page.waitForURL(`${address}/settings/profile#profile.density`)
  await page.locator('[data-found]').getByLabel('Row height').waitFor()
  t.equal(await page.getByLabel('Row height').evaluate((one) => one === document.activeElement), true)
})

t.test('a window that becomes wide shows the first page beside the list', async (t) => {
  const { page, address } = await start(t, {}, { ...phone, path: '/settings' })
  await page.getByRole('navigation', { name: 'Settings' }).waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.waitForURL(`${address}/settings/profile`)
  await page.getByLabel('Row height').waitFor()
})
