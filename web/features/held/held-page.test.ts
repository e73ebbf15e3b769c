import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { eicar, fakeClamd } from '#src/testing/clamd.ts'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const longName = `${'a very long name of a file '.repeat(7)}.pdf`

/** Starts a server with a scanner, opens the held files, and returns functions that send files through a link. */
async function open(t: Test, width = 1280, more: object = {}) {
  const scanner = await fakeClamd(t)
  const clamd = `${scanner.address.host}:${scanner.address.port}`
  const started = await start(
    t,
    { inbox: {} },
    {
      viewport: { width, height: 800 },
      path: '/settings/held',
      more: ['--clamd', clamd, '--clamd-all'],
      ...more,
    },
  )
  const { page, address } = started
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const headers = { 'X-Auth': token, 'Content-Type': 'application/json' }
  const share = await fetch(`${address}/api/share/inbox`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ rights: 'upload' }),
  })
  const { hash } = (await share.json()) as { hash: string }
  const send = async (name: string, body: string) =>
    (
      await fetch(`${address}/api/public/resources/${hash}/${encodeURIComponent(name)}`, {
        method: 'POST',
        body,
      })
    ).status
  const reload = () => page.getByRole('button', { name: 'Reload' }).click()
  const lines = page.getByRole('region', { name: 'Held files' }).getByRole('listitem')
  return { ...started, scanner, hash, send, reload, lines }
}

const focusedLabel = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

t.test('lists the files that are held back, and deletes and releases them', async (t) => {
  const { page, address, send, reload, lines, scanner } = await open(t)
  await page.getByText('No files are held back.').waitFor()
  t.equal(await page.title(), 'Held files – Coffer')
  t.same(await violations(page), [])
  await send('virus.com', eicar)
  await send(longName, eicar)
  await scanner.stop()
  await send('waiting.txt', 'hello')
  await reload()
  await lines.nth(2).waitFor()
  const texts = await lines.allTextContents()
  t.match(texts, [
    /^waiting\.txtWaiting: .*ECONNREFUSED/,
    /Infected: Eicar-Test/,
    /^virus\.comInfected: Eicar-Test/,
  ])
  t.match(texts[2], /From a visitor of a link of ann · 127\.0\.0\.1 · \/inbox/)
  t.same(await violations(page), [])
  await lines.nth(1).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('File deleted.').waitFor()
  await lines.nth(2).waitFor({ state: 'detached' })
  t.equal(await focusedLabel(page), 'Delete', 'the focus stays in the list')
  await lines.nth(1).getByRole('button', { name: 'Release' }).click()
  const dialog = page.getByRole('dialog', { name: 'Release this file?' })
  await dialog.getByText('has found Eicar-Test in').waitFor()
  t.same(await violations(page), [])
  await dialog.getByRole('button', { name: 'Release' }).click()
  await page.getByText('File released.').waitFor()
  await lines.nth(1).waitFor({ state: 'detached' })
  await page.goto(`${address}/files/inbox/`)
  await page.getByText('virus.com').waitFor()
})

t.test('fits on a phone, also with long names', async (t) => {
  const { page, send, reload, lines } = await open(t, 390)
  await send(longName, eicar)
  await reload()
  await lines.first().waitFor()
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  t.same(await violations(page), [])
})

t.test('says when the list cannot be loaded', async (t) => {
  const { page, reload } = await open(t)
  await page.getByText('No files are held back.').waitFor()
  await page.route('**/api/held', (route) => route.abort())
  await reload()
  await page.getByRole('alert').getByText("Can't reach the server.").waitFor()
})

t.test('an upload that is held says so, and is not sent again', async (t) => {
  const { page, address, scanner } = await open(t)
  await scanner.stop()
  await page.goto(`${address}/files/`)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'New', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Upload files' }).click()
  await (await chooser).setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
  await page.getByText('Held until the virus scanner has examined it.').waitFor()
  t.equal(await page.getByRole('button', { name: 'Try a.txt again' }).count(), 0)
})

t.test('a visitor whose file is held sees it as received', async (t) => {
  const { page, address, scanner, hash } = await open(t)
  await scanner.stop()
  await page.goto(`${address}/share/${hash}`)
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') })
  await page.getByText('It becomes visible when a virus scanner has examined it.').waitFor()
  await page.getByText('1 file sent').waitFor()
})
