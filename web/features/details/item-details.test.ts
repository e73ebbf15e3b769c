import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, itemNamed, signInAs, start, violations } from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'
import { noticed } from '#web/testing/notices.ts'
import { photo } from '#web/testing/photos.ts'
import { delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

/** The panel beside a list, or the dialog of an open file. */
const info = (page: Page) =>
  page.getByRole('dialog', { name: 'Info' }).or(page.locator('[data-part=details]'))
const fact = (page: Page, name: string) =>
  info(page).getByText(name, { exact: true }).locator('xpath=following-sibling::dd')
/** The name at the top of the properties. */
const named = (page: Page, name: string) =>
  info(page).locator('p:has(> bdi)').getByText(name, { exact: true })
const factNames = (page: Page) => info(page).locator('dt').allInnerTexts()
const parts = (page: Page) => info(page).locator('summary').allInnerTexts()
const gone = { state: 'detached' } as const

/** Opens the panel with its button, when the page knows it. */
async function openPanel(page: Page): Promise<void> {
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).click()
  await info(page).waitFor()
}

const picture = asPng(plain(40, 30, [200, 0, 0]))

t.test('the properties describe the shown folder, an item, or several items', async (t) => {
  const files = {
    docs: { 'a.txt': 'x'.repeat(3000), deep: { 'b.txt': 'x'.repeat(72) } },
    more: { 'c.txt': 'c' },
    'd.txt': 'hello\n',
    'e.png': picture,
    'f.png': picture,
  }
  const { page } = await start(t, files)
  await openPanel(page)

  await t.test('without a selection, the properties are those of the shown folder', async (t) => {
    await named(page, 'My files').waitFor()
    t.equal(await fact(page, 'Kind').innerText(), 'Folder')
    t.equal(await fact(page, 'Contents').innerText(), '2 folders, 3 files')
    await fact(page, 'Permissions').getByText('Create').waitFor()
    t.strictSame(await parts(page), ['Activity'], 'the folder of a user cannot be shared')
    await itemNamed(page, 'docs').dblclick()
    await named(page, 'docs').waitFor()
    t.equal(await fact(page, 'Contents').innerText(), '1 folder, 1 file')
    t.strictSame(await parts(page), ['Shared links', 'Activity'])
    await page.goBack()
    await named(page, 'My files').waitFor()
  })

  await t.test('the properties of several items are their number, kinds and sizes', async (t) => {
    await itemNamed(page, 'd.txt').click()
    await page.keyboard.press('Control+a')
    await fact(page, 'Selected').getByText('2 folders, 3 files').waitFor()
    const names = await factNames(page)
    t.strictSame(names.slice(0, 3), ['Selected', 'Size of the files', 'Total size'])
    t.strictSame(names.slice(3).sort(), ['Folder', 'Image', 'Text'])
    t.equal(await fact(page, 'Image').innerText(), '2')
    t.strictSame(await parts(page), [], 'those of a single item')
    const calculate = info(page).getByRole('button', { name: 'Calculate' })
    await calculate.click()
    const bytes = 3000 + 72 + 1 + 6 + 2 * picture.length
    await fact(page, 'Total size')
      .getByText(`(${bytes.toLocaleString('en')} bytes)`)
      .waitFor()
    await itemNamed(page, 'more').click({ modifiers: ['ControlOrMeta'] })
    await calculate.waitFor()
    await itemNamed(page, 'docs').click({ modifiers: ['ControlOrMeta'] })
    await fact(page, 'Selected').getByText('3 files').waitFor()
    t.equal(await fact(page, 'Total size').count(), 0, 'without folders, the size is known')
  })

  await t.test('calculating the size of a folder ends when another item is selected', async (t) => {
    await itemNamed(page, 'docs').click()
    const slow = await delayResponses(page, '**/api/resources/recursive/**')
    await info(page).getByRole('button', { name: 'Calculate' }).click()
    await slow.waitForCalls()
    t.match(await fact(page, 'Total size').innerText(), /^0 bytes · 0 files …$/)
    const aborted = page.waitForEvent('requestfailed', (request) => /recursive/.test(request.url()))
    await itemNamed(page, 'd.txt').click()
    await aborted
    slow.release()
    await fact(page, 'Size').getByText('6 bytes').waitFor()
    await itemNamed(page, 'docs').click()
    await info(page).getByRole('button', { name: 'Calculate' }).click()
    await fact(page, 'Total size').getByText('3 KB (3,072 bytes) · 2 files').waitFor()
  })

  await t.test('the parts of the properties that a person opens stay open for the next item', async (t) => {
    await itemNamed(page, 'd.txt').click()
    await info(page).getByText('Checksums', { exact: true }).click()
    await info(page).getByRole('button', { name: 'Show MD5' }).click()
    await info(page).getByText('b1946ac92492d2347c6235b4d2611184').waitFor()
    await itemNamed(page, 'e.png').click()
    await info(page).getByRole('button', { name: 'Show MD5' }).waitFor()
    t.equal(await info(page).locator('code').count(), 0, 'the checksum is that of the other file')
    await info(page).getByText('Checksums', { exact: true }).click()
    await itemNamed(page, 'd.txt').click()
    await fact(page, 'Size').getByText('6 bytes').waitFor()
    t.equal(await info(page).getByRole('button', { name: 'Show MD5' }).count(), 0)
  })
})

