import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const text = `[out](https://example.org/) ![far](https://tracker.example/x.gif) [mail](mailto:a@example.org)
https://example.com [ours](other.txt)`

t.test('Disable external links (except documentation)', async (t) => {
  const { page, address } = await start(t, { 'notes.md': text }, { path: '/settings/global' })
  /** The external links, from every element of the page. */
  const outside = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLAnchorElement>('a[href]')]
        .map(({ href }) => href)
        .filter((href) => new URL(href).origin !== location.origin),
    )
  const documentation = async () => {
    await page.keyboard.press('F1')
    const help = page.getByRole('dialog')
    for (const [name, path, title] of [
      ['Documentation', '/static/manual.html', 'Coffer: the manual'],
      ['API documentation', '/api/docs', 'Coffer: API reference'],
    ] as const) {
      t.equal(await help.getByRole('link', { name, exact: true }).getAttribute('href'), path)
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        help.getByRole('link', { name, exact: true }).click(),
      ])
      await opened.waitForLoadState()
      t.equal(await opened.title(), title)
      await opened.close()
    }
    await page.keyboard.press('Escape')
  }
  const look = page.getByRole('region', { name: 'Preview of notes.md' })
  const fail = async () => {
    await page.goto(`${address}/settings/users/1`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alert').first().waitFor()
  }
  await page.goto(`${address}/files/notes.md`)
  await look.getByRole('link', { name: 'ours' }).waitFor()
  t.equal((await outside()).length, 4)

  await page.goto(`${address}/settings/global`)
  await page.getByLabel('Disable external links (except documentation)').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  await documentation()
  await page.goto(`${address}/files/notes.md`)
  await look.getByRole('link', { name: 'ours' }).waitFor()
  await look.getByText('out').first().waitFor()
  t.strictSame(await outside(), [])
  await fail()
  t.strictSame(await outside(), [])
})

t.test('the manual is accessible, light and dark, wide and narrow', async (t) => {
  const { page, address } = await start(t, {})
  const refused: string[] = []
  page.on('console', (message) => refused.push(message.text()))
  const reply = await page.goto(`${address}/static/manual.html`)
  t.match(reply?.headers()['content-security-policy'], "default-src 'none'; style-src 'self'")
  await page.getByRole('heading', { name: 'Options', exact: true }).waitFor()
  for (const [colorScheme, colour] of [
    ['light', 'rgb(246, 246, 244)'],
    ['dark', 'rgb(17, 19, 20)'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    t.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), colour)
    t.same(await violations(page), [], colorScheme)
  }
  await page.setViewportSize({ width: 390, height: 800 })
  t.same(await violations(page), [], 'narrow')
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
  t.ok(wide <= 390, `${wide} pixels of content in 390`)
  t.equal((await fetch(`${address}/static/index.html`)).status, 404, 'the template is not served')
  t.strictSame(refused, [])
})
