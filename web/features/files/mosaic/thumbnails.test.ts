import path from 'node:path'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  signIn,
  start,
  untilQuiet,
  violations,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const picture = (n = 0) => asPng(plain(300, 200, [n % 256, 120, 200]))
const many = () =>
  Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [`picture ${String(n).padStart(3, '0')}.png`, picture(n)]),
  )

const asMosaic = async (page: Page) => {
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
}

/** Records thumbnail requests in order and delays their responses until `release`. */
async function holdThumbnails(page: Page) {
  const requested: string[] = []
  const aborted: string[] = []
  let waiting: Route[] = []
  let isOpen = false
  const nameOf = (url: string) => decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '')
  page.on('requestfailed', (request) => {
    if (request.url().includes('/api/preview/tile/')) aborted.push(nameOf(request.url()))
  })
  await page.route('**/api/preview/tile/**', async (route) => {
    requested.push(nameOf(route.request().url()))
    if (isOpen) await route.continue()
    else waiting.push(route)
  })
  return {
    requested,
    aborted,
    async release() {
      isOpen = true
      const all = waiting
      waiting = []
      // An aborted request can no longer be answered.
      await Promise.all(all.map((route) => route.continue().catch(() => {})))
    },
  }
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

t.test('the mosaic shows thumbnails of pictures and icons for all other files', async (t) => {
  const { page } = await start(t, {
    'a.png': picture(),
    'b #?%.png': picture(),
    'broken.jpg': 'no picture at all, whatever its name says',
    'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'notes.txt': 'x',
    folder: {},
  })
  const requested: string[] = []
  // The rows of the list have requested smaller thumbnails.
  page.on(
    'request',
    (request) => request.url().includes('/api/preview/tile/') && requested.push(request.url()),
  )
  await asMosaic(page)
  for (const name of ['a.png', 'b #?%.png']) {
    const image = itemNamed(page, name).locator('img')
    await image.waitFor()
    t.equal(await image.evaluate((img: HTMLImageElement) => img.naturalWidth), 300, name)
    t.equal(await image.getAttribute('alt'), '', 'its name is beside it')
  }
  await until(() => requested.length === 3)
  for (const name of ['broken.jpg', 'drawing.svg', 'notes.txt', 'folder']) {
    t.equal(await itemNamed(page, name).locator('svg').first().isVisible(), true, name)
    t.equal(await itemNamed(page, name).locator('img').count(), 0, name)
  }
  t.notOk(
    requested.some((url) => /drawing|notes|folder|auth=/.test(url)),
    'no address contains a token',
  )
  t.same(await violations(page), [])
})

t.test('the layout does not change when a thumbnail loads', async (t) => {
  const { page } = await start(t, many())
  const hold = await holdThumbnails(page)
  await asMosaic(page)
  await until(() => hold.requested.length > 0)
  // The shapes are known before the pictures.
  await page.waitForFunction(() => {
    const { width = 0, height = 1 } =
      document.querySelector('[data-part=face]')?.getBoundingClientRect() ?? {}
    return Math.abs(width / height - 1.5) < 0.01
  })
  const places = () =>
    page.locator('[data-part=card]').evaluateAll((cards) =>
      cards.slice(0, 12).map((card) => {
        const { top, left, width, height } = card.getBoundingClientRect()
        return [card.id, top, left, width, height]
      }),
    )
  const before = await places()
  await hold.release()
  await page.locator('[data-part=card] img').nth(5).waitFor()
  t.same(await places(), before)
})

t.test('requests visible thumbnails first, and aborts requests that scroll out of view', async (t) => {
  const { page } = await start(t, many())
  const hold = await holdThumbnails(page)
  await asMosaic(page)
  await until(() => hold.requested.length >= 4)
  t.same(
    hold.requested,
    [0, 1, 2, 3].map((n) => `picture 00${n}.png`),
    'four at a time, from the top',
  )
  await page.getByRole('grid').evaluate((grid) => {
    grid.scrollTop = grid.scrollHeight
  })
  await until(() => hold.aborted.length >= 4 && hold.requested.length >= 8)
  t.same(hold.aborted.toSorted(), hold.requested.slice(0, 4))
  t.ok(
    hold.requested.slice(4).every((name) => name > 'picture 012.png'),
    hold.requested.slice(4).join(),
  )
  await hold.release()
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await itemNamed(page, 'picture 059.png').locator('img').waitFor({ timeout: 40_000 })
  await page.keyboard.press('Home')
  await itemNamed(page, 'picture 000.png').locator('img').waitFor({ timeout: 40_000 })
})

t.test('does not request a loaded thumbnail again', async (t) => {
  const { page } = await start(t, { ...many(), folder: {} })
  await asMosaic(page)
  await itemNamed(page, 'picture 000.png').locator('img').waitFor({ timeout: 40_000 })
  const requested: string[] = []
  page.on(
    'request',
    (request) => request.url().includes('picture%20000.png') && requested.push(request.url()),
  )
  await itemNamed(page, 'folder').dblclick()
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  await page.goBack()
  await itemNamed(page, 'picture 000.png').locator('img').waitFor({ timeout: 40_000 })
  t.same(requested, [])
})

t.test('shows icons when the browser saves data or the instance disables thumbnails', async (t) => {
  const root = path.join(t.testdir({ root: { 'a.png': picture(), 'b.txt': '' } }), 'root')
  const addresses = [await serve(t, root), await serve(t, root, ['--disable-thumbnails'])]
  for (const [n, address] of addresses.entries()) {
    const page = await openPage(t)
    if (n === 0) {
      await page.addInitScript(
        "Object.defineProperty(navigator, 'connection', { value: { saveData: true } })",
      )
    }
    const requested: string[] = []
    page.on('request', (request) => request.url().includes('/api/preview/') && requested.push(request.url()))
    await signIn(page, address)
    await asMosaic(page)
    await itemNamed(page, 'a.png').locator('svg').first().waitFor()
    // All other requests are finished, so a thumbnail request would have been sent, too.
    await untilQuiet(page)
    t.same(requested, [])
  }
})
