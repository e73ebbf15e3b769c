import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { closeBrowser, downloadedBytes, selectedNames, start, violations } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'
import { closeError, noticed } from '#web/testing/notices.ts'
import { delayResponses } from '#web/testing/responses.ts'
import { namesIn, row, rows, status } from '#web/testing/trash.ts'

t.teardown(closeBrowser)

const gone = { state: 'detached' } as const
const tool = (page: Page, name: string) =>
  page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name, exact: true })
const dialog = (page: Page) => page.getByRole('dialog')
const alert = (page: Page) => page.getByRole('alert')

/** The names in a folder, without our own hidden folders. */
const namesOn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort()

/** Starts a server, deletes `names`, and opens the trash on a page that does not hear of changes by others. */
async function open(t: Parameters<typeof start>[0], files: Parameters<typeof start>[1], names: string[]) {
  const { page, root, address } = await start(t, files, { path: '/settings/profile' })
  const call = await callerOf(page)
  const remove = (name: string) => call('DELETE', `/api/resources/${name}`)
  for (const name of names) await remove(name)
  await page.route('**/api/events', (route) => route.abort())
  const show = async () => {
    await page.goto(`${address}/trash`)
    await rows(page).first().waitFor()
  }
  await show()
  return { page, root, call, remove, show, address }
}

t.test('entries of the trash are restored where they were, or elsewhere', async (t) => {
  const files = { docs: { 'a.txt': 'old', 'b.txt': 'b' }, other: {}, 'c.txt': 'c' }
  const { page, root, call } = await open(t, files, ['docs/a.txt', 'docs/b.txt', 'c.txt'])
  writeFileSync(path.join(root, 'docs', 'a.txt'), 'new')
  await row(page, 'a.txt').click()
  await tool(page, 'Restore').click()
  await noticed(page, 'The name was taken. Restored as')
  t.equal(readFileSync(path.join(root, 'docs', 'a(1).txt'), 'utf8'), 'old')
  t.equal(readFileSync(path.join(root, 'docs', 'a.txt'), 'utf8'), 'new', 'nothing is overwritten')
  await row(page, 'a.txt').waitFor(gone)

  await call('DELETE', '/api/resources/docs/')
  await row(page, 'b.txt').click()
  await tool(page, 'Restore').click()
  await noticed(page, 'Restored')
  t.strictSame(namesOn(path.join(root, 'docs')), ['b.txt'], 'its folder is created again')

  await row(page, 'c.txt').click()
  await tool(page, 'Restore to…').click()
  await dialog(page).getByRole('treeitem', { name: 'other' }).waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Escape')
  await dialog(page).waitFor(gone)
  t.strictSame(await namesIn(page, '[aria-selected=true]'), ['c.txt'], 'canceling changes nothing')
  t.strictSame(namesOn(path.join(root, 'other')), [])
  await tool(page, 'Restore to…').click()
  await dialog(page).getByRole('treeitem', { name: 'other' }).click()
  await dialog(page).getByRole('button', { name: 'Restore' }).click()
  await noticed(page, 'Restored')
  t.strictSame(namesOn(path.join(root, 'other')), ['c.txt'])
  await page.locator('[data-part=notices]').getByRole('button', { name: 'Show' }).click()
  await page.waitForURL('**/files/other/')
  await page.locator('[data-index][aria-selected=true]').waitFor()
  t.strictSame(await selectedNames(page), ['c.txt'], 'the notice leads to the restored file')
})

t.test('a restored entry goes to the trash again by undoing, and leaves it again by redoing', async (t) => {
  const { page, root } = await open(t, { 'a.txt': 'a', 'b.txt': 'b' }, ['a.txt', 'b.txt'])
  await page.keyboard.press('Control+a')
  await tool(page, 'Restore').click()
  await noticed(page, 'Restored 2 items')
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  await page.locator('[data-part=notices]').getByRole('button', { name: 'Undo' }).click()
  await rows(page).nth(1).waitFor()
  t.strictSame(namesOn(root), [])
  await page.keyboard.press('Control+y')
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  t.strictSame(namesOn(root), ['a.txt', 'b.txt'])
  await page.keyboard.press('Control+z')
  await rows(page).nth(1).waitFor()
  await page.keyboard.press('Control+Shift+Z')
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  t.strictSame(namesOn(root), ['a.txt', 'b.txt'])
  await page.getByRole('searchbox').press('Control+z')
  t.strictSame(namesOn(root), ['a.txt', 'b.txt'], 'in a field, the key undoes what was typed')
})

