import t from 'tap'
import {
  closeBrowser,
  currentName,
  downloadedBytes,
  itemNamed,
  selectedNames,
  start,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('shows a text file, and closing returns to the same place in the list', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.ts': 'const a = "<script>"\n\tindented\n' })
  await itemNamed(page, 'b.ts').click()
  await page.keyboard.press('Enter')
  const text = page.getByRole('textbox', { name: 'b.ts' })
  await text.waitFor()
  t.same(await text.locator('.cm-line').allTextContents(), ['const a = "<script>"', '\tindented', ''])
  t.equal(await page.title(), 'b.ts – Coffer')
  await page.keyboard.press('Escape')
  await text.waitFor({ state: 'detached' })
  t.equal(await currentName(page), 'b.ts')
  t.same(await selectedNames(page), [], 'a change of route clears the selection')
})

t.test('a damaged picture shows an error', async (t) => {
  const { page } = await start(t, { 'a.png': 'no picture at all' })
  await itemNamed(page, 'a.png').dblclick()
  t.equal(await page.getByRole('alert').textContent(), "This image can't be shown.")
})

t.test('downloads a file with its own name and unchanged bytes', async (t) => {
  const { page } = await start(t, { '"x" ü#%.bin': Buffer.from([0, 1, 2, 255]) })
  await itemNamed(page, '"x" ü#%.bin').click()
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).first().click()
  const download = await downloadEvent
  // Browsers write _ for the quotes that Windows forbids in names.
  t.match(download.suggestedFilename(), /^["_]x["_] ü#%\.bin$/)
  t.same(await downloadedBytes(download), Buffer.from([0, 1, 2, 255]))
})

t.test('a file without a preview can be downloaded from its page', async (t) => {
  const { page } = await start(t, { 'a.bin': Buffer.alloc(2048) }, { path: '/files/a.bin' })
  await page.getByRole('main', { name: 'a.bin' }).getByText('2 KB').waitFor()
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('main', { name: 'a.bin' }).getByRole('button', { name: 'Download' }).last().click()
  t.equal((await downloadEvent).suggestedFilename(), 'a.bin')
})
