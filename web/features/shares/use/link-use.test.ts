import t, { type Test } from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** Opens the list of shared links with one link to a folder that receives files. */
async function open(t: Test, width = 1280) {
  const started = await start(t, { docs: { 'a.txt': 'hello' } }, { viewport: { width, height: 900 } })
  const { page, address } = started
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const made = await fetch(`${address}/api/share/docs`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    body: JSON.stringify({ rights: 'upload-view', askName: true }),
  })
  const { hash } = (await made.json()) as { hash: string }
  const show = async () => {
    await page.goto(`${address}/settings/shares`)
    await page.getByRole('button', { name: 'How it was used' }).click()
  }
  return { ...started, hash, show }
}

t.test('a link shows its counts, a chart by day, and what has happened', async (t) => {
  const { page, address, hash, show } = await open(t)
  await fetch(`${address}/api/public/share/${hash}`)
  await (await fetch(`${address}/api/public/dl/${hash}/a.txt`)).text()
  await fetch(`${address}/api/public/resources/${hash}/Ada/new.txt`, { method: 'POST', body: 'sent' })
  await show()
  const log = page.getByRole('list', { name: 'What has happened' }).getByRole('listitem')
  await log.nth(2).waitFor()
  t.match(await log.allTextContents(), [
    /^Received \/Ada\/new\.txt from Ada4 bytes · 127\.0\.0\.1 · /,
    /^Downloaded \/a\.txt5 bytes · /,
    /^Opened 127\.0\.0\.1 · /,
  ])
  const measures = page.getByRole('group', { name: 'Shown in the chart' })
  t.same(
    await measures.getByRole('radio').evaluateAll((all) => all.map((one) => one.parentElement?.textContent)),
    ['1Visits', '1Downloads', '1Received files'],
  )
  await page.getByRole('table', { name: /^Visits, last 90 days/ }).waitFor()
  await measures.getByRole('radio', { name: /Visits/ }).focus()
  await page.keyboard.press('ArrowRight')
  const downloads = page.getByRole('table', { name: /^Downloads, last 90 days/ })
  t.equal(await downloads.getByRole('row').count(), 2, 'the head, and one day')
  t.same(await violations(page), [])
})

t.test('a link without visits says so', async (t) => {
  const { page, show } = await open(t, 390)
  await show()
  await page.getByText('This link has not been used yet.').waitFor()
  await page.getByText('Nothing is recorded.').waitFor()
  t.equal(await page.locator('figure').count(), 0)
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
})

t.test('an error is shown, and the next attempt loads the rest', async (t) => {
  const { page, show } = await open(t)
  await page.route('**/api/shares/*/*', (route) => route.abort())
  await show()
  await page.getByRole('alert').nth(1).waitFor()
  await page.unroute('**/api/shares/*/*')
  for (const _ of ['days', 'log']) await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByText('Nothing is recorded.').waitFor()
  await page.getByRole('alert').first().waitFor({ state: 'detached' })
})

t.test('older entries are loaded on request, and the focus goes to the first of them', async (t) => {
  const { page, show } = await open(t)
  const entry = (seq: number) => ({
    ...{ seq, time: '2026-01-01T00:00:00Z', kind: 'visit', address: `192.0.2.${seq}`, path: '/', bytes: 0 },
    ...{ isWhole: true, count: 1 },
  })
  await page.route('**/api/shares/*/log*', (route) => {
    const isFirst = !route.request().url().includes('before=')
    return route.fulfill({ json: isFirst ? { entries: [entry(9)], next: 9 } : { entries: [entry(8)] } })
  })
  await show()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('192.0.2.8').waitFor()
  t.match(await page.evaluate(() => document.activeElement?.textContent), /192\.0\.2\.8/)
  t.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
})
