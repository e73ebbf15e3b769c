import t from 'tap'
import { closeBrowser, openPage, serve, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('the API documentation is accessible, light and dark, wide and narrow', async (t) => {
  const address = await serve(t, t.testdir({}))
  const page = await openPage(t)
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  await page.goto(`${address}/api/docs`)
  const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  t.equal(await background(), 'rgb(246, 246, 244)', 'its style sheet is loaded')
  await page.locator('#transfer summary').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Example of PATCH /api/resources').waitFor()
  t.same(await violations(page), [])
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
  t.same(await violations(page), [], 'with all sections open')
  // Only the colours and the width change from here on. All rules on all sections take six seconds.
  await page.emulateMedia({ colorScheme: 'dark' })
  t.equal(await background(), 'rgb(17, 19, 20)')
  t.same(await violations(page, 'html', ['color-contrast']), [], 'dark')
  await page.setViewportSize({ width: 390, height: 800 })
  const rules = ['target-size', 'scrollable-region-focusable']
  t.same(await violations(page, 'html', rules), [], 'narrow')
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
  t.ok(wide <= 390, `${wide} pixels of content in 390`)
  t.strictSame(refused, [])
})
