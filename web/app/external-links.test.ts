import t from 'tap'
import { variants } from '#src/testing/long.ts'
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

for (const colorScheme of variants(['light', 'dark'] as const)) {
  t.test(`the manual is accessible: ${colorScheme}`, async (t) => {
    for (const width of [1280, 390]) {
      const { page, address } = await start(t, {}, { colorScheme, viewport: { width, height: 800 } })
      const refused: string[] = []
      page.on('console', (message) => refused.push(message.text()))
      const reply = await page.goto(`${address}/static/manual.html`)
      t.match(reply?.headers()['content-security-policy'], "default-src 'none'; style-src 'self'")
      await page.getByRole('heading', { name: 'Options', exact: true }).waitFor()
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      t.equal(background, colorScheme === 'light' ? 'rgb(246, 246, 244)' : 'rgb(17, 19, 20)')
      t.same(await violations(page), [])
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      t.ok(wide <= width, `${wide} pixels of content in ${width}`)
      t.equal((await fetch(`${address}/static/index.html`)).status, 404, 'the template is not served')
      t.strictSame(refused, [])
    }
  })
}
