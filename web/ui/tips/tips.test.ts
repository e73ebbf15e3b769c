import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const long = `${'a very long name '.repeat(12)}.txt`
const tipIn = (page: Page) => page.locator('[data-part="tip"]')

t.test('a tool shows its name and shortcut to the resting pointer, until Escape', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  const search = page.getByRole('button', { name: 'Search', exact: true })
  await search.hover()
  const tip = tipIn(page)
  await tip.waitFor()
  t.match(await tip.textContent(), /^Search.+/)
  t.equal(await tip.locator('kbd').count(), 1)
  t.equal(await search.getAttribute('title'), null)
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  t.equal(await tip.count(), 0)
})

t.test('a tooltip follows the keyboard and stays inside the window', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, { viewport: { width: 800, height: 600 } })
  const more = page.getByRole('button', { name: 'More', exact: true })
  await page.getByRole('button', { name: 'Search', exact: true }).focus()
  await page.keyboard.press('End')
  const tip = tipIn(page)
  await tip.waitFor()
  t.equal(await more.evaluate((element) => element === document.activeElement), true)
  t.equal(await tip.textContent(), 'More')
  const box = await tip.boundingBox()
  t.ok(box && box.x + box.width <= 800 && box.y + box.height <= 600)
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  t.equal(await tip.count(), 0, 'the open menu covers no tooltip')
})

t.test('only a truncated name shows its full text', async (t) => {
  const { page } = await start(t, { 'a.txt': '', [long]: '' }, { viewport: { width: 800, height: 600 } })
  await page.getByRole('button', { name: 'More', exact: true }).waitFor()
  await page.getByRole('link', { name: long }).hover()
  await tipIn(page).waitFor()
  t.equal(await tipIn(page).textContent(), long)
  await page.getByRole('link', { name: 'a.txt', exact: true }).hover()
  await tipIn(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More', exact: true }).hover()
  await tipIn(page).waitFor()
  t.equal(await tipIn(page).textContent(), 'More')
})

t.test('touch shows no tooltip', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, { hasTouch: true })
  await page.getByRole('button', { name: 'Show as tiles' }).tap()
  await page.getByRole('button', { name: 'Show as list' }).waitFor()
  t.equal(await tipIn(page).count(), 0)
})

t.test('a row that has the keyboard for a while shows its exact date', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '' })
  // The code of the tooltips arrives together with the tools.
  await page.getByRole('button', { name: 'Search', exact: true }).waitFor()
  await page.getByRole('grid').press('ArrowDown')
  await tipIn(page).waitFor()
  t.match(await tipIn(page).textContent(), /\d{4}.*\d:\d\d/)
  t.equal(await tipIn(page).getAttribute('aria-hidden'), 'true')
  await page.keyboard.press('ArrowDown')
  t.equal(await tipIn(page).count(), 0, 'it is not in the way of the next row')
  await tipIn(page).waitFor()
  await page.keyboard.press('Escape')
  t.equal(await tipIn(page).count(), 0)
  t.equal(await page.locator('time[title]').count(), 0)
})