t.test('the properties follow what other programs change', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'hello\n', docs: { 'b.txt': 'b' } })
  await openPanel(page)
  await itemNamed(page, 'a.txt').click()
  await info(page).getByText('Checksums', { exact: true }).click()
  await info(page).getByRole('button', { name: 'Show SHA-256' }).click()
  await info(page)
    .getByText(/^5891b5b522d5df086d0ff0b110fbd9d2/)
    .waitFor()
  await writeFile(join(root, 'a.txt'), 'hello, world\n')
  await fact(page, 'Size').getByText('13 bytes').waitFor()
  await info(page).getByRole('button', { name: 'Show SHA-256' }).waitFor()
  await rm(join(root, 'a.txt'))
  await named(page, 'My files').waitFor()
  t.equal(await fact(page, 'Contents').innerText(), '1 folder', 'a deleted item is not selected any more')
  await writeFile(join(root, 'c.txt'), '')
  await fact(page, 'Contents').getByText('1 folder, 1 file').waitFor()
})

t.test('properties that the server refuses say why, and the others are shown', async (t) => {
  const { page } = await start(t, { 'a.jpg': await photo('2024:05:01 12:30:00'), 'b.txt': 'b', docs: {} })
  const broken = { status: 500, json: { code: 'disk.failed' } } as const
  await page.route('**/api/rights/**', (route) => route.abort())
  for (const part of ['metadata/a.jpg', 'preview/**', 'resources/docs*', 'resources/recursive/**'])
    await page.route(`**/api/${part}`, (route) => route.fulfill(broken))
  await page.route('**/api/resources/b.txt?checksum=*', (route) => route.fulfill(broken))
  await openPanel(page)
  await itemNamed(page, 'a.jpg').click()
  await fact(page, 'Permissions').getByText("Can't reach the server.").waitFor()
  await fact(page, 'Kind').getByText('Image').waitFor()
  t.equal(await info(page).getByRole('img', { name: 'Preview of a.jpg' }).count(), 0, 'the icon stays')
  t.equal(await info(page).getByText('Photo', { exact: true }).count(), 0)
  await itemNamed(page, 'docs').click()
  await fact(page, 'Contents').getByText("The server's disk reported an error.").waitFor()
  await info(page).getByRole('button', { name: 'Calculate' }).click()
  await fact(page, 'Total size').getByText("The server's disk reported an error.").waitFor()
  await itemNamed(page, 'b.txt').click()
  await info(page).getByText('Checksums', { exact: true }).click()
  await info(page).getByRole('button', { name: 'Show MD5' }).click()
  await fact(page, 'MD5').getByText("The server's disk reported an error.").waitFor()
  await info(page).getByText('Activity', { exact: true }).click()
  await settle(page)
  t.same(await violations(page), [])
  await page.unroute('**/api/rights/**')
  await itemNamed(page, 'a.jpg').click()
  await fact(page, 'Permissions').getByText('Download').waitFor()
})

t.test('a user who may only view sees no preview, metadata, links or checksums', async (t) => {
  const { page } = await start(t, {
    'a.jpg': await photo('2024:05:01 12:30:00'),
    'b.txt': 'b',
    docs: { 'c.txt': '' },
  })
  const his = await signInAs(t, page, { perm: {} })
  const asked: string[] = []
  his.on(
    'request',
    (request) => /api\/(metadata|preview)\/a/.test(request.url()) && asked.push(request.url()),
  )
  await openPanel(his)
  await itemNamed(his, 'a.jpg').click()
  await fact(his, 'Permissions').getByText('View', { exact: true }).waitFor()
  t.strictSame(await factNames(his), ['Kind', 'Size', 'Location', 'Last modified', 'Permissions'])
  t.notOk((await parts(his)).includes('Shared links'))
  t.strictSame(asked, [])
  await itemNamed(his, 'docs').click()
  await fact(his, 'Contents').getByText('1 file').waitFor()
  await fact(his, 'Permissions').getByText('View', { exact: true }).waitFor()
})

