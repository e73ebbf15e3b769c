import type { Route } from 'playwright-core'
import t from 'tap'
import { asBmp, asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('a large picture is seen small first, then as it is; a small one is not', async (t) => {
  // A bitmap is not compressed: three megabytes.
  const files = {
    'large.bmp': asBmp(plain(1200, 900, [40, 90, 200])),
    'small.png': asPng(plain(30, 20, [200, 0, 0])),
  }
  const { page, address } = await start(t, files)
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/api/preview/') && asked.push(request.url()))
  const waiting = Promise.withResolvers<Route>()
  await page.route('**/api/raw/large.bmp*', (route) => waiting.resolve(route))
  await page.goto(`${address}/files/large.bmp`)
  const route = await waiting.promise
  const first = page.locator('[data-part=picture] img[alt=""]')
  await first.waitFor()
  t.equal(await first.evaluate((img: { naturalWidth: number }) => img.naturalWidth), 1080)
  await route.continue()
  await first.waitFor({ state: 'detached' })
  const whole = page.getByRole('img', { name: 'large.bmp' })
  t.equal(await whole.evaluate((img: { naturalWidth: number }) => img.naturalWidth), 1200)
  t.equal(asked.length, 1)
  await page.goto(`${address}/files/small.png`)
  await page.getByRole('img', { name: 'small.png' }).waitFor()
  t.equal(asked.length, 1)
})
