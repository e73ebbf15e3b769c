import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** Holds the responses for a folder until the returned function is called. */
async function hold(page: Page, address: string) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(`**/api/resources${address}*`, async (route) => {
    await promise
    await route.continue()
  })
  return resolve
}

t.test('while a folder loads, the path belongs to the visible rows, or the rows are dimmed', async (t) => {
  const { page } = await start(t, { inner: { 'b.txt': '' }, 'a.txt': '' })
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  await itemNamed(page, 'inner').waitFor()
  const release = await hold(page, '/inner/')
  // Collects each state in which the path is new and the rows are not.
  await page.evaluate(() => {
    const wrong: string[] = []
    Object.assign(globalThis, { wrong })
    new MutationObserver(() => {
      const isNew = document.querySelector('[data-part=breadcrumbs]')?.textContent?.includes('inner')
      const rows = document.querySelector('[data-part=list]')
      if (isNew && rows?.textContent?.includes('a.txt') && !rows.closest('[aria-busy=true][inert]'))
        wrong.push(rows.textContent)
    }).observe(document, { subtree: true, childList: true, attributes: true })
  })
  await itemNamed(page, 'inner').dblclick()
  await page.locator('[aria-busy=true][inert] [data-part=list]').waitFor()
  await crumbs.getByRole('link', { name: 'inner' }).waitFor()
  release()
  await itemNamed(page, 'b.txt').waitFor()
  t.same(await page.evaluate('wrong'), [])
  t.equal(await page.locator('[aria-busy=true][inert] [data-part=list]').count(), 0)
})
