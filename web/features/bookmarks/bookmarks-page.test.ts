import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'

t.teardown(closeBrowser)

const rows = (page: Page) => page.locator('[data-part=bookmarks] [data-part=row]')
const row = (page: Page, name: string) => rows(page).filter({ hasText: name })
const go = (page: Page, path: string) => page.goto(new URL(path, page.url()).href)
const current = (page: Page) =>
  page.locator('[data-part=bookmarks] [data-current] [data-full]').first().getAttribute('data-full')

t.test('a file is starred with the keyboard, found in the page Starred, and opened', async (t) => {
  const { page } = await start(t, { docs: { 'a b#?.txt': 'the first line' }, 'b.txt': 'b' })
  await itemNamed(page, 'b.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
  const starred = page.waitForResponse('**/api/starred/b.txt')
  await page.keyboard.press('Control+Shift+S')
  await starred
  await itemNamed(page, 'b.txt').getByRole('img', { name: 'Starred' }).waitFor()
  const call = await callerOf(page)
  await call('PUT', '/api/starred/docs')
  await call('PUT', '/api/starred/docs/a%20b%23%3F.txt')
  await page.getByRole('complementary').getByRole('link', { name: 'Starred' }).press('Enter')
  await page.waitForURL('**/starred')
  await until(async () => (await rows(page).count()) === 3)
  t.equal(await page.title(), 'Starred – Coffer')
  t.same(await violations(page), [])
  await page.getByRole('grid', { name: 'Starred' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('End')
  t.equal(await current(page), 'b.txt')
  const removed = page.waitForResponse('**/api/starred/b.txt')
  await page.keyboard.press('Control+Shift+S')
  await removed
  await row(page, 'b.txt').getByRole('button', { name: 'Starred', pressed: false }).waitFor()
  await page.keyboard.press('ArrowUp')
  t.equal(await current(page), 'a b#?.txt')
  await page.keyboard.press('Enter')
  await page.locator('[data-part=file]').getByText('the first line').waitFor()
})

t.test('a star that is added while the stars are being loaded stays', async (t) => {
  const { page } = await start(t, { 'b.txt': 'b' })
  const [asked, added] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // The first response has no star, and arrives after the star was added.
  await page.route('**/api/starred', async (route) => {
    const response = await route.fetch()
    asked.resolve()
    await added.promise
    await route.fulfill({ response })
  })
  await page.reload()
  await asked.promise
  await itemNamed(page, 'b.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
  await page.keyboard.press('Control+Shift+S')
  const star = itemNamed(page, 'b.txt').getByRole('img', { name: 'Starred' })
  await star.waitFor()
  const loaded = page.waitForResponse(
    async (reply) => reply.url().endsWith('/api/starred') && (await reply.text()).includes('b.txt'),
  )
  added.resolve()
  await loaded
  await star.waitFor()
})

t.test('opened files are recent, and are shown in their folder', async (t) => {
  const { page } = await start(t, { docs: { 'a.txt': 'a', 'b.txt': 'b' } })
  await go(page, '/recent')
  await page.getByText('No recent files').waitFor()
  t.same(await violations(page), [])
  const noted = page.waitForResponse('**/api/recent/docs/b.txt')
  await go(page, '/files/docs/b.txt')
  await noted
  await page.route('**/api/recent', (route) => route.abort())
  await go(page, '/recent')
  const again = page.getByRole('button', { name: 'Try again' })
  await again.waitFor()
  await page.unroute('**/api/recent')
  await again.press('Enter')
  await page.getByRole('rowheader', { name: 'Today' }).waitFor()
  t.same(await violations(page), [])
  await row(page, 'b.txt').getByRole('link', { name: 'Show in folder /docs/' }).press('Enter')
  await page.waitForURL('**/files/docs/')
  await itemNamed(page, 'b.txt').and(page.locator('[data-current]')).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Clear list' }).press('Enter')
  await page.getByText('No recent files').waitFor()
})

t.test(
  'starring answers with a notice, whose Undo takes it back and whose Show opens the starred files',
  async (t) => {
    const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', docs: {} })
    const star = (name: string) => itemNamed(page, name).getByRole('img', { name: 'Starred' })
    const notice = page.locator('[data-part=notices]')
    const withKey = async (name: string) => {
      await itemNamed(page, name).click()
      await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
      await page.keyboard.press('Control+Shift+S')
    }
    await withKey('a.txt')
    await notice.getByText(/^Added .?a\.txt.? to Starred$/).waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await star('a.txt').waitFor({ state: 'detached' })
    await notice.getByText(/^Removed .?a\.txt.? from Starred$/).waitFor()
    await withKey('b.txt')
    await star('b.txt').waitFor()
    await page.getByRole('grid').press('Control+a')
    await page.keyboard.press('Control+Shift+S')
    await notice.getByText('Added 2 items to Starred').waitFor()
    await notice.getByRole('button', { name: 'Undo' }).click()
    await star('a.txt').waitFor({ state: 'detached' })
    t.ok(await star('b.txt').isVisible(), 'what was starred before stays starred')
    await withKey('docs')
    await notice.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**/starred')
    await row(page, 'docs').waitFor()
    await row(page, 'b.txt').getByRole('button', { name: 'Starred' }).click()
    await notice.getByText(/^Removed .?b\.txt.? from Starred$/).waitFor()
  },
)

t.test('starred items of several folders are selected, and have the actions of files', async (t) => {
  const { page, root } = await start(t, { docs: { 'a.txt': 'a' }, more: { 'b.txt': 'b' }, 'c.txt': 'c' })
  const call = await callerOf(page)
  for (const place of ['docs/a.txt', 'more/b.txt', 'c.txt']) await call('PUT', `/api/starred/${place}`)
  await go(page, '/starred')
  const menu = (name: string) => page.getByRole('menuitem', { name })
  const isThere = (name: string) => existsSync(path.join(root, name))
  await row(page, 'a.txt').click()
  await row(page, 'c.txt').click({ modifiers: ['Shift'] })
  await page.getByText('3 of 3 selected').waitFor()
  await row(page, 'c.txt').locator('[data-check]').click()
  await page.getByText('2 of 3 selected').waitFor()
  t.same(await violations(page), [])
  await row(page, 'a.txt').click({ button: 'right' })
  for (const name of ['Download', 'Move to', 'Copy to', 'Remove from starred', 'Delete'])
    await menu(name).waitFor()
  t.same([await menu('Share').count(), await menu('Open').count()], [1, 0], 'one link for several')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name: 'Delete' }).click()
  for (const name of ['a.txt', 'b.txt']) await row(page, name).waitFor({ state: 'detached' })
  t.same([isThere('docs/a.txt'), isThere('more/b.txt'), isThere('c.txt')], [false, false, true])
  await page.locator('[data-key=change]').getByRole('button', { name: 'Undo' }).click()
  for (const name of ['a.txt', 'b.txt']) await row(page, name).waitFor()
  t.same([isThere('docs/a.txt'), isThere('more/b.txt')], [true, true])

  await page.getByRole('grid', { name: 'Starred' }).press('Home')
  await page.keyboard.press('F2')
  await page.getByRole('dialog').getByLabel('New name').fill('renamed.txt')
  await page.keyboard.press('Enter')
  await row(page, 'renamed.txt').waitFor()
  t.ok(isThere('docs/renamed.txt'))
  await page.getByRole('grid', { name: 'Starred' }).press('End')
  await page.keyboard.press('Shift+F10')
  await menu('Show in folder').click()
  await page.waitForURL('**/files/docs/')
  await itemNamed(page, 'renamed.txt').and(page.locator('[aria-selected=true]')).waitFor()
})

t.test('a deletion is undone by keyboard, and the last entry leaves the focus on the message', async (t) => {
  const { page, root } = await start(t, { 'b.txt': 'b' })
  await (await callerOf(page))('PUT', '/api/starred/b.txt')
  await go(page, '/starred')
  await page.getByRole('grid', { name: 'Starred' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+a')
  await page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name: 'Delete' }).waitFor()
  await page.keyboard.press('Delete')
  await page.getByRole('heading', { name: 'Nothing starred yet' }).and(page.locator(':focus')).waitFor()
  t.notOk(existsSync(path.join(root, 'b.txt')))
  await page.keyboard.press('Control+z')
  await row(page, 'b.txt').waitFor()
  t.ok(existsSync(path.join(root, 'b.txt')))
})

t.test('gestures in this list do nothing to the folder that was shown before', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' })
  await itemNamed(page, 'b.txt').waitFor()
  await (await callerOf(page))('PUT', '/api/starred/b.txt')
  await page.getByRole('complementary').getByRole('link', { name: 'Starred' }).click()
  await row(page, 'b.txt').waitFor()
  const { x = 0, y = 0, width = 0 } = (await row(page, 'b.txt').boundingBox()) ?? {}
  await page.mouse.move(x + width - 300, y + 20)
  await page.mouse.down()
  await page.mouse.move(x + width - 400, y + 120, { steps: 4 })
  t.equal(await page.locator('[role=grid][data-marquee], [data-part=marquee]').count(), 0)
  await page.mouse.up()
  await page.getByRole('complementary').getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'a.txt').waitFor()
  t.equal(await page.locator('[data-part=files] [aria-selected=true]').count(), 0)
})

