import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, downloadedBytes, signInAs, start, violations } from '#web/testing/browser.ts'
import { callerOf, settle } from '#web/testing/call.ts'
import { fakeTrash, row, rows, status, trashItem } from '#web/testing/trash.ts'

t.teardown(closeBrowser)

const gone = { state: 'detached' } as const

t.test('a deleted file is found, looked at and restored with the keyboard alone', async (t) => {
  const files = { docs: { 'a b#?.txt': 'the first line\n', 'b.txt': 'b' }, 'c.txt': 'c' }
  const { page, root } = await start(t, files)
  const call = await callerOf(page)
  for (const name of ['/docs/a%20b%23%3F.txt', '/docs/b.txt']) await call('DELETE', `/api/resources${name}`)
  await page.getByRole('complementary').getByRole('link', { name: 'Trash' }).press('Enter')
  await page.waitForURL('**/trash')
  await row(page, 'a b#?.txt').getByText('15 bytes').waitFor()
  t.equal(await page.title(), 'Trash – Coffer')
  t.match(await rows(page).allInnerTexts(), [/b\.txt\s+\/docs\/\s+now\s+ann\s+1 byte/, /a b#\?\.txt/])
  t.same(await violations(page), [])
  await page.keyboard.press('/')
  await page.keyboard.type('b#')
  await row(page, 'b.txt').filter({ hasNotText: '#' }).waitFor(gone)
  t.equal(await status(page).innerText(), '1 item · 15 bytes')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'a b#?.txt' })
  await dialog.getByText('the first line').waitFor()
  await dialog.getByRole('button', { name: 'Restore', exact: true }).waitFor()
  await settle(page)
  t.same(await violations(page), [])
  await page.keyboard.press('Enter')
  await page.getByText(/^Restored .*a b#\?\.txt.* to .*docs/).waitFor()
  t.equal(readFileSync(path.join(root, 'docs', 'a b#?.txt'), 'utf8'), 'the first line\n')
  await page.getByText('Nothing found').waitFor()
  await page.keyboard.press('Control+z')
  await row(page, 'a b#?.txt').waitFor()
  t.same(readdirSync(path.join(root, 'docs')), [], 'undo moves it to the trash again')
  await page.getByRole('searchbox').fill('<b>x</b> <0>')
  await page.getByText('No path contains “<b>x</b> <0>”.').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.press('Escape')
  await until(async () => (await rows(page).count()) === 2)
  const focused = () =>
    page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent)
  const restore = page.getByRole('toolbar').getByRole('button', { name: 'Restore', exact: true })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Space')
  await restore.press('Enter')
  await until(async () => (await rows(page).count()) === 1)
  await until(async () => (await focused()) === 'Trash')
  await page.keyboard.press('Control+a')
  await restore.press('Enter')
  await until(async () => (await focused())?.startsWith('The trash is empty'))
  await page.keyboard.press('Control+z')
  await rows(page).first().waitFor()
  await until(async () => (await focused()) === 'Trash')
})

