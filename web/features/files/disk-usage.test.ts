import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('the sidebar tells how full the disk is', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  const bar = page.getByRole('progressbar', { name: 'Disk usage' })
  await bar.waitFor()
  const share = await bar.evaluate((one: HTMLProgressElement) => one.position)
  t.ok(share > 0 && share <= 1)
  await page
    .getByRole('complementary')
    .getByText(/\d.* of \d.* used/)
    .waitFor()
  t.same(await violations(page), [])
})