t.test('items of several folders are moved, and one that is there already stays', async (t) => {
  const { page, root } = await start(t, { a: { 'x.txt': 'x' }, b: { 'y.txt': 'y' } })
  const call = await callerOf(page)
  for (const file of ['a/x.txt', 'b/y.txt']) await call('PUT', `/api/starred/${file}`)
  await go(page, '/starred')
  await page.getByRole('grid', { name: 'Starred' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+a')
  await page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'b', exact: true }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await until(() => existsSync(path.join(root, 'b/x.txt')))
  await dialog.waitFor({ state: 'detached' })
  t.ok(existsSync(path.join(root, 'b/y.txt')))
  t.notOk(existsSync(path.join(root, 'a/x.txt')))
})

t.test('on a phone, a tap opens a recent file, and an upload of many files is one entry', async (t) => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
  const { page } = await start(t, { 'a.txt': 'the first line', photos: {} }, phone)
  const call = await callerOf(page)
  await call('POST', '/api/recent/a.txt')
  for (let n = 0; n < 5; n++) await call('POST', `/api/resources/photos/${n}.jpg`, 'x')
  await go(page, '/recent')
  await row(page, 'photos').getByText('5 files uploaded').waitFor()
  t.equal(await rows(page).count(), 2)
  await row(page, 'a.txt').locator('[data-check]').tap()
  await page.getByText('1 of 2 selected').waitFor()
  t.same(await violations(page), [])
  await row(page, 'photos').tap()
  await page.getByText('2 of 2 selected').waitFor()
  await page.getByRole('button', { name: 'Clear selection' }).tap()
  await row(page, 'photos').tap()
  await page.waitForURL('**/files/photos/')
  await itemNamed(page, '4.jpg').waitFor()
  await page.goBack()
  await row(page, 'a.txt').tap()
  await page.locator('[data-part=file]').getByText('the first line').waitFor()
})
