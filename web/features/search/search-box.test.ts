import t from 'tap'
import { closeBrowser, item, selected, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const files = {
  'summer.jpg': '',
  docs: { 'summer plan #1?.txt': 'the plan', music: { 'summer.mp3': '' } },
  'winter.txt': '',
}

t.test('Ctrl+F finds by name below the folder, and Enter opens what the arrows reach', async (t) => {
  const { page } = await start(t, files)
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.keyboard.press('Control+f')
  await page.getByRole('combobox', { name: 'Search' }).fill('plan')
  await page.getByRole('option', { name: 'summer plan' }).waitFor()
  await page.getByText('1 found').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'summer plan #1?.txt' }).getByText('the plan').waitFor()
})

t.test('a tile narrows to a kind, and a result can be shown in its folder', async (t) => {
  const { page } = await start(t, files, { colorScheme: 'dark', viewport: { width: 390, height: 800 } })
  await page.getByRole('button', { name: 'Search' }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill('summer')
  await page.getByText('3 found').waitFor()
  await page.getByRole('button', { name: 'Music' }).click()
  await page.getByText('1 found').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.getByRole('combobox', { name: 'Search' }).press('Shift+Enter')
  await item(page, 'summer.mp3').waitFor()
  t.same(await selected(page), ['summer.mp3'])
  t.match(page.url(), /\/files\/docs\/music\/$/)
})

t.test('fifty results are shown, more when one comes near the end', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 130 }, (_, n) => [`many ${n}.txt`, '']))
  const { page } = await start(t, many)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('many')
  await page.getByText('130 found').waitFor()
  t.equal(await page.getByRole('option').count(), 50)
  await page.getByRole('listbox').evaluate((box) => box.scrollTo(0, box.scrollHeight))
  await page.getByRole('option').nth(99).waitFor()
  await page.getByRole('combobox', { name: 'Search' }).fill('nothing like this')
  await page.getByText('Nothing found.').waitFor()
})
