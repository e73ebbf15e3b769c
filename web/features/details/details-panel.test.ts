import { i18n } from '@lingui/core'
import type { Page } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'
import { countKinds } from './kind-text.ts'
import { pictureSizeOf, turnedLike } from './picture-size.ts'

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

for (const colorScheme of ['light', 'dark'] as const) {
  t.test(
    `the panel follows the selection and shows a file, its checksum and a folder, ${colorScheme}`,
    async (t) => {
      const files = {
        folder: { a: {}, 'b.txt': 'x'.repeat(2000), 'c.txt': 'x'.repeat(96) },
        'hello.txt': 'hello\n',
      }
      const { page } = await start(t, files, { colorScheme })
      await openPanel(page)
      await panelOf(page).getByText('1 folder, 1 file').waitFor()
      await itemNamed(page, 'hello.txt').click()
      await fact(page, 'Size').getByText('6 bytes').waitFor()
      t.equal(await fact(page, 'Kind').innerText(), 'Text')
      t.match(await fact(page, 'Permissions').innerText(), 'Download, Edit, Rename, Delete, Share')
      await panelOf(page).getByText('Checksums', { exact: true }).press('Enter')
      await panelOf(page).getByRole('button', { name: 'Show SHA-1', exact: true }).click()
      await panelOf(page).getByText('f572d396fae9206628714fb2ce00f72e94f2258f').waitFor()
      await panelOf(page).getByText('Shared links', { exact: true }).press('Enter')
      await panelOf(page).getByText('No shared links.').waitFor()
      await settle(page)
      t.same(await violations(page), [])
      await itemNamed(page, 'folder').click()
      await panelOf(page).getByText('1 folder, 2 files').waitFor()
      await panelOf(page).getByRole('button', { name: 'Calculate' }).click()
      await panelOf(page).getByText('2.05 KB (2,096 bytes) · 2 files').waitFor()
      await page.keyboard.press('Control+a')
      await fact(page, 'Selected').getByText('1 folder, 1 file').waitFor()
      await settle(page)
      t.same(await violations(page), [])
    },
  )
}

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
  const asked: string[] = []
  page.on('request', (request) => /\.png/.test(request.url()) && asked.push(request.url()))
  await itemNamed(page, '1.png').click()
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowDown')
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
  await page.getByRole('dialog').getByRole('button', { name: 'Create permanent link' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Permanent link' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await panelOf(page).getByRole('link', { name: 'Permanent link' }).waitFor()
  await panelOf(page).getByRole('button', { name: 'Copy link' }).waitFor()
})

const head = (text: string, ...bytes: number[]) =>
  Uint8Array.from([...Buffer.from(text, 'latin1'), ...bytes, ...new Array(40).fill(0)])

t.test('the size of a picture is read from the start of its file', async (t) => {
  const webp = (kind: string, ...bytes: number[]) => head(`RIFF\0\0\0\0WEBPVP8${kind}`, 0, 0, 0, 0, ...bytes)
  const sizes: [string, Uint8Array, [number, number]][] = [
    ['PNG', asPng(plain(40, 30, [1, 2, 3])), [40, 30]],
    ['GIF', head('GIF89a', 0x2c, 0x01, 0xc8, 0x00), [300, 200]],
    ['JPEG', head('\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08', 0x01, 0x00, 0x02, 0x00), [512, 256]],
    ['BMP', head('BM', ...new Array(16).fill(0), 5, 0, 0, 0, 0xf9, 0xff, 0xff, 0xff), [5, 7]],
    ['WebP', webp(' ', 0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x00), [320, 240]],
    ['lossless WebP', webp('L', 0x2f, 0x3f, 0xc1, 0x3b, 0x00), [320, 240]],
    ['extended WebP', webp('X', 0, 0, 0, 0, 0x3f, 0x01, 0, 0xef, 0, 0), [320, 240]],
  ]
  for (const [name, bytes, [width, height]] of sizes) t.same(pictureSizeOf(bytes), { width, height }, name)
  t.equal(pictureSizeOf(head('nothing')), undefined)
  t.equal(pictureSizeOf(head('\xff\xd8\xff\xe0\xff\xff')), undefined, 'the frame is further away')
  t.same(turnedLike({ width: 4, height: 3 }, { width: 30, height: 40 }), { width: 3, height: 4 })
})

t.test('items are counted by kind, the most frequent first', async (t) => {
  i18n.loadAndActivate({ locale: 'en', messages: {} })
  const items = ['a.zip', 'b.txt', 'c.md'].map((name) => ({ name, isDir: false, type: 'text' as const }))
  t.same(
    countKinds(items).map(([, count]) => count),
    [2, 1],
  )
})
