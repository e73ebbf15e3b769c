import t from 'tap'
import { closeBrowser, start } from '#web/testing/browser.ts'
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
    const link = (name: string) => help.getByRole('link', { name, exact: true })
    t.equal(await link('Manual').getAttribute('href'), '/manual')
    t.equal(await link('API documentation').getAttribute('href'), '/api/docs')
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      link('API documentation').click(),
    ])
    await opened.waitForLoadState()
    t.equal(await opened.title(), 'Coffer: API reference')
    await opened.close()
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

t.test('the template of the page is not served', async (t) => {
  const { address } = await start(t, {})
  t.equal((await fetch(`${address}/static/index.html`)).status, 404)
})