t.test('several entries are restored elsewhere, deleted permanently, or all of them', async (t) => {
  const files = Object.fromEntries(['1', '2', '3', '4', '5'].map((name) => [`${name}.txt`, name]))
  const { page, root } = await start(t, { ...files, old: { 'x.txt': 'xx' }, new: { '1.txt': 'other' } })
  const call = await callerOf(page)
  for (const name of [...Object.keys(files), 'old/']) await call('DELETE', `/api/resources/${name}`)
  await page.goto(new URL('/trash', page.url()).href)
  await row(page, 'old').getByText('2 bytes').waitFor()
  await row(page, '1.txt').click()
  await row(page, '2.txt').click({ modifiers: ['ControlOrMeta'] })
  t.equal(await status(page).innerText(), '2 of 6 selected')
  await page.getByRole('button', { name: 'Restore to…' }).click()
  await page.getByRole('dialog').getByRole('treeitem', { name: 'new' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Restored 2 items').waitFor()
  t.same(readdirSync(path.join(root, 'new')).sort(), ['1(1).txt', '1.txt', '2.txt'])
  t.equal(readFileSync(path.join(root, 'new', '1.txt'), 'utf8'), 'other', 'nothing is overwritten')
  await row(page, '3.txt').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  t.equal(`${await downloadedBytes(download)}`, '3')
  await row(page, '4.txt').click({ modifiers: ['Shift'] })
  await page.keyboard.press('Delete')
  await page.getByRole('dialog').getByText('2 items will be deleted permanently.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('Deleted 2 items permanently').waitFor()
  t.equal(await status(page).innerText(), '2 items · 3 bytes')
  await page.getByRole('searchbox').fill('5.txt')
  await row(page, 'old').waitFor(gone)
  await page.getByRole('button', { name: 'Empty trash' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 items (3 bytes) will be deleted permanently.').waitFor()
  await dialog.getByText("This includes items that your search doesn't show.").waitFor()
  await dialog.getByRole('button', { name: 'Empty trash' }).click()
  await page.getByText('Deleted 2 items permanently').waitFor()
  await page.getByRole('searchbox').fill('')
  await page.getByText('The trash is empty').waitFor()
  t.same(await violations(page), [])
  t.notOk(existsSync(path.join(root, 'old')))
})

t.test('users see what they may restore, and no buttons for what they may not do', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', bob: { 'b.txt': 'b' } })
  const call = await callerOf(page)
  for (const name of ['a.txt', 'bob/b.txt']) await call('DELETE', `/api/resources/${name}`)
  const his = await signInAs(t, page, { scope: '/bob', perm: { download: true } }, '/trash')
  await row(his, 'b.txt').click()
  t.match(await rows(his).allInnerTexts(), [/^b\.txt\s+My files\s/])
  const tools = his.getByRole('main').locator('button:not([role=columnheader] > button)')
  t.same(await tools.evaluateAll((all) => all.map((one) => one.ariaLabel || one.textContent)), [
    'Preview',
    'Download',
    'Clear selection',
  ])
  await his.keyboard.press('Delete')
  await his.keyboard.press('Enter')
  await his.getByRole('dialog').getByText('Deleted by').waitFor()
  t.equal(await his.getByRole('dialog').getByRole('button', { name: 'Restore' }).count(), 0)
})

t.test(
  'the list follows what others delete and restore, and keeps scroll, selection and focus',
  async (t) => {
    const names = Array.from({ length: 60 }, (_, n) => `file ${String(n).padStart(2, '0')}.txt`)
    const { page, root } = await start(t, { bob: Object.fromEntries(names.map((name) => [name, ''])) })
    const call = await callerOf(page)
    for (const name of names) await call('DELETE', `/api/resources/bob/${name}`)
    await page.goto(new URL('/trash', page.url()).href)
    const his = await signInAs(t, page, { scope: '/bob', perm: { create: true, delete: true } }, '/trash')
    await row(his, 'file 59').waitFor()
    const list = page.getByRole('grid', { name: 'Trash' })
    await list.evaluate((list) => list.scrollTo(0, 100))
    await row(page, 'file 50').click()
    await list.evaluate((list) => list.scrollTo(0, 1600))
    const place = async () => (await row(page, 'file 20').boundingBox())?.y
    const before = await place()
    await row(his, 'file 58').click()
    await row(his, 'file 55').click({ modifiers: ['ControlOrMeta'] })
    await his.keyboard.press('Delete')
    await his.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).click()
    await page.locator('[role=grid][aria-rowcount="59"]').waitFor()
    await row(his, 'file 59').click()
    await his.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.locator('[role=grid][aria-rowcount="58"]').waitFor()
    t.ok(existsSync(path.join(root, 'bob', 'file 59.txt')))
    // The rows in sight stay where they are, and the entry of the cursor stays out of sight.
    await until(async () => (await place()) === before)
    t.equal(await status(page).innerText(), '1 of 57 selected')
    t.match(await page.locator('[data-current]').innerText(), 'file 50')
    t.ok(await list.evaluate((list) => list === document.activeElement))
    await call('DELETE', '/api/resources/bob/file%2059.txt')
    await row(his, 'file 59').waitFor()
    await list.evaluate((list) => list.scrollTo(0, 0))
    await row(page, 'file 59').waitFor()
    await his.getByRole('button', { name: 'Empty trash' }).click()
    await his.getByRole('dialog').getByRole('button', { name: 'Empty trash' }).click()
    await page.getByText('The trash is empty').waitFor()
  },
)

/** Entries with long names, and some of removed users. */
const entries = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    trashItem(n, { name: `file ${n} ${'long '.repeat(n % 40)}.txt`, by: n % 3 ? 'ann' : '' }),
  )

t.test('ten thousand entries are loaded page by page, and an error can be retried', async (t) => {
  const { page, address } = await start(t, {}, { path: '/settings/profile' })
  let isBroken = true
  const items = entries(10_000)
  const requested = await fakeTrash(page, { items: () => items, isBroken: () => isBroken })
  await page.goto(`${address}/trash`)
  await page.getByRole('alert').waitFor()
  isBroken = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await row(page, 'file 0').waitFor()
  const grid = page.getByRole('grid', { name: 'Trash' })
  t.equal(await grid.getAttribute('aria-rowcount'), '10001')
  await grid.focus()
  isBroken = true
  await page.keyboard.press('End')
  await page.getByRole('alert').getByText("The server's disk reported an error.").waitFor()
  isBroken = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').waitFor(gone)
  await grid.focus()
  const cursor = async () => Number((await grid.getAttribute('aria-activedescendant'))?.split('-')[1])
  // Each press moves to the end of what is loaded, which loads the next page.
  while ((await cursor()) < 1999) await page.keyboard.press('End')
  await page.locator('[data-index][data-current]').waitFor()
  t.same(requested.slice(0, 6), ['0', '0', '200', '200', '400', '600'], 'each page once, failed ones again')
  t.ok((await rows(page).count()) < 100, 'only visible rows are in the document')
  await page.keyboard.press('Control+a')
  t.match(await status(page).innerText(), /^2,\d00 of 10,000 selected$/, 'all that are loaded')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Home')
  await page.keyboard.press('Space')
  await page.keyboard.press('Shift+ArrowDown')
  t.equal(await status(page).innerText(), '2 of 10,000 selected')
})

t.test('the trash fits on a phone, in dark, and from right to left', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const { page, address } = await start(t, {}, { ...phone, locale: 'ar', path: '/settings/profile' })
  const items = entries(50)
  await fakeTrash(page, { items: () => items })
  await page.goto(`${address}/trash`)
  await rows(page).nth(1).tap()
  await rows(page).nth(3).tap()
  t.equal(await page.getAttribute('html', 'dir'), 'rtl')
  t.equal(await page.locator('[aria-selected=true]').count(), 2, 'a tap adds to the selection')
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  t.same(await violations(page), [])
  await rows(page).nth(3).tap()
  await page.getByRole('toolbar').getByRole('button').first().tap()
  await page.getByRole('dialog').waitFor()
  await settle(page)
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await page.route('**/api/trash/*/restore', (route) => route.fulfill({ json: { path: '/a.txt' } }))
  await page.getByRole('toolbar').locator('[data-main]').tap()
  // The notice itself is still animated.
  const notices = page.locator('[data-part=notices]:has(> div)')
  const [above, below] = [
    await notices.boundingBox(),
    await page.locator('[data-part=trash] footer').boundingBox(),
  ]
  t.ok(above && below && above.y + above.height <= below.y, 'the notice does not cover the status line')
})
