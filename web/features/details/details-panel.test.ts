import type { Page } from 'playwright-core'
import t from 'tap'
import { mp3 } from '#src/testing/media-files.ts'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  itemNamed,
  signInAs,
  start,
  violations,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'
import { photo } from '#web/testing/photos.ts'

t.teardown(closeBrowser)

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Info' })
const fact = (page: Page, name: string) =>
  panelOf(page).getByText(name, { exact: true }).locator('xpath=following-sibling::dd')

/** Opens the panel with its shortcut, when the page knows it. */
async function openPanel(page: Page): Promise<void> {
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await page.keyboard.press('Control+i')
  await panelOf(page).waitFor()
}

t.test('the panel follows the selection and shows a file, its checksum and a folder', async (t) => {
  const files = {
    folder: { a: {}, 'b.txt': 'x'.repeat(2000), 'c.txt': 'x'.repeat(96) },
    'hello.txt': 'hello\n',
  }
  const { page } = await start(t, files)
  await openPanel(page)
  await panelOf(page).getByText('1 folder, 1 file').waitFor()
  await itemNamed(page, 'hello.txt').click()
  await fact(page, 'Size').getByText('6 bytes').waitFor()
  t.equal(await fact(page, 'Kind').innerText(), 'Text')
  await fact(page, 'Permissions').getByText('Download, Edit, Rename, Delete, Share').waitFor()
  await panelOf(page).getByText('Checksums', { exact: true }).press('Enter')
  await panelOf(page).getByRole('button', { name: 'Show SHA-1', exact: true }).click()
  await panelOf(page).getByText('f572d396fae9206628714fb2ce00f72e94f2258f').waitFor()
  await panelOf(page).getByText('Shared links', { exact: true }).press('Enter')
  await panelOf(page).getByText('No shared links.').waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
  await itemNamed(page, 'folder').click()
  await panelOf(page).getByText('1 folder, 2 files').waitFor()
  await panelOf(page).getByRole('button', { name: 'Calculate' }).click()
  await panelOf(page).getByText('2.05 KB (2,096 bytes) · 2 files').waitFor()
  await page.keyboard.press('Control+a')
  await fact(page, 'Selected').getByText('1 folder, 1 file').waitFor()
  await settle(page)
  t.same(await violationsInBothThemes(page), [])
})

t.test('the panel shows what the user may do with this item, by permissions and rules', async (t) => {
  const files = { docs: { deep: { 'secret.txt': '' } }, free: {}, 'a.txt': 'a' }
  const { page } = await start(t, files)
  const rules = [{ allow: false, path: '/docs/deep/secret.txt', regex: false, regexp: null }]
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: true }
  const his = await signInAs(t, page, { perm, rules })
  await openPanel(his)
  await fact(his, 'Permissions').getByText('Download, Create, Share', { exact: true }).waitFor()
  await itemNamed(his, 'docs').click()
  await fact(his, 'Permissions').getByText('Download, Create, Share', { exact: true }).waitFor()
  await itemNamed(his, 'free').click()
  await fact(his, 'Permissions').getByText('Download, Create, Rename, Delete, Share').waitFor()
  await itemNamed(his, 'a.txt').click()
  await fact(his, 'Permissions').getByText('Download, Edit, Rename, Delete, Share').waitFor()
})

t.test('the panel stays open after a reload, and Escape in it returns to the list', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await openPanel(page)
  await page.reload()
  await panelOf(page).getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('Escape')
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await panelOf(page).getByRole('button', { name: 'Close' }).press('Enter')
  await panelOf(page).waitFor({ state: 'detached' })
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await page.getByRole('toolbar').getByRole('button', { name: 'Info', expanded: false }).waitFor()
})

