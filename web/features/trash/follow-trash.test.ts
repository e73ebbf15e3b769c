import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { closeBrowser, openPage, serve, signIn, start } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'
import { received, setVisible, startEventProxy } from '#web/testing/live.ts'
import { fakeTrash, namesIn, row, rows, status, trashItem } from '#web/testing/trash.ts'

t.teardown(closeBrowser)

/** Counts the requests for the list of the trash from now on. */
function countLists(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (/\/api\/trash\?/.test(request.url())) count++
  })
  return () => count
}

t.test('the trash waits for a good moment to show what others have deleted', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const { page } = await start(t, Object.fromEntries(names.map((name) => [`${name}.txt`, name])))
  const call = await callerOf(page)
  const remove = (name: string) => call('DELETE', `/api/resources/${name}.txt`)
  await remove('a')
  await page.clock.install()
  await page.goto(new URL('/trash', page.url()).href)
  await row(page, 'a.txt').waitFor()
  // The connection is there when a change arrives.
  await remove('b')
  await row(page, 'b.txt').waitFor()

  await t.test('a hidden trash is read again when it is shown', async (t) => {
    await setVisible(page, false)
    const lists = countLists(page)
    const heard = await received(page, 'trash')
    await remove('c')
    await heard()
    await page.clock.fastForward(20_000)
    t.equal(lists(), 0)
    await setVisible(page, true)
    await row(page, 'c.txt').waitFor()
  })

  await t.test('the trash does not change under a pressed pointer', async (t) => {
    await row(page, 'a.txt').hover()
    await page.mouse.down()
    const lists = countLists(page)
    const heard = await received(page, 'trash')
    await remove('d')
    await heard()
    await page.clock.fastForward(10_000)
    t.equal(lists(), 0)
    await page.mouse.up()
    await row(page, 'd.txt').waitFor()
    t.strictSame(await namesIn(page, '[aria-selected=true]'), ['a.txt'], 'the click hit what was pressed')
  })

  await t.test('a trash that cannot be read again stays as it is, and is read later', async (t) => {
    await page.route('**/api/trash?*', (route) => route.abort())
    const failed = page.waitForEvent('requestfailed', (request) => /\/api\/trash\?/.test(request.url()))
    await remove('e')
    await page.clock.fastForward(1000)
    await failed
    t.equal(await rows(page).count(), 4)
    t.equal(await page.getByRole('alert').count(), 0)
    await page.unroute('**/api/trash?*')
    await page.clock.fastForward(11_000)
    await row(page, 'e.txt').waitFor()
    t.equal(await status(page).innerText(), '1 of 5 selected', 'the selection is kept')
  })

  await t.test('what is deleted while the trash is being read is shown, too', async () => {
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    const hold = async (route: Route) => {
      const response = await route.fetch()
      answer()
      await isReleased
      await route.fulfill({ response })
    }
    await page.route('**/api/trash?*', hold, { times: 1 })
    await remove('f')
    await page.clock.fastForward(11_000)
    await isAnswered
    const heard = await received(page, 'trash')
    await remove('g')
    await heard()
    release()
    await row(page, 'f.txt').waitFor()
    await row(page, 'g.txt').waitFor()
  })
})

t.test('the trash is read again after its connection was interrupted', async (t) => {
  const server = await serve(t, t.testdir({ 'a.txt': 'a', 'b.txt': 'b' }))
  const proxy = await startEventProxy(t, server)
  const page = await openPage(t)
  await signIn(page, proxy.address, '/trash')
  await page.getByRole('heading', { name: 'The trash is empty' }).waitFor()
  const call = await callerOf(page)
  await call('DELETE', '/api/resources/a.txt')
  await row(page, 'a.txt').waitFor()
  proxy.state.refusal = 'cut'
  proxy.cut()
  await call('DELETE', '/api/resources/b.txt')
  t.equal(await row(page, 'b.txt').count(), 0)
  proxy.state.refusal = undefined
  await row(page, 'b.txt').waitFor()
})

t.test('a long trash is read again as far as it was loaded', async (t) => {
  const { page, address } = await start(t, { 'a.txt': '' }, { path: '/settings/profile' })
  const names = Array.from({ length: 1500 }, (_, n) => trashItem(n))
  const shown = { items: names }
  const requested = await fakeTrash(page, { items: () => shown.items })
  await page.clock.install()
  await page.goto(`${address}/trash`)
  await row(page, 'file 0.txt').waitFor()
  const grid = page.getByRole('grid', { name: 'Trash' })
  const cursor = async () => Number((await grid.getAttribute('aria-activedescendant'))?.split('-')[1])
  await grid.focus()
  while ((await cursor()) < 799) await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  requested.length = 0
  shown.items = [trashItem(2000, { name: 'newest.txt' }), ...names]
  // A connection that is there again means that changes may have been missed.
  await page.unroute('**/api/events')
  await page.clock.fastForward(60_000)
  await row(page, 'newest.txt').waitFor()
  t.strictSame(requested.slice(0, 2), ['0', '500'])
  t.equal(await grid.getAttribute('aria-rowcount'), '1502')
  t.strictSame(await namesIn(page, '[data-current]'), ['file 1.txt'], 'the cursor stays on its entry')
})