t.test('the properties of an open file are in a dialog, and are those that it has now', async (t) => {
  const { page, root } = await start(t, { 'a b#?.txt': 'hello\n', 'b.txt': 'b' }, { path: '/files/b.txt' })
  await page.getByRole('textbox', { name: 'b.txt' }).waitFor()
  const button = page.getByRole('button', { name: 'Info' })
  await button.press('Enter')
  await fact(page, 'Size').getByText('1 byte').waitFor()
  t.equal(await fact(page, 'Location').innerText(), 'My files')
  t.strictSame(await parts(page), ['Shared links', 'Versions', 'Activity', 'Checksums'])
  await settle(page)
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await info(page).waitFor(gone)
  await button.and(page.locator(':focus')).waitFor()
  await button.press('Enter')
  await fact(page, 'Size').getByText('1 byte').waitFor()
  await info(page).getByRole('button', { name: 'Close' }).last().click()
  await info(page).waitFor(gone)
  await page.getByRole('textbox', { name: 'b.txt' }).press('ControlOrMeta+End')
  await page.keyboard.type('bb')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page
    .getByRole('status')
    .filter({ hasText: /^Saved$/ })
    .waitFor()
  await page.getByRole('textbox', { name: 'b.txt' }).press('ControlOrMeta+i')
  await fact(page, 'Size').getByText('3 bytes').waitFor()
  await writeFile(join(root, 'b.txt'), 'others')
  await fact(page, 'Size').getByText('6 bytes').waitFor()
})

t.test('on a phone the properties fit the screen, also from right to left', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const { page } = await start(t, { 'a.jpg': await photo('2024:05:01 12:30:00') }, { ...phone, locale: 'ar' })
  await itemNamed(page, 'a.jpg').waitFor()
  await page.getByRole('grid').press('Control+a')
  await page.keyboard.press('Control+i')
  await info(page).waitFor()
  const place = info(page).getByText('-33.85700, 151.21500')
  await place.waitFor()
  t.equal(await page.getAttribute('html', 'dir'), 'rtl')
  t.equal(
    await place.evaluate((one) => getComputedStyle(one).direction),
    'ltr',
    'coordinates keep their order',
  )
  await settle(page)
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  const box = await info(page).boundingBox()
  t.ok(box && box.x >= 0 && box.x + box.width <= 390)
  await info(page).getByRole('button').first().tap()
  await info(page).waitFor(gone)
  await itemNamed(page, 'a.jpg').waitFor()
})

t.test('the place of a photo is copied also without the clipboard of the browser', async (t) => {
  const { page } = await start(t, { 'a.jpg': await photo('2024:05:01 12:30:00') })
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
    Object.assign(globalThis, { copies: [] as string[], refuses: true })
    document.execCommand = () => {
      const state = globalThis as unknown as { copies: string[]; refuses: boolean }
      state.copies.push(getSelection()?.toString() ?? '')
      return !state.refuses
    }
  })
  await openPanel(page)
  await itemNamed(page, 'a.jpg').click()
  await fact(page, 'Altitude').getByText('59 m', { exact: true }).waitFor()
  const copy = info(page).getByRole('button', { name: 'Copy coordinates' })
  await copy.press('Enter')
  await page.getByRole('alert').getByText("The text couldn't be copied.").waitFor()
  await page.evaluate(() => Object.assign(globalThis, { refuses: false }))
  await copy.press('Enter')
  await noticed(page, 'Copied!')
  const copies = await page.evaluate(() => (globalThis as unknown as { copies: string[] }).copies)
  t.strictSame(copies, ['-33.85700, 151.21500', '-33.85700, 151.21500'])
  t.ok(await copy.evaluate((one) => one === document.activeElement), 'the button keeps the focus')
})

t.test(
  'the button of the properties says whether they are shown, and a folder keeps them open',
  async (t) => {
    const { page } = await start(t, { docs: { 'a.txt': 'a' } })
    const button = page.getByRole('toolbar').getByRole('button', { name: 'Info' })
    await button.and(page.locator('[aria-expanded=false]')).click()
    await button.and(page.locator('[aria-expanded=true]')).waitFor()
    await itemNamed(page, 'docs').dblclick()
    await itemNamed(page, 'a.txt').click()
    await fact(page, 'Size').getByText('1 byte').waitFor()
    await info(page).getByText('Activity', { exact: true }).focus()
    await page.keyboard.press('Control+i')
    await info(page).waitFor(gone)
    t.ok(await page.getByRole('grid').evaluate((one) => one === document.activeElement))
  },
)