t.test('a picture gets a preview and its dimensions, but only when the selection rests', async (t) => {
  const png = asPng(plain(40, 30, [200, 0, 0]))
  const names = ['1.png', '2.png', '3.png', '4.png']
  const { page } = await start(t, Object.fromEntries(names.map((name) => [name, png])))
  await openPanel(page)
  // The pictures in the rows of the list are not those of the panel.
  await page.getByRole('grid').locator('img').nth(3).waitFor()
  const asked: string[] = []
  page.on('request', (request) => /\.png/.test(request.url()) && asked.push(request.url()))
  // At once, because on a busy machine the selection would rest between two keys.
  await page.getByRole('grid').evaluate((grid) => {
    for (let n = 0; n < 5; n++)
      grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
  })
  await panelOf(page).getByRole('img', { name: 'Preview of 4.png' }).waitFor()
  await fact(page, 'Dimensions').getByText('40 × 30').waitFor()
  t.same(
    asked.filter((url) => !url.includes('4.png')),
    [],
  )
})

t.test('a link that is created appears in the panel', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await openPanel(page)
  await itemNamed(page, 'a.txt').click()
  await panelOf(page).getByText('Shared links', { exact: true }).click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Share' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Permanent link' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await panelOf(page).getByRole('link', { name: 'Permanent link' }).waitFor()
  await panelOf(page).getByRole('button', { name: 'Copy link' }).waitFor()
})

t.test('a photo shows its camera, exposure and place, and a song its tags', async (t) => {
  const { page } = await start(
    t,
    { 'a.jpg': await photo('2024:05:01 12:30:00'), 'b.mp3': mp3(), 'c.png': asPng(plain(4, 3, [1, 2, 3])) },
    { permissions: ['clipboard-read', 'clipboard-write'] },
  )
  const others: string[] = []
  const { origin } = new URL(page.url())
  page.on('request', (request) => new URL(request.url()).origin === origin || others.push(request.url()))
  await openPanel(page)
  await itemNamed(page, 'a.jpg').click()
  await fact(page, 'Date taken').getByText('May 1, 2024, 12:30').waitFor()
  const facts = {
    'Date taken': /UTC\+02:00/,
    Dimensions: /^60 × 40$/,
    Camera: /^Coffer Optics C-1$/,
    Lens: /^C 35mm F2.8$/,
    Exposure: /^1\/250 s · f\/2.8 · ISO 400$/,
    'Focal length': /^35 mm$/,
    Place: /^-33.85700, 151.21500$/,
  }
  for (const [name, text] of Object.entries(facts)) t.match(await fact(page, name).innerText(), text, name)
  await settle(page)
  t.same(await violations(page), [])
  await panelOf(page).getByRole('button', { name: 'Copy coordinates' }).press('Enter')
  await page.getByText('Copied!').waitFor()
  t.equal(await page.evaluate(() => navigator.clipboard.readText()), '-33.85700, 151.21500')
  await panelOf(page).getByText('Photo', { exact: true }).click()
  await itemNamed(page, 'b.mp3').click()
  await fact(page, 'Artist').getByText('Ada').waitFor()
  for (const [name, text] of Object.entries({
    Title: 'Étude',
    Album: 'Numbers',
    Year: '1999',
    Track: '3',
    Genre: 'Jazz',
  }))
    t.equal(await fact(page, name).innerText(), text)
  t.match(await fact(page, 'Duration').innerText(), /^0:0\d$/)
  t.equal(await fact(page, 'Sample rate').innerText(), '44.1 kHz')
  t.equal(await fact(page, 'Channels').innerText(), 'Stereo')
  await itemNamed(page, 'c.png').click()
  await fact(page, 'Dimensions').getByText('4 × 3').waitFor()
  t.equal(await panelOf(page).getByText('Photo', { exact: true }).count(), 0, 'nothing to tell')
  await itemNamed(page, 'a.jpg').click()
  await panelOf(page).getByText('Photo', { exact: true }).waitFor()
  t.equal(await panelOf(page).getByText('Exposure', { exact: true }).count(), 0, 'the part stays closed')
  t.same(others, [], 'no map is asked for the place')
})
