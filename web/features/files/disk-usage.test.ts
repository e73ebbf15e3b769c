import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'
import { chooseFiles, file, uploadsDone } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

t.test('the sidebar shows the disk usage', async (t) => {
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

t.test('an upload refreshes the disk usage', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await page.getByRole('progressbar', { name: 'Disk usage' }).waitFor()
  const again = page.waitForRequest('**/api/usage/')
  await chooseFiles(page, 'Upload files', [file('b.txt', 'b')])
  await uploadsDone(page, '1 file uploaded')
  t.ok(await again)
})
