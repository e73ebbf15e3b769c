import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  selectedNames,
  start,
  untilQuiet,
  violations,
  visibleNames,
} from '#web/testing/browser.ts'
import { chooseNew, newButton } from '#web/testing/places.ts'
import { delayResponses } from '#web/testing/responses.ts'
import { dropFiles } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const noDialog = { state: 'detached' } as const

t.test('while a folder loads, no action applies to the previous one', async (t) => {
  const { page } = await start(t, { slow: { 'in.txt': '' }, 'a.txt': 'a' })
  await itemNamed(page, 'slow').click()
  await page.getByRole('button', { name: 'Rename' }).waitFor()
  const slow = await delayResponses(page, '**/api/resources/slow/')
  await page.keyboard.press('Enter')
  await slow.waitForCalls()
  t.same(await selectedNames(page), [], 'the selection is cleared')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await chooseNew(page, 'New folder')
  t.same(await selectedNames(page), [])
  t.equal(await page.getByRole('dialog').count(), 0)
  await page.locator('[inert] [role=grid]').waitFor()
  t.ok(await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').first().isVisible())
  slow.release()
  await itemNamed(page, 'in.txt').waitFor()
  t.equal(await page.locator('[inert] [role=grid]').count(), 0)
  await page.keyboard.press('Control+a')
  t.same(await selectedNames(page), ['in.txt'], 'the keys apply to the new list')
})

t.test('when a folder cannot be shown, no action applies to the previous one', async (t) => {
  const { page, root } = await start(t, { gone: {}, 'a.txt': 'a' })
  await itemNamed(page, 'gone').click()
  await page.getByRole('button', { name: 'Rename' }).waitFor()
  await rm(path.join(root, 'gone'), { recursive: true })
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await (await newButton(page)).click()
  await page.getByRole('menuitem', { name: 'New folder' }).waitFor()
  t.equal(await page.getByRole('menuitem', { name: 'Upload files' }).count(), 0)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor(noDialog)
  for (const key of ['Control+a', 'Delete', 'F2', 'Control+c', 'Control+v']) await page.keyboard.press(key)
  t.equal(await page.getByRole('dialog').count(), 0)
  t.equal(await page.getByText('Copied.').count(), 0)
  await page.getByRole('link', { name: 'Go to my files' }).click()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test(
  'without a connection the list stays, says so, and is refreshed when the network returns',
  async (t) => {
    const { page, root } = await start(t, { 'a.txt': 'a' })
    await itemNamed(page, 'a.txt').waitFor()
    const refresh = async () => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Refresh' }).click()
    }
    await page.getByRole('button', { name: 'More' }).waitFor()
    await page.route('**/api/resources/', (route) => route.abort())
    await refresh()
    const line = page.locator('[data-part=lost-line]')
    await line.getByText("Can't reach the server.").waitFor()
    t.same(await visibleNames(page), ['a.txt'])
    t.equal(await page.locator('[data-part=notices] > div').count(), 0, 'it is said once')
    t.same(await violations(page, '[data-part=lost-line]'), [])
    await page.unroute('**/api/resources/')
    await line.getByRole('button', { name: 'Try again' }).click()
    await line.waitFor(noDialog)
    await page.context().setOffline(true)
    await line.waitFor()
    await writeFile(path.join(root, 'b.txt'), '')
    await page.context().setOffline(false)
    await itemNamed(page, 'b.txt').waitFor()
    await line.waitFor(noDialog)
  },
)

t.test(
  'without a connection a deletion is refused, and the notice goes when the network returns',
  async (t) => {
    const { page, root } = await start(t, { docs: {}, 'a.txt': 'a' })
    await itemNamed(page, 'a.txt').click()
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await page.context().setOffline(true)
    const notice = page.getByRole('alert').getByText("Can't reach the server.")
    for (const key of ['Delete', 'Shift+Delete']) {
      await page.keyboard.press(key)
      await notice.getByText('“a.txt”:').waitFor()
      t.equal(await page.getByRole('dialog').count(), 0, key)
      await page.locator('[data-part=notices]').getByRole('button', { name: 'Close' }).click()
      await notice.waitFor(noDialog)
    }
    await page.keyboard.press('Delete')
    await notice.waitFor()
    await page.context().setOffline(false)
    await notice.waitFor(noDialog)
    t.same(await readdir(root), ['a.txt', 'docs'])
  },
)

t.test(
  'a folder that cannot be reached keeps its breadcrumbs, and opens when the network returns',
  async (t) => {
    const { page } = await start(t, { docs: { inner: { 'a.txt': 'a' } } }, { path: '/files/docs/' })
    await itemNamed(page, 'inner').waitFor()
    await page.getByRole('button', { name: 'More' }).waitFor()
    await page.context().setOffline(true)
    await itemNamed(page, 'inner').dblclick()
    await page.getByRole('main').getByRole('alert').getByText("Can't reach the server.").waitFor()
    const crumbs = page.locator('[data-part=breadcrumbs]')
    await crumbs.getByRole('link', { name: 'inner' }).waitFor()
    t.same(await violations(page, 'main'), [])
    await crumbs.getByRole('link', { name: 'docs' }).click()
    await itemNamed(page, 'inner').waitFor()
    await itemNamed(page, 'inner').dblclick()
    await page.getByRole('main').getByRole('alert').getByText("Can't reach the server.").waitFor()
    await untilQuiet(page)
    await page.context().setOffline(false)
    await itemNamed(page, 'a.txt').waitFor()
  },
)

t.test('refreshing a deleted folder shows an error', async (t) => {
  const { page, root, address } = await start(t, { folder: { 'a.txt': '' } })
  await itemNamed(page, 'folder').waitFor()
  // Otherwise the page would notice the deletion by itself.
  await page.route('**/api/events**', (route) => route.abort())
  await page.goto(`${address}/files/folder/`)
  await itemNamed(page, 'a.txt').waitFor()
  await rm(path.join(root, 'folder'), { recursive: true })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Refresh' }).click()
  await page.getByRole('main').getByText("This location can't be reached.").waitFor()
  t.equal(await page.getByRole('grid').count(), 0)
})

t.test('uploads refresh the list without aborting a running request', async (t) => {
  const { page, root } = await start(t, { inner: {} })
  await page.getByRole('progressbar', { name: 'Disk usage' }).waitFor()
  await page.getByRole('button', { name: 'More' }).waitFor()
  const aborted: string[] = []
  page.on('requestfailed', (request) => aborted.push(request.url()))
  const list = await delayResponses(page, '**/api/resources/')
  for (const name of ['a.txt', 'b.txt']) {
    // The disk usage is requested later than the list would be.
    const usageRequest = page.waitForRequest('**/api/usage/')
    await dropFiles(page, '[data-index] [data-folder], [data-index][data-folder]', [{ name, content: '' }])
    await usageRequest
    await list.waitForCalls()
    await writeFile(path.join(root, name), '')
  }
  t.same(aborted, [])
  list.release()
  await itemNamed(page, 'b.txt').waitFor()
})

t.test('a failed change of the sort order is not shown', async (t) => {
  const { page } = await start(t, { 'a.txt': 'aaa', 'b.txt': 'b' })
  await itemNamed(page, 'a.txt').waitFor()
  const order = (name: string) => page.getByRole('columnheader', { name }).getAttribute('aria-sort')
  const lost = page.getByText("Can't reach the server.")
  for (const [call, end] of [
    ['**/api/users/*', () => page.getByRole('button', { name: 'Close' }).click()],
    ['**/api/resources/', () => page.evaluate(() => dispatchEvent(new Event('online')))],
  ] as const) {
    await page.route(call, (route) => route.abort())
    await page.getByRole('button', { name: 'Size' }).click()
    await lost.waitFor()
    await page.locator('[aria-sort=ascending]').filter({ hasText: 'Name' }).waitFor()
    t.equal(await order('Size'), 'none')
    t.same(await visibleNames(page), ['a.txt', 'b.txt'])
    await page.unroute(call)
    await end()
    await lost.waitFor(noDialog)
  }
  // The order was saved. The list arrives in it.
  await page.locator('[data-index="0"]').filter({ hasText: 'b.txt' }).waitFor()
  t.equal(await order('Size'), 'ascending')
})

t.test('a new file does not open after the user has left its folder', async (t) => {
  const { page } = await start(t, { inner: { 'in.txt': '' } })
  await itemNamed(page, 'inner').dblclick()
  await itemNamed(page, 'in.txt').waitFor()
  const creation = await delayResponses(page, '**/api/resources/inner/new.txt*', 'POST')
  await chooseNew(page, 'New file')
  await page.getByRole('dialog').getByLabel('Name').fill('new.txt')
  await page.keyboard.press('Enter')
  await creation.waitForCalls()
  await page.goBack()
  await itemNamed(page, 'inner').waitFor()
  await page.getByRole('dialog').waitFor(noDialog)
  // The parent folder is refreshed, because something below it has changed.
  const refreshed = page.waitForResponse('**/api/resources/')
  creation.release()
  await refreshed
  t.match(page.url(), /\/files\/$/)
  t.ok(await itemNamed(page, 'inner').isVisible())
})