t.test('what the server refuses in the trash is said once, and the rest is done', async (t) => {
  const names = ['1.txt', '2.txt', '3.txt', '4.txt', '5.txt', '6.txt']
  const files = Object.fromEntries(names.map((name) => [name, name]))
  const { page, root, call, remove } = await open(t, files, names)

  await t.test(
    'entries of the trash that others have restored are reported and leave the list',
    async (t) => {
      const { items } = (await (await call('GET', '/api/trash?limit=10')).json()) as {
        items: { id: string; name: string }[]
      }
      for (const { id, name } of items) {
        if (name === '1.txt' || name === '2.txt') await call('POST', `/api/trash/${id}/restore`)
      }
      for (const name of ['1.txt', '2.txt', '3.txt'])
        await row(page, name).click({ modifiers: ['ControlOrMeta'] })
      await tool(page, 'Restore').click()
      await noticed(page, 'Restored')
      await alert(page)
        .filter({ hasText: /and 1 more/ })
        .waitFor()
      await alert(page).getByText('This is no longer kept on the server.').waitFor()
      await row(page, '1.txt').waitFor(gone)
      t.strictSame((await namesIn(page)).sort(), ['4.txt', '5.txt', '6.txt'])
      t.strictSame(namesOn(root), ['1.txt', '2.txt', '3.txt'])
      await closeError(page)
    },
  )

  await t.test('restoring from the trash stops when the server cannot be reached', async (t) => {
    for (const name of ['1.txt', '2.txt', '3.txt']) await remove(name)
    await page.reload()
    await rows(page).nth(5).waitFor()
    let calls = 0
    await page.route('**/api/trash/*/restore', (route) => {
      calls++
      return route.abort()
    })
    await page.keyboard.press('Control+a')
    await tool(page, 'Restore').click()
    await alert(page).getByText("Can't reach the server.").waitFor()
    await alert(page)
      .filter({ hasText: /and 5 more/ })
      .waitFor()
    t.equal(calls, 4, 'those that were running')
    t.equal(await rows(page).count(), 6)
    t.strictSame(namesOn(root), [])
    await page.unroute('**/api/trash/*/restore')
    await closeError(page)
  })

  await t.test('a download from the trash that fails names the file', async (t) => {
    await page.route('**/api/ticket', (route) =>
      route.fulfill({ status: 500, json: { code: 'server.failed' } }),
    )
    await row(page, '4.txt').click()
    await tool(page, 'Download').click()
    await alert(page).filter({ hasText: '4.txt' }).getByText('Something really went wrong.').waitFor()
    await page.unroute('**/api/ticket')
    await closeError(page)
    const pending = page.waitForEvent('download')
    await tool(page, 'Download').click()
    t.equal(`${await downloadedBytes(await pending)}`, '4.txt')
  })
})

