import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  start,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { chooseNew, newButton } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const files = {
  docs: { 'a.txt': 'text' },
  'notes.md': '# notes',
  'song.mp3': 'x',
  [`${'long '.repeat(40)}.txt`]: '',
}

const phone = { viewport: { width: 390, height: 800 }, hasTouch: true }

t.test('no accessibility violations on a phone', async (t) => {
  const { page } = await start(t, files, phone)
  await itemNamed(page, 'docs').locator('[data-check]').tap()
  t.same(await violationsInBothThemes(page), [], 'the list')
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
  t.same(await violationsInBothThemes(page), [], 'the mosaic')
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').getByLabel('Name').fill('a/b')
  await page
    .getByRole('dialog')
    .evaluate((pane) => Promise.all(pane.parentElement?.getAnimations().map((one) => one.finished) ?? []))
  t.same(await violationsInBothThemes(page, '[role=dialog]'), [], 'a dialog with an error')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await (await newButton(page)).click()
  await page.getByRole('menu').waitFor()
  t.same(await violationsInBothThemes(page, '[data-part=menu]'), [], 'a menu')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await itemNamed(page, 'notes.md').dblclick()
  await page.getByRole('textbox', { name: 'notes.md' }).waitFor()
  t.same(await violationsInBothThemes(page), [], 'a text')
})

t.test('no accessibility violations on the sign-in page', async (t) => {
  const address = await serve(t, t.testdir({ 'a.txt': '' }))
  const page = await openPage(t, phone)
  await page.goto(address)
  await page.getByLabel('Username').fill('nobody')
  await page.getByLabel('Password').fill('wrong')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  t.same(await violationsInBothThemes(page), [])
  await page.setViewportSize({ width: 1280, height: 800 })
  t.same(await violationsInBothThemes(page), [])
})

t.test('screen readers learn the length of the list and the current row', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, '']))
  const { page } = await start(t, many)
  const grid = page.getByRole('grid', { name: 'Files' })
  t.equal(
    await grid.getAttribute('aria-rowcount'),
    '502',
    'with the rows of the column and the group headers',
  )
  await page.keyboard.press('End')
  const row = page.locator(`#${await grid.getAttribute('aria-activedescendant')}`)
  await row.waitFor()
  t.equal(await row.getAttribute('aria-rowindex'), '502')
  t.equal(await row.getAttribute('aria-selected'), 'true')
})

t.test('a row says whether it is a folder or a file, and nothing for a folder without a size', async (t) => {
  const { page } = await start(t, { docs: {}, 'a.txt': 'text' })
  await itemNamed(page, 'docs').waitFor()
  for (const view of ['list', 'mosaic']) {
    if (view === 'mosaic') await page.getByRole('button', { name: 'Show as tiles' }).click()
    await page
      .locator(view === 'list' ? '[data-part=row]' : '[data-part=card]')
      .first()
      .waitFor()
    const said = await page.getByRole('grid').ariaSnapshot()
    t.match(said, /img "Folder"\s+- link "docs"/, view)
    t.match(said, /img "File"\s+- link "a\.txt"/, view)
    t.notMatch(said, '—', view)
  }
})

t.test('the page complies with the Content Security Policy of the server', async (t) => {
  const { page } = await start(t, files)
  const broken: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) broken.push(message.text())
  })
  await page.reload()
  await (await newButton(page)).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').waitFor()
  t.same(broken, [])
})

t.test('an instance has a light or a dark theme, or follows each device', async (t) => {
  const { page } = await start(t, files)
  const scheme = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await scheme()
  await page.emulateMedia({ colorScheme: 'dark' })
  t.equal(await scheme(), light, 'a new instance is light')
  await page.goto(new URL('/settings/global', page.url()).href)
  const choose = async (theme: string) => {
    await page.getByLabel('Theme').selectOption(theme)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await noticed(page, 'Settings updated!')
    const now = await scheme()
    await page.reload()
    await page.getByLabel('Theme').waitFor()
    t.equal(await scheme(), now, 'from the first paint on')
    return now
  }
  const dark = await choose('Match device')
  t.not(dark, light)
  t.equal(await choose('Light'), light)
  await page.emulateMedia({ colorScheme: 'light' })
  t.equal(await choose('Dark'), dark)
  t.equal(await choose('Match device'), light)
})
