import type { Route } from 'playwright-core'
import t from 'tap'
import { asBmp, asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('shows a reduced version of a large picture first, and loads a small picture directly', async (t) => {
  // A bitmap is not compressed: its size is 3 MB.
  const files = {
    'large.bmp': asBmp(plain(1200, 900, [40, 90, 200])),
    'small.png': asPng(plain(30, 20, [200, 0, 0])),
  }
  const { page, address } = await start(t, files)
  const requested: string[] = []
  page.on(
    'request',
    (request) => request.url().includes('/api/preview/big/') && requested.push(request.url()),
  )
  const waiting = Promise.withResolvers<Route>()
  await page.route('**/api/raw/large.bmp*', (route) => waiting.resolve(route))
  await page.goto(`${address}/files/large.bmp`)
  const route = await waiting.promise
  const first = page.locator('[data-part=picture] img[alt=""]')
  await first.waitFor()
  t.equal(await first.evaluate((img: HTMLImageElement) => img.naturalWidth), 1080)
  await route.continue()
  await first.waitFor({ state: 'detached' })
  const full = page.getByRole('img', { name: 'large.bmp' })
  t.equal(await full.evaluate((img: HTMLImageElement) => img.naturalWidth), 1200)
  t.equal(requested.length, 1)
  await page.goto(`${address}/files/small.png`)
  await page.getByRole('img', { name: 'small.png' }).waitFor()
  t.equal(requested.length, 1)
})
