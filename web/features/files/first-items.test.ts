import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Sorting } from '#contract/users.ts'
import { closeBrowser, currentName, itemNamed, openPage, start, visibleNames } from '#web/testing/browser.ts'
import { holdAnswers } from '#web/testing/held-answers.ts'

t.teardown(closeBrowser)

const count = 3000

/** Opens a folder of which the page has received only the first items. */
async function open(t: Test, sorting: Sorting = { by: 'name', asc: false }) {
  const made = await start(t, { many: {} })
  for (let n = 0; n < count; n++) writeFileSync(join(made.root, 'many', `${n}.txt`), 'x'.repeat(n % 7))
  mkdirSync(join(made.root, 'many', 'inner'))
  const token = await made.page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const { user } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  await fetch(`${made.address}/api/users/${user.id}`, {
    method: 'PUT',
    headers: { 'X-Auth': token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ what: 'user', which: ['sorting'], data: { id: user.id, sorting } }),
  })
  const proxy = await holdAnswers(t, made.address, { path: '/api/resources/many/', most: 8_000 })
  const page = await openPage(t)
  await page.addInitScript((token) => localStorage.setItem('jwt', token), token)
  await page.goto(`${proxy.address}/files/many/`)
  const answer = await proxy.next()
  return { ...made, page, proxy, answer, list: page.getByRole('grid', { name: 'Files' }) }
}

t.test(
  'the first rows of a large folder are shown before the rest has arrived, and nothing moves then',
  async (t) => {
    const { page, answer, list } = await open(t)
    await itemNamed(page, '0.txt').waitFor()
    await page.getByRole('status').filter({ hasText: '1 folder, 3,000 files' }).waitFor()
    const look = () =>
      list.evaluate((list) => ({
        height: list.scrollHeight,
        rows: list.getAttribute('aria-rowcount'),
        tops: [...list.querySelectorAll('[data-index]')]
          .map((row) => row.getBoundingClientRect().top)
          .slice(0, 15),
      }))
    const before = await look()
    t.equal(before.rows, String(count + 4))
    const names = await visibleNames(page)
    answer.release()
    await page.locator('main[aria-busy=false]').waitFor()
    t.strictSame(await look(), before)
    t.strictSame((await visibleNames(page)).slice(0, 15), names.slice(0, 15))
  },
)

t.test('keys that need all rows wait for them, and the others work at once', async (t) => {
  const { page, answer } = await open(t)
  await itemNamed(page, '0.txt').click()
  await page.keyboard.press('ArrowDown')
  t.equal(await currentName(page), '1.txt')
  await page.keyboard.press('End')
  t.equal(await currentName(page), '1.txt')
  answer.release()
  await page.locator('[data-current] a[data-full="2999.txt"]').waitFor()
})

t.test('select all selects all items of a folder that is still loading', async (t) => {
  const { page, answer } = await open(t)
  await itemNamed(page, '0.txt').waitFor()
  await page.keyboard.press('Control+a')
  answer.release()
  await page.getByRole('status').filter({ hasText: '3,001 of 3,001 selected' }).waitFor()
})

t.test('a lost connection is reported, and the rows that have arrived stay', async (t) => {
  const { page, proxy, answer } = await open(t)
  await itemNamed(page, '5.txt').click()
  answer.cut()
  await page.getByText("Can't reach the server. Check your connection and try again.").waitFor()
  await page.keyboard.press('Escape')
  await page
    .getByRole('status')
    .filter({ hasText: /^Only \d+ of 3,001 items were loaded$/ })
    .waitFor()
  t.ok(await itemNamed(page, '5.txt').isVisible())
  await page.keyboard.press('Control+a')
  t.equal(await page.locator('[aria-selected=true]').count(), 0, 'a part is not taken for all')
  await page.evaluate(() => dispatchEvent(new Event('online')))
  const again = await proxy.next()
  again.release()
  await page.getByRole('status').filter({ hasText: '1 folder, 3,000 files' }).waitFor()
})

t.test('a change during the loading is shown after it', async (t) => {
  const { page, root, proxy, answer } = await open(t)
  await itemNamed(page, '0.txt').waitFor()
  rmSync(join(root, 'many', '3.txt'))
  answer.release()
  const next = await proxy.next()
  next.release()
  await itemNamed(page, '3.txt').waitFor({ state: 'detached' })
  await page.getByRole('status').filter({ hasText: '1 folder, 2,999 files' }).waitFor()
})

t.test('first rows are shown in every sort order', async (t) => {
  for (const [sorting, first] of [
    [{ by: 'size', asc: false }, '6.txt'],
    [{ by: 'name', asc: true }, '2999.txt'],
  ] as const) {
    const { page, answer } = await open(t, sorting)
    await itemNamed(page, first).waitFor()
    answer.release()
    await page.locator('main[aria-busy=false]').waitFor()
    t.same((await visibleNames(page)).slice(0, 2), ['inner', first])
  }
})

t.test('a folder is shown as a whole when the cursor returns to an item further down', async (t) => {
  const { page, answer, proxy } = await open(t)
  answer.release()
  await itemNamed(page, '0.txt').click()
  await page.keyboard.press('End')
  await page.locator('[data-current] a[data-full="2999.txt"]').waitFor()
  await page.keyboard.press('Alt+ArrowUp')
  await itemNamed(page, 'many').waitFor()
  await page.goBack()
  const again = await proxy.next()
  t.notOk(await itemNamed(page, '0.txt').isVisible())
  again.release()
  await page.locator('[data-current] a[data-full="2999.txt"]').waitFor()
})

t.test(
  'the folder at the address is requested once, before the scripts of the page have arrived',
  async (t) => {
    const { page, address } = await start(t, { 'a b#é': { 'x.txt': '' } })
    await itemNamed(page, 'a b#é').waitFor()
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    const released = Promise.withResolvers<void>()
    await page.route(/\/chunk-\w+\.js$/, async (route) => {
      await released.promise
      await route.continue()
    })
    const folder = '/api/resources/a%20b%23%C3%A9/'
    const asked = page.waitForRequest((request) => request.url().endsWith(folder))
    await page.goto(`${address}/files/a%20b%23%C3%A9/`, { waitUntil: 'commit' })
    await asked
    released.resolve()
    await itemNamed(page, 'x.txt').waitFor()
    // The tree in the sidebar may have requested the top folder.
    t.equal(requests.filter((path) => path === folder).length, 1)
  },
)
