import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

/** What is announced of `text`: the text of the nearest place that screen readers follow. */
const announced = (page: Page, text: string) =>
  page.locator('[aria-live=polite]').filter({ hasText: text }).first()

/** The text that screen readers read after the title of the open dialog. */
const description = (page: Page) =>
  page
    .getByRole('dialog')
    .evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent)

t.test('screen readers announce what happens without a move of the focus', async (t) => {
  const { page } = await start(t, { docs: { 'in.txt': '' }, 'a.png': pixel, 'b.png': pixel, 'c.txt': '' })
  const grid = page.getByRole('grid')
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()

  await itemNamed(page, 'docs').click()
  await page.keyboard.press('Enter')
  await itemNamed(page, 'in.txt').waitFor()
  t.equal(await announced(page, 'docs').textContent(), 'docs', 'the name of an opened folder')
  await page.keyboard.press('Backspace')
  await itemNamed(page, 'c.txt').waitFor()

  await grid.press('Control+i')
  await announced(page, 'Info opened').waitFor()
  await page.getByRole('complementary', { name: 'Info' }).waitFor()
  await grid.press('Control+i')
  await announced(page, 'Info closed').waitFor()

  await itemNamed(page, 'a.png').click()
  await page.keyboard.press('Enter')
  await page.getByRole('main', { name: 'a.png' }).waitFor()
  await page.keyboard.press('PageDown')
  await page.getByRole('main', { name: 'b.png' }).waitFor()
  await announced(page, 'b.png').waitFor()
  await page.keyboard.press('Escape')
  await itemNamed(page, 'c.txt').click()
  await page.keyboard.press('Space')
  await page.getByRole('dialog', { name: 'c.txt' }).waitFor()
  await announced(page, 'c.txt 4 of 4').waitFor()
  await page.keyboard.press('Escape')
})

t.test('screen readers read the text of a question, and of a notice only the sentence', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.keyboard.press('Shift+Delete')
  const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' })
  await cancel.waitFor()
  t.match(await description(page), /“a.txt” will be deleted permanently\./)
  await cancel.press('Enter')
  await cancel.waitFor({ state: 'detached' })
  await page.keyboard.press('Delete')
  const notices = page.getByRole('region', { name: 'Notifications' })
  const undo = notices.getByRole('button', { name: 'Undo' })
  await undo.focus()
  t.match(await announced(page, 'a.txt').textContent(), /^Moved .*a\.txt.* to the trash$/)
  t.equal(await undo.evaluate((one) => one.closest('[aria-live]')), null)
  await page.keyboard.press('Enter')
  await itemNamed(page, 'a.txt').waitFor()
})

t.test('a menu has no dialog around it, and the palette says how much it has found', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'ab.txt': '' })
  await page.getByRole('toolbar').getByRole('button', { name: 'More' }).click()
  await page.getByRole('menu').waitFor()
  t.equal(await page.getByRole('dialog').count(), 0)
  await page.getByRole('menuitem').first().and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Find anything' })
  await palette.getByRole('combobox').fill('ab.txt')
  await palette.getByRole('status').getByText('1 result').waitFor()
})
