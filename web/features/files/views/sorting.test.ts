import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, start, untilQuiet } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('the last of two quick changes of the order is the one that stays', async (t) => {
  const { page } = await start(t, { 'big.txt': 'x'.repeat(3000), 'tiny.txt': 'x' })
  const { promise, resolve } = Promise.withResolvers<void>()
  let saves = 0
  await page.route('**/api/users/*', async (route) => {
    // The first request reaches the server late.
    if (route.request().method() === 'PUT' && saves++ === 0) await promise
    await route.continue()
  })
  const header = page.getByRole('columnheader', { name: 'Size' })
  const shown = (order: string) =>
    page.locator(`[role=columnheader][aria-sort=${order}]`).and(header).waitFor()
  await page.getByRole('button', { name: 'Size' }).click()
  await shown('ascending')
  await page.getByRole('button', { name: 'Size' }).click()
  await shown('descending')
  resolve()
  await page.locator('[data-index="0"]').filter({ hasText: 'big.txt' }).waitFor()
  await until(() => saves === 2)
  await untilQuiet(page)
  await page.reload()
  await page.locator('[data-index="0"]').filter({ hasText: 'big.txt' }).waitFor()
})
