import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { changeResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

const outline = (one: Locator) => one.evaluate((it) => getComputedStyle(it).outlineStyle)

t.test('in forced-colors mode the current place and the current tab are marked', async (t) => {
  const { page, address } = await start(t, { 'a.txt': 'a' }, { forcedColors: 'active' })
  await itemNamed(page, 'a.txt').waitFor()
  const places = page.getByRole('complementary')
  t.equal(await outline(places.getByRole('link', { name: 'My files' })), 'solid')
  t.equal(await outline(places.getByRole('link', { name: 'Recent' })), 'none')
  await page.goto(`${address}/settings/profile`)
  for (const width of [1280, 600]) {
    await page.setViewportSize({ width, height: 700 })
    const tab = (name: string) => page.getByRole('main').getByRole('link', { name })
    t.equal(await outline(tab('Profile settings')), 'solid', `${width} pixels`)
    t.equal(await outline(tab('Shared links')), 'none', `${width} pixels`)
  }
})

/** The colours of a picture on its middle line, from left to right, without repetitions. */
async function coloursIn(page: Page, png: Buffer): Promise<string[]> {
  const blank = await page.context().newPage()
  return blank.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
    const picture = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    if (!context) throw new Error('there is no canvas')
    context.drawImage(picture, 0, 0)
    const { data } = context.getImageData(0, Math.floor(picture.height / 2), picture.width, 1)
    const all = Array.from({ length: picture.width }, (_, n) => data.slice(4 * n, 4 * n + 3).join(' '))
    return all.filter((colour, n) => n < 2 || colour !== all[n - 1])
  }, png.toString('base64'))
}

t.test('in forced-colors mode the bar of the disk shows how full it is', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' }, { forcedColors: 'active' })
  await changeResponses(page, '**/api/usage/**', () => ({ total: 100 * 2 ** 30, used: 40 * 2 ** 30 }))
  await page.reload()
  await page.getByText('40 GB of 100 GB used').filter({ visible: true }).waitFor()
  const colours = await coloursIn(
    page,
    await page.getByRole('progressbar', { name: 'Disk usage' }).screenshot(),
  )
  t.ok(new Set(colours).size >= 3, `the border, the used and the free part: ${colours.join(', ')}`)
})
