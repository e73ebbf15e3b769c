import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import { closeBrowser, downloadedBytes, itemNamed, start, violations } from '#web/testing/browser.ts'
import { callerOf, settle } from '#web/testing/call.ts'

t.teardown(closeBrowser)

const panel = (page: Page) => page.getByRole('complementary', { name: 'Info' })
/** The panel beside a list, or the dialog of an open file. */
const info = (page: Page) =>
  page.getByRole('dialog', { name: 'Info' }).or(page.locator('[data-part=details]'))
const compared = (page: Page) => page.getByRole('dialog', { name: /^Compare: / })
const lines = (page: Page) => info(page).getByRole('listitem')
const gone = { state: 'detached' } as const

/** Opens the part `title` of the properties of an item with the keyboard. */
async function openPart(page: Page, name: string, title: string) {
  await itemNamed(page, name).click()
  await page.keyboard.press('Control+i')
  await info(page).waitFor()
  await info(page).getByText(title, { exact: true }).press('Enter')
}

const numbered = (changed: string) =>
  Array.from({ length: 60 }, (_, n) => `line ${n}${n === 20 ? changed : ''}\n`).join('')

t.test('old contents of a text are looked at, compared, downloaded and deleted', async (t) => {
  const { page, root } = await start(t, { 'a b#.txt': numbered(' one') })
  const call = await callerOf(page)
  for (const word of [' two', ' two\nand more', ' three'])
    await call('PUT', '/api/resources/a%20b%23.txt', numbered(word))
  await openPart(page, 'a b#.txt', 'Versions')
  await lines(page).nth(2).waitFor()
  t.equal(await lines(page).count(), 3)
  t.match(await lines(page).first().innerText(), /\d+ bytes\s+replaced by ann, /)
  t.same(await violations(page), [])
  const buttons = (label: string) => lines(page).getByRole('button', { name: label, exact: true })
  await buttons('Preview').last().press('Enter')
  const look = page.getByRole('dialog', { name: /a b#\.txt.*, / })
  await look.getByText('line 20 one').waitFor()
  await settle(page)
  t.same(await violations(page), [])
  await look.getByRole('button', { name: 'Compare' }).click()
  await compared(page).getByText('1 line removed, 1 line added').waitFor()
  t.same(await compared(page).getByRole('deletion').allTextContents(), ['Removed: line 20 one'])
  t.same(await compared(page).getByRole('insertion').allTextContents(), ['Added: line 20 three'])
  t.equal(await compared(page).getByText('line 24').count(), 0, 'common lines far away are folded')
  await compared(page).getByRole('button', { name: 'Show 36 unchanged lines' }).press('Enter')
  t.equal(await compared(page).getByText('line 24').count(), 2)
  await compared(page).getByLabel('After').selectOption({ index: 1 })
  await compared(page).getByText('1 line removed, 2 lines added').waitFor()
  await settle(page)
  t.same(await violations(page), [])
  await compared(page).getByLabel('Before').selectOption({ index: 1 })
  await compared(page).getByText('There are no differences.').waitFor()
  await page.keyboard.press('Escape')
  await compared(page).waitFor(gone)
  await info(page).waitFor()
  await buttons('More').last().press('Enter')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Download' }).press('Enter'),
  ])
  t.equal(`${await downloadedBytes(download)}`, numbered(' one'))
  await buttons('More').last().press('Enter')
  await page.getByRole('menuitem', { name: 'Delete version' }).press('Enter')
  const question = page.getByRole('dialog', { name: 'Delete this version?' })
  await question.getByRole('button', { name: 'Delete version' }).press('Enter')
  await page.getByText('Version deleted.').waitFor()
  await lines(page).nth(2).waitFor(gone)
  t.equal(readFileSync(path.join(root, 'a b#.txt'), 'utf8'), numbered(' three'))
})

t.test('restoring asks about unsaved changes, shows the old content and can be undone', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'first' })
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', 'second')
  await page.goto(new URL('/files/a.txt', page.url()).href)
  const area = page.getByRole('textbox', { name: 'a.txt' })
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' and third')
  const restore = async () => {
    await page.getByRole('button', { name: 'Info' }).click()
    // The part stays open when the dialog is opened again.
    const part = info(page).getByText('Versions', { exact: true })
    if (!(await part.evaluate((one) => one.closest('details')?.open))) await part.press('Enter')
    await lines(page).last().getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    await info(page).waitFor(gone)
  }
  await restore()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await area.innerText(), 'second and third', 'canceling changes nothing')
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'second')
  await restore()
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(/Restored an old version of .*a\.txt/).waitFor()
  await area.getByText('first', { exact: true }).waitFor()
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'first')
  await page.locator('[data-part=notices]').getByRole('button', { name: 'Undo' }).click()
  await area.getByText('second and third', { exact: true }).waitFor()
  t.equal(readFileSync(path.join(root, 'a.txt'), 'utf8'), 'second and third')
})