t.test('deleting from the trash asks, and only a clear answer deletes', async (t) => {
  const files = { 'a.txt': 'a', 'b.txt': 'bb', docs: { 'c.txt': 'c' } }
  const { page, root, call } = await open(t, files, ['a.txt', 'b.txt', 'docs/c.txt'])
  await row(page, 'a.txt').click()
  await page.keyboard.press('Delete')
  await dialog(page).getByText('“a.txt” will be deleted permanently.').waitFor()
  await dialog(page).getByText("This can't be undone.").waitFor()
  await dialog(page).getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await dialog(page).waitFor(gone)
  t.equal(await rows(page).count(), 3, 'Enter cancels')
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Delete')
  await dialog(page).getByRole('button', { name: 'Delete permanently' }).click()
  await noticed(page, 'Deleted 1 item permanently')
  await row(page, 'a.txt').waitFor(gone)
  await page.keyboard.press('Control+z')
  t.notOk(existsSync(path.join(root, 'a.txt')), 'there is nothing to undo')

  await page.getByRole('button', { name: 'Empty trash' }).click()
  await dialog(page)
    .getByText(/^2 items \(3 bytes\) will be deleted permanently\.$/)
    .waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await dialog(page).waitFor(gone)
  t.equal(await rows(page).count(), 2)
  await page.route('**/api/trash', (route) => route.fulfill({ status: 500, json: { code: 'disk.failed' } }))
  await page.getByRole('button', { name: 'Empty trash' }).click()
  await dialog(page).getByRole('button', { name: 'Empty trash' }).click()
  await alert(page).getByText("The server's disk reported an error.").waitFor()
  t.equal(await rows(page).count(), 2)
  await page.unroute('**/api/trash')
  await page.locator('button[aria-label="Empty trash"]:not([data-phase])').waitFor()
  // The list stays as it is until the question is there.
  const list = /\/api\/trash\?.*limit=200/
  const held: Route[] = []
  await page.route(list, (route) => void held.push(route))
  await call('DELETE', '/api/trash')
  await page.getByRole('button', { name: 'Empty trash' }).click()
  await dialog(page)
    .getByText(/^0 items/)
    .waitFor()
  await page.unroute(list)
  for (const route of held) await route.continue().catch(() => undefined) // a later request may have replaced it
  t.ok(await dialog(page).getByRole('button', { name: 'Empty trash', disabled: true }).isVisible())
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  t.ok(await page.getByRole('button', { name: 'Empty trash', disabled: true }).isVisible())
})

t.test('a search in the trash finds names and folders, and only the last one counts', async (t) => {
  const files = { docs: { 'a.txt': 'a', 'b.txt': 'b' }, 'c.txt': 'c' }
  const { page } = await open(t, files, ['docs/a.txt', 'docs/b.txt', 'c.txt'])
  const field = page.getByRole('searchbox', { name: 'Search in the trash' })
  await field.fill('DOCS')
  await row(page, 'c.txt').waitFor(gone)
  t.strictSame((await namesIn(page)).sort(), ['a.txt', 'b.txt'])
  await row(page, 'a.txt').click()
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await row(page, 'c.txt').waitFor()
  t.equal(await status(page).innerText(), '3 items · 3 bytes', 'another search deselects')
  t.ok(await field.evaluate((one) => one === document.activeElement))
  await field.fill('no such name <b>&amp;')
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await page.getByText('No path contains “no such name <b>&amp;”.').waitFor()
  t.same(await violations(page), [])

  const slow = await delayResponses(page, '**/api/trash?*search=a*')
  await field.fill('a.txt')
  await slow.waitForCalls()
  await field.fill('c.txt')
  await row(page, 'c.txt').waitFor()
  slow.release()
  await page.getByRole('link', { name: 'My files' }).first().click()
  await page.getByRole('grid', { name: 'Files' }).or(page.getByText('docs')).first().waitFor()
  await page.goBack()
  await rows(page).nth(2).waitFor()
  t.equal(await field.inputValue(), '', 'the page forgets the search when it is left')
})

t.test('the page of the trash says how long entries stay, and when nothing is kept', async (t) => {
  const { page, call, show } = await open(t, { 'a.txt': 'a' }, ['a.txt'])
  await page.getByText(/^Items stay for \d+ days, unless space is needed\.$/).waitFor()
  await call('PUT', '/api/settings', JSON.stringify({ keeping: { days: 1 } }))
  await show()
  await page.getByText('Items stay for 1 day, unless space is needed.').waitFor()
  await call('PUT', '/api/settings', JSON.stringify({ keeping: { trash: false } }))
  await show()
  t.equal(await page.getByText(/^Items stay/).count(), 0)
  await call('DELETE', '/api/trash')
  await page.reload()
  await page.getByText("The trash is turned off. Deleted items can't be restored.").waitFor()
  t.same(await violations(page), [])
})
