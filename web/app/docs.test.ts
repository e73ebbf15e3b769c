import t from 'tap'
import { variants } from '#src/testing/long.ts'
import { closeBrowser, openPage, serve, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/**
 * The rules that axe checks with all sections open: all of them once, then only those whose result depends on the colours
 * or the width. All rules on all sections take six seconds.
 */
function openRules(colorScheme: 'light' | 'dark', width: number): string[] {
  if (width === 390) return ['target-size', 'scrollable-region-focusable']
  return colorScheme === 'dark' ? ['color-contrast'] : []
}

for (const [colorScheme, width] of variants(
  [
    ['light', 1280],
    ['dark', 390],
    ['light', 390],
    ['dark', 1280],
  ] as const,
  2,
)) {
  t.test(`the API documentation is accessible: ${colorScheme}, ${width} pixels wide`, async (t) => {
    const address = await serve(t, t.testdir({}))
    const page = await openPage(t, { colorScheme, viewport: { width, height: 800 } })
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    await page.goto(`${address}/api/docs`)
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    t.equal(
      background,
      colorScheme === 'light' ? 'rgb(246, 246, 244)' : 'rgb(17, 19, 20)',
      'its style sheet is loaded',
    )
    await page.locator('#transfer summary').focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Example of PATCH /api/resources').waitFor()
    t.same(await violations(page), [])
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    t.same(await violations(page, 'html', openRules(colorScheme, width)), [], 'with all sections open')
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
    t.ok(wide <= width, `${wide} pixels of content in ${width}`)
    t.strictSame(refused, [])
  })
}