t.test('pictures are compared side by side, and other files by size and time', async (t) => {
  const files = { 'a.png': asPng(plain(30, 20, [200, 0, 0])), 'b.bin': Buffer.from([0, 1, 2]) }
  const { page } = await start(t, files)
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.png', asPng(plain(40, 20, [0, 0, 200])))
  await call('PUT', '/api/resources/b.bin', Buffer.from([0]))
  await openPart(page, 'a.png', 'Versions')
  await info(page).getByRole('button', { name: 'Compare' }).click()
  const widths = () =>
    compared(page)
      .getByRole('img')
      .evaluateAll(async (all) => {
        for (const one of all as HTMLImageElement[]) await one.decode()
        return (all as HTMLImageElement[]).map((one) => one.naturalWidth)
      })
  await compared(page).getByRole('img').nth(1).waitFor()
  t.same(await widths(), [30, 40])
  await page.keyboard.press('Escape')
  await compared(page).waitFor(gone)
  // The focus returns to the button.
  await page.locator('[aria-label=Compare]:focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await itemNamed(page, 'b.bin').click()
  await panel(page).getByText('1 byte', { exact: true }).waitFor()
  await info(page).getByRole('button', { name: 'Compare' }).click()
  await compared(page).getByText('Only texts can be compared line by line.').waitFor()
  t.match(await compared(page).getByRole('figure').allInnerTexts(), [/3 bytes · /, /1 byte · /])
})

t.test('the activity of a file and of a folder says who did what, and loads more on demand', async (t) => {
  const { page, root } = await start(t, { docs: { 'a.txt': 'a' } })
  const call = await callerOf(page)
  for (let n = 0; n < 25; n++) await call('PUT', '/api/resources/docs/a.txt', `${n}`)
  await call('PATCH', '/api/resources/docs/a.txt?action=rename&destination=%2Fdocs%2Fb.txt')
  writeFileSync(path.join(root, 'docs', 'c.txt'), 'by another program')
  await openPart(page, 'docs', 'Activity')
  const entries = info(page).getByRole('listitem')
  await entries.nth(19).waitFor()
  t.match(await entries.first().innerText(), /^Moved or renamed\s+\/docs\/a\.txt to \/docs\/b\.txt\s+ann, /)
  t.match(await entries.nth(1).innerText(), /^Changed\s+\/docs\/a\.txt\s+ann, /)
  await info(page).getByRole('button', { name: 'Show more' }).press('Enter')
  await entries.nth(25).waitFor()
  t.equal(await entries.count(), 26)
  await settle(page)
  // In the frame after the button has disappeared, the dialog moves a lost focus.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  t.ok(await entries.nth(20).evaluate((one) => one === document.activeElement), 'the first new one')
  await settle(page)
  t.same(await violations(page), [])
})

t.test('a comparison stays open while the file is changed', async (t) => {
  const { page } = await start(t, { 'a.txt': numbered(' one') })
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', numbered(' two'))
  await openPart(page, 'a.txt', 'Versions')
  await lines(page).getByRole('button', { name: 'Compare' }).click()
  await compared(page).getByRole('deletion').waitFor()
  await call('PUT', '/api/resources/a.txt', numbered(' three'))
  await compared(page).getByRole('option').nth(5).waitFor({ state: 'attached' })
  await compared(page).getByRole('button', { name: 'Close' }).click()
  t.equal(await lines(page).count(), 2, 'the new version is in the list')
})

t.test('a comparison has one column on a phone, and errors can be retried', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const { page } = await start(t, { 'a.txt': numbered(' one') }, phone)
  const call = await callerOf(page)
  await call('PUT', '/api/resources/a.txt', numbered(' two'))
  let isBroken = true
  await page.route('**/api/versions/**', (route) => (isBroken ? route.abort() : route.continue()))
  await openPart(page, 'a.txt', 'Versions')
  await info(page).getByRole('alert').getByText("Can't reach the server.").waitFor()
  isBroken = false
  await info(page).getByRole('button', { name: 'Try again' }).click()
  await info(page).getByRole('button', { name: 'Compare' }).click()
  const [before, after] = [compared(page).getByRole('deletion'), compared(page).getByRole('insertion')]
  await before.waitFor()
  const [upper, lower] = [await before.boundingBox(), await after.boundingBox()]
  t.equal(upper?.x, lower?.x)
  t.ok((upper?.y ?? 0) < (lower?.y ?? 0), 'the old line is above the new one')
  await settle(page)
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
})
