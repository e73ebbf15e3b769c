import type { Page } from 'playwright-core'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  selectedNames,
  start,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { fold } from '#web/ui/format/fold.ts'
import { matchScore } from './fuzzy.ts'

t.teardown(closeBrowser)

const palette = (page: Page) => page.getByRole('dialog', { name: 'Find anything' })
const option = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name })

/** Opens the palette and types `words`. */
async function openPalette(page: Page, words = ''): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('combobox').fill(words)
}

t.test('the palette runs actions and finds files everywhere', async (t) => {
  const { page } = await start(t, { docs: { deep: { 'Final report.txt': 'x' } }, 'a.txt': 'a' })
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await openPalette(page)
  await option(page, /Select all.*Ctrl\+A/).waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
  await openPalette(page, 'nf')
  await option(page, /^New f/)
    .first()
    .and(page.locator('[aria-selected=true]'))
    .waitFor()
  await palette(page).getByRole('combobox').fill('final')
  await option(page, 'Final report.txt').waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
  await palette(page).getByRole('combobox').fill('qqqq')
  await palette(page).getByText('Nothing found').waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await openPalette(page, 'new folder')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New folder' }).waitFor()
})

t.test('the palette opens items of the folder, recent folders and settings, on every page', async (t) => {
  const { page } = await start(t, { docs: { 'b.txt': '' }, 'a.txt': 'a' })
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await openPalette(page, 'docs')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'b.txt').waitFor()
  await openPalette(page, 'health')
  await option(page, 'Health check').click()
  await page.waitForURL('**/settings/doctor')
  await page.getByRole('heading', { name: 'Health check' }).first().waitFor()
  await openPalette(page)
  await palette(page).getByRole('group', { name: 'Recent folders' }).getByRole('option').nth(1).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await option(page, 'docs').and(page.locator('[aria-selected=true]')).waitFor()
  await page.keyboard.press('Enter')
  await itemNamed(page, 'b.txt').waitFor()
})

t.test('the palette says that it lists only the first of many results', async (t) => {
  const names = Array.from({ length: 24 }, (_, n) => `note ${n + 1}.txt`)
  const { page } = await start(t, Object.fromEntries(names.map((name) => [name, ''])))
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await openPalette(page, 'note')
  await palette(page)
    .getByText(/^First \d+ results\. There may be more\.$/)
    .waitFor()
  await palette(page).getByRole('combobox').fill('note 24')
  await palette(page).getByText('1 result', { exact: true }).waitFor()
  await option(page, 'note 24.txt').waitFor()
})

t.test('no names of recent folders stay on the device after the sign-out', async (t) => {
  const { page } = await start(t, { docs: { 'b.txt': '' } }, { path: '/files/docs/' })
  await page.waitForFunction(() => sessionStorage.getItem('coffer.recent')?.includes('docs'))
  await chooseAccount(page, 'Sign out')
  await page.getByLabel('Username').waitFor()
  t.equal(await page.evaluate(() => sessionStorage.getItem('coffer.recent')), null)
})

for (const key of ['Shift+N', 'Alt+n']) {
  t.test(`${key} asks for a new folder`, async (t) => {
    const { page } = await start(t, { 'notes.txt': 'a' })
    await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
    await page.keyboard.press(key)
    await page.getByRole('dialog', { name: 'New folder' }).waitFor()
  })
}

t.test('single letters select names; where no name starts with them, they are shortcuts', async (t) => {
  const { page } = await start(t, { 'index.txt': 'a', 'pliers.txt': 'b', sub: { 'a.txt': '' } })
  const info = page.getByRole('complementary', { name: 'Info' })
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  let now = Date.now()
  // A letter that is typed 800 ms after another starts a new word.
  const wordEnds = () => {
    now += 900
    return page.clock.setFixedTime(now)
  }
  await wordEnds()
  await page.keyboard.press('p')
  await page.keyboard.press('i')
  t.same(await selectedNames(page), ['pliers.txt'], 'the second letter belongs to a word')
  await page.getByRole('grid').press('Escape')
  await wordEnds()
  await page.keyboard.press('i')
  t.same(await selectedNames(page), ['index.txt'])
  t.equal(await info.count(), 0)
  await itemNamed(page, 'sub').dblclick()
  await itemNamed(page, 'a.txt').waitFor()
  await wordEnds()
  await page.keyboard.press('i')
  await info.waitFor()
  const chooser = page.waitForEvent('filechooser')
  await wordEnds()
  await page.keyboard.press('u')
  await chooser
})

t.test('keys change the view and open the trash', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await page.keyboard.press('Alt+v')
  await page.locator('[data-part=card]').waitFor()
  await page.keyboard.press('Alt+v')
  await page.locator('[data-part=row]').waitFor()
  await openPalette(page, 'trash')
  await option(page, /^Trash.*Alt\+T$/).waitFor()
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
  await page.keyboard.press('Alt+t')
  await page.waitForURL('**/trash')
})

t.test('a match needs all characters in order and prefers the starts of words', async (t) => {
  const best = (query: string, ...texts: string[]) =>
    texts
      .map((text) => ({ text, score: matchScore(fold(query), fold(text)) }))
      .filter(({ score }) => score !== undefined)
      .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
      .map(({ text }) => text)
  t.same(best('nf', 'Info', 'New folder', 'Rename'), ['New folder', 'Info'])
  t.same(best('report', 'r-e-p-o-r-t', 'my report.txt', 'report.txt').at(-1), 'r-e-p-o-r-t')
  t.same(best('ELE', 'Élève', 'e'), ['Élève'])
  t.same(best('ab', 'ba'), [])
})
