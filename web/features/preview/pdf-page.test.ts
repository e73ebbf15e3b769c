import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  launch,
  openPage,
  start,
  startCompleteBrowser,
  violations,
} from '#web/testing/browser.ts'
import { createShare } from '#web/testing/link.ts'
import { emptyPdf } from '#web/testing/pdf.ts'

startCompleteBrowser()
t.teardown(closeBrowser)

const probe = await (await launch()).newPage()
const hasViewer = await probe.evaluate(() => navigator.pdfViewerEnabled)
await probe.close()
const needsViewer = { skip: !hasViewer && 'this browser has no PDF viewer' }

const fakePdf = '<!doctype html><script>parent.document.title = "broken"</script>'

t.test('shows a PDF in the page, and a fake PDF runs no script', needsViewer, async (t) => {
  const { page } = await start(t, {
    'a b#?.pdf': emptyPdf(),
    'evil.pdf': fakePdf,
  })
  const policyErrors: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) policyErrors.push(message.text())
  })
  await itemNamed(page, 'a b#?.pdf').dblclick()
  const frame = page.locator('iframe[title="a b#?.pdf"]')
  await frame.waitFor()
  t.match(await frame.getAttribute('src'), /^blob:http/)
  t.equal(await page.title(), 'a b#?.pdf – Coffer', 'the title is the name of the file')
  const type = await frame.evaluate(async (one: HTMLIFrameElement) => (await one.contentWindow?.origin) ?? '')
  t.match(type, /^http/)
  t.same(policyErrors, [], 'the content security policy allows it')
  t.same(await violations(page, 'header'), [])
  await page.locator('html').evaluate((html) => html.setAttribute('data-theme', 'dark'))
  t.same(await violations(page, 'header', ['color-contrast']), [], 'dark')
  await page.getByRole('button', { name: 'Close' }).click()
  await itemNamed(page, 'evil.pdf').dblclick()
  await page.locator('iframe[title="evil.pdf"]').waitFor()
  t.equal(await page.title(), 'evil.pdf – Coffer')
  await page.getByRole('button', { name: 'Close' }).click()
  await itemNamed(page, 'evil.pdf').waitFor()
})

t.test('a shared PDF is shown on the page, only as a PDF', needsViewer, async (t) => {
  const { address } = await start(t, { docs: { 'letter.pdf': fakePdf } })
  const { hash } = await createShare(address, '/docs/')
  const page = await openPage(t)
  await page.goto(`${address}/share/${hash}`)
  await page.getByRole('link', { name: 'letter.pdf' }).click()
  const frame = page.locator('iframe[title="letter.pdf"]')
  await frame.waitFor()
  t.match((await frame.getAttribute('src')) ?? '', /^blob:http/)
  t.equal(await page.title(), 'letter.pdf – Coffer', 'a file with only the extension of a PDF does nothing')
})

t.test('the content security policy forbids frames with server addresses', async (t) => {
  const { page } = await start(t, { 'a.html': '<p id="here">text</p>' })
  const refused = page.waitForEvent('console', (message) => /frame-src/.test(message.text()))
  await page.evaluate(() => {
    const frame = document.createElement('iframe')
    frame.src = '/api/raw/a.html?inline=true'
    document.body.append(frame)
  })
  t.match((await refused).text(), /Content Security Policy/)
})
