import t from 'tap'
import { closeBrowser, openPage, serve, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('the first Tab reaches a link that leads past the sidebar, on every page', async (t) => {
  const { page, address } = await start(t, { 'a.txt': 'text' })
  for (const [path, target] of [
    ['/files/', '[role=grid]'],
    ['/files/a.txt', 'main[data-part=file]'],
    ['/settings/profile', 'main'],
    ['/trash', '[data-message]'],
  ] as const) {
    await page.goto(address + path)
    await page.locator(target).first().waitFor()
    const skip = page.getByRole('link', { name: 'Skip to content' })
    await skip.focus()
    t.equal(
      await page.locator('a, button, input, [tabindex]').first().getAttribute('data-part'),
      'skip',
      path,
    )
    t.ok((await skip.boundingBox())?.width, 'it is visible')
    t.same(await violations(page, '[data-part=skip]'), [])
    await page.keyboard.press('Enter')
    t.ok(
      await page.evaluate((target) => document.activeElement?.matches(`main, ${target}`), target),
      `moves the focus on ${path}`,
    )
    t.equal(new URL(page.url()).hash, '')
  }
})

t.test('the sign-in page has the link, too', async (t) => {
  const page = await openPage(t)
  await page.goto(await serve(t, t.testdir({})))
  await page.getByLabel('Username').waitFor()
  await page.getByRole('link', { name: 'Skip to content' }).focus()
  await page.keyboard.press('Enter')
  t.ok(await page.evaluate(() => document.activeElement?.matches('main')))
})
