import t from 'tap'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { silence } from '#web/testing/silence.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

t.test('a double click zooms in; the wheel and the buttons zoom in steps', async (t) => {
  const { page } = await start(t, { 'a.png': picture })
  await itemNamed(page, 'a.png').dblclick()
  const zoom = (text: string) =>
    page.getByRole('status', { name: 'Zoom' }).filter({ hasText: text }).waitFor()
  await zoom('100')
  const stage = page.locator('[data-part=picture]')
  for (const text of ['200', '400', '100']) {
    await stage.dblclick({ position: { x: 300, y: 200 } })
    await zoom(text)
  }
  await page.getByRole('button', { name: 'Zoom in' }).click()
  await zoom('125')
  await stage.hover({ position: { x: 300, y: 200 } })
  await page.mouse.wheel(0, 100)
  await zoom('100')
  await page.keyboard.press('-')
  await zoom('75')
  t.same(await violations(page), [])
})

t.test('a trackpad zooms gradually', async (t) => {
  const { page } = await start(t, { 'a.png': picture })
  await itemNamed(page, 'a.png').dblclick()
  const zoom = page.getByRole('status', { name: 'Zoom' })
  await zoom.filter({ hasText: /^100/ }).waitFor()
  await page.locator('[data-part=picture]').hover({ position: { x: 300, y: 200 } })
  for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, -10)
  await zoom.filter({ hasText: /^125/ }).waitFor()
  await page.keyboard.down('Control')
  await page.mouse.wheel(0, -2)
  await page.keyboard.up('Control')
  // The browser sends the pinch events after the earlier wheel events.
  await zoom.filter({ hasText: /^128/ }).waitFor()
  t.equal(await page.evaluate(() => visualViewport?.scale), 1, 'the page itself is not zoomed')
})

t.test('plays an audio file, and shows an error for a file that cannot be played', async (t) => {
  const options = { viewport: { width: 390, height: 800 }, colorScheme: 'dark' } as const
  const { page } = await start(t, { 'a.wav': silence(1), 'b.mp3': 'no song' }, options)
  await itemNamed(page, 'a.wav').dblclick()
  await page.getByText('0:01').waitFor()
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await page.getByText("“b.mp3” can't be played.").waitFor()
})
