import { readdirSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** Delays delete requests until the returned function is called. */
async function holdDeletions(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/delete/**', async (route) => {
    await promise
    await route.continue().catch(() => undefined) // the page aborts the request when the user stops the deletion
  })
  return resolve
}

/** Stops a deletion. Returns when the browser has cancelled its request, which could otherwise still be sent. */
async function stopDeletion(page: Page, line: Locator): Promise<void> {
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/delete/'))
  await line.getByRole('button', { name: 'Stop' }).click()
  await cancelled
}

/** Deletes all files of the page by keyboard. Delays the requests until the returned function is called. */
async function deleteAll(page: Page): Promise<() => void> {
  await itemNamed(page, '0000.txt').click()
  await page.keyboard.press('Control+a')
  const release = await holdDeletions(page)
  await page.keyboard.press('Delete')
  return release
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${String(n).padStart(4, '0')}.txt`, '']))

t.test('deletes many files with one request, and shows the progress', async (t) => {
  const { page, root } = await start(t, many(1500))
  let calls = 0
  page.on('request', (request) => {
    if (request.url().includes('/api/delete/') || request.method() === 'DELETE') calls++
  })
  const release = await deleteAll(page)
  const removal = page.locator('[data-part=removal]')
  await removal.getByText('Deleted 0 of 1,500').waitFor()
  await removal.getByRole('progressbar', { name: 'Deletion progress' }).waitFor()
  await page.locator('[data-part=status]').getByText('1,500 of 1,500 selected').waitFor()
  release()
  await removal.waitFor({ state: 'detached' })
  t.equal(calls, 1)
  t.strictSame(readdirSync(root), [])
})

t.test('a deletion can be stopped, and the remaining files stay', async (t) => {
  const { page, root } = await start(t, many(20))
  const release = await deleteAll(page)
  const removal = page.locator('[data-part=removal]')
  await stopDeletion(page, removal)
  await removal.waitFor({ state: 'detached' })
  release()
  t.equal(readdirSync(root).length, 20)
})

t.test('two deletions have separate lines and stop separately', async (t) => {
  const { page, root } = await start(t, { ...many(4), docs: many(3) })
  await itemNamed(page, 'docs').dblclick()
  // Both folders have files of these names.
  await itemNamed(page, 'docs').waitFor({ state: 'detached' })
  const release = await deleteAll(page)
  await page.getByRole('complementary').getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'docs').waitFor()
  await itemNamed(page, '0003.txt').click()
  await itemNamed(page, '0000.txt').click({ modifiers: ['Shift'] })
  await page.keyboard.press('Delete')
  const lines = page.locator('[data-part=removal]')
  await lines.getByText('Deleted 0 of 4').waitFor()
  t.same(await lines.locator('span').first().textContent(), 'Deleted 0 of 3')
  await stopDeletion(page, lines.first())
  await lines.getByText('Deleted 0 of 3').waitFor({ state: 'detached' })
  release()
  await lines.waitFor({ state: 'detached' })
  t.strictSame([readdirSync(root), readdirSync(`${root}/docs`).length], [['docs'], 3])
})

t.test('a deletion reports a file that cannot be deleted and deletes the others', async (t) => {
  const { page, root } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '' })
  await page.route('**/api/delete/**', async (route) => {
    const { paths } = route.request().postDataJSON()
    const reply = await route.fetch({
      postData: JSON.stringify({ paths: paths.filter((path: string) => path !== 'b.txt') }),
    })
    const refused = { path: 'b.txt', status: 403, code: 'path.denied', detail: '' }
    await route.fulfill({ response: reply, body: `${await reply.text()}${JSON.stringify(refused)}\n` })
  })
  await itemNamed(page, 'a.txt').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.getByText('“b.txt”:').waitFor()
  await until(() => readdirSync(root).length === 1)
  t.strictSame(readdirSync(root), ['b.txt'])
})
