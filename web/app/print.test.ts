import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, startCompleteBrowser } from '#web/testing/browser.ts'

t.teardown(closeBrowser)
// The headless shell of some systems cannot print.
startCompleteBrowser()

/** Prints the page on A4 and returns the number of sheets. */
async function sheets(page: Page): Promise<number> {
  const pdf = await page.pdf({ format: 'A4' })
  return pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
}

const lines = Array.from({ length: 600 }, (_, n) => `line ${n}`)

t.test('lists, texts and Markdown are printed whole', async (t) => {
  const { page, address } = await start(t, {
    many: Object.fromEntries(lines.map((line) => [line, ''])),
    'long.txt': lines.join('\n'),
    'long.md': lines.join('\n\n'),
    'short.txt': lines.slice(0, 25).join('\n'),
    'short.md': 'words',
  })
  await itemNamed(page, 'short.txt').waitFor()
  t.equal(await sheets(page), 1, 'a short list')
  await page.goto(`${address}/files/many/`)
  await itemNamed(page, 'line 0').waitFor()
  const list = await sheets(page)
  t.ok(list >= 20 && list <= 60, `${list} sheets of a list`)
  t.ok((await page.locator('[data-part=row]').count()) < 100, 'afterwards only the visible rows are rendered')
  await page.goto(`${address}/files/long.txt`)
  await page.getByRole('textbox', { name: 'long.txt' }).waitFor()
  const text = await sheets(page)
  t.ok(text >= 8 && text <= 16, `${text} sheets of text`)
  await page.goto(`${address}/files/long.md`)
  await page.getByText('line 599').waitFor()
  const markdown = await sheets(page)
  t.ok(markdown >= 12 && markdown <= 30, `${markdown} sheets of Markdown`)
  await page.goto(`${address}/files/short.txt`)
  await page.getByRole('textbox', { name: 'short.txt' }).waitFor()
  t.equal(await sheets(page), 1, 'a short text')
  await page.goto(`${address}/files/short.md`)
  await page.getByRole('region', { name: 'Preview of short.md' }).getByText('words').waitFor()
  t.equal(await sheets(page), 1, 'short Markdown')
  await page.emulateMedia({ media: 'print' })
  t.equal((await page.locator('body').innerText()).trim(), 'short.md\n\nwords', 'only the content')
})
