import type { Page } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  currentName,
  itemNamed,
  selectedNames,
  start,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'

t.teardown(closeBrowser)

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

/** Selects an item when the page knows the key of the preview. */
async function select(page: Page, name: string): Promise<void> {
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await itemNamed(page, name).click()
}

const files = {
  '1 folder': {},
  '2.png': asPng(plain(30, 20, [200, 0, 0])),
  '3.md': '# Title\n\n- one',
  '4.txt': `start ${'x'.repeat(300_000)} end`,
  '5.bin': Buffer.from([0, 1, 2]),
}

t.test('Space shows a preview, and arrow keys go to the next item', async (t) => {
  const { page } = await start(t, files)
  await select(page, '1 folder')
  await page.keyboard.press('Space')
  await dialog(page, '1 folder').waitFor()
  await page.keyboard.press('ArrowDown')
  await dialog(page, '2.png').getByRole('img', { name: '2.png' }).waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
  await page.keyboard.press('ArrowRight')
  await dialog(page, '3.md').getByRole('heading', { name: 'Title' }).waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
  await page.keyboard.press('ArrowDown')
  await dialog(page, '4.txt').getByText('Only the beginning of the text is shown.').waitFor()
  await page.keyboard.press('ArrowDown')
  await dialog(page, '5.bin').getByText('There is no preview of this file.').waitFor()
  await page.keyboard.press('ArrowUp')
  await dialog(page, '4.txt').waitFor()
  t.same(await selectedNames(page), ['4.txt'], 'the cursor of the list follows')
  await page.keyboard.press('Space')
  await closed(page)
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Space')
  await dialog(page, '4.txt').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/files/4.txt')
  await closed(page)
})

t.test('in the mosaic, Space shows a preview, and arrow keys go to the next picture', async (t) => {
  const { page } = await start(t, files)
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await select(page, '2.png')
  await page.keyboard.press('Space')
  await dialog(page, '2.png').getByRole('img', { name: '2.png' }).waitFor()
  await page.keyboard.press('ArrowRight')
  await dialog(page, '3.md').getByRole('heading', { name: 'Title' }).waitFor()
  await page.keyboard.press('Space')
  await closed(page)
  t.same(await selectedNames(page), ['3.md'], 'the cursor of the mosaic follows')
})

t.test('with several selected items the preview goes through them and keeps the selection', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
  await select(page, 'a.txt')
  await page.keyboard.press('Control+ArrowDown')
  await page.keyboard.press('Control+ArrowDown')
  await page.keyboard.press('Control+Space')
  await page.keyboard.press('Space')
  await dialog(page, 'c.txt').getByText('2 of 2').waitFor()
  await dialog(page, 'c.txt').getByRole('button', { name: 'Previous' }).click()
  await dialog(page, 'a.txt').waitFor()
  await page.keyboard.press('Escape')
  await closed(page)
  t.equal(await currentName(page), 'a.txt')
  t.same(await selectedNames(page), ['a.txt', 'c.txt'])
})
