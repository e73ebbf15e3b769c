import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, openPage, violationsInBothThemes } from '#web/testing/browser.ts'
import { setVisible } from '#web/testing/live.ts'
import { startWithNotices } from '#web/testing/notice-server.ts'
import { file } from '#web/testing/uploads.ts'

t.teardown(closeBrowser)

const detached = { state: 'detached' } as const
const bell = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).filter({ visible: true })
const panelOf = (page: Page) => page.getByRole('dialog', { name: 'Notices' })

t.test('the bell shows without a reload that visitors have sent files', async (t) => {
  const { open, share, address, clock, due, reachLimit } = await startWithNotices(t)
  const hash = await share('/inbox', { rights: 'upload', title: 'Holiday pictures' })
  const page = await open('ann')
  await bell(page, 'Notices').waitFor()
  const visitor = await openPage(t)
  await visitor.goto(`${address}/share/${hash}`)
  const chooser = visitor.waitForEvent('filechooser')
  await visitor.getByRole('button', { name: 'Choose files' }).click()
  await (await chooser).setFiles(['a.jpg', 'b.jpg', 'c.jpg'].map((name) => file(name, 'x')))
  const sent = visitor.getByRole('region', { name: 'Files that you have sent' })
  await sent.getByRole('heading', { name: '3 files sent' }).waitFor()
  clock.advance({ minutes: 1 })
  await due()
  await bell(page, 'Notices 2 unread').click()

  await t.test('the panel lists them, the newest first, and is accessible', async (t) => {
    const panel = panelOf(page)
    const lines = panel.getByRole('listitem')
    await lines.nth(1).waitFor()
    t.match(
      (await lines.allInnerTexts()).map((text) => text.replace(/[\u2068\u2069]/g, '').replace(/\n+/g, ' | ')),
      [
        /3 files received in “Holiday pictures” \| [abc].jpg, [abc].jpg, and 1 more · 3 bytes \| /,
        /“Holiday pictures” was opened for the first time \| /,
      ],
    )
    t.same(await violationsInBothThemes(page, '[role=dialog]'), [])
  })

  await t.test('what comes meanwhile appears in the open panel', async () => {
    reachLimit(hash, 'files')
    await due()
    await panelOf(page).getByText('has reached its limit of received files').waitFor()
  })

  await t.test('Escape closes the panel, and the focus returns to the bell', async () => {
    await page.keyboard.press('Escape')
    await panelOf(page).waitFor(detached)
    await bell(page, 'Notices 3 unread').and(page.locator(':focus')).waitFor()
  })

  await t.test('the command palette opens it, too, and a notice leads to the received files', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill('notices')
    await page.keyboard.press('Enter')
    await panelOf(page).getByRole('link', { name: '3 files received' }).click()
    await page.waitForURL(`${address}/files/inbox/`)
    await panelOf(page).waitFor(detached)
    await page.locator('[data-index]').getByText('c.jpg').first().waitFor()
  })

  await t.test('another notice leads to its link', async () => {
    await bell(page, 'Notices 3 unread').click()
    await panelOf(page).getByRole('link', { name: 'limit of received files' }).click()
    await page.waitForURL(`${address}/settings/shares#${hash}`)
    await page.locator('li[data-found]').getByText('/inbox').waitFor()
    await page.locator('li :focus').waitFor()
  })

  await t.test('all can be marked as read and deleted, also from another tab', async (t) => {
    const other = await open('ann', '/')
    await bell(other, 'Notices 3 unread').waitFor()
    await bell(page, 'Notices 3 unread').click()
    await panelOf(page).getByRole('button', { name: 'Mark all as read' }).click()
    await bell(other, 'Notices').waitFor()
    await panelOf(page).getByRole('button', { name: 'Clear' }).click()
    await panelOf(page).getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor()
    await panelOf(page).getByRole('button', { name: 'Delete all' }).click()
    await panelOf(page).getByText('No notices').waitFor()
    t.same(await violationsInBothThemes(page, '[role=dialog]'), [])
    await page.keyboard.press('Escape')
    reachLimit(hash, 'bytes')
    await due()
    await bell(other, 'Notices 1 unread').waitFor()
  })
})

t.test('a long list is loaded in parts, and an error can be repeated', async (t) => {
  const { open, share, receive, clock, due } = await startWithNotices(t)
  const title = 'A very long title without any end '.repeat(4)
  const hash = await share('/inbox', { title })
  for (let n = 0; n < 35; n++) {
    receive(hash, `/inbox/${'a long name '.repeat(15)}${n}.txt`, { sender: 'Eve' })
    clock.advance({ minutes: 1 })
    await due()
  }
  const page = await open('ann', '/', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.locator(':root[data-unread]').waitFor()
  await page.getByRole('button', { name: 'Menu', exact: true }).tap()
  await page.route('**/api/notices?limit=30', (route) =>
    route.fulfill({ status: 500, json: { code: 'server.failed' } }),
  )
  await bell(page, 'Notices 35 unread').tap()
  const panel = panelOf(page)
  await panel.getByRole('alert').getByText('Something really went wrong.').waitFor()
  await page.unroute('**/api/notices?limit=30')
  await panel.getByRole('button', { name: 'Try again' }).tap()
  const lines = panel.getByRole('listitem')
  await lines.nth(29).waitFor()
  t.equal(await lines.count(), 30)
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390))
  await panel.getByRole('button', { name: 'Show more' }).tap()
  await lines.nth(34).waitFor()
  await lines.nth(30).getByRole('link').and(page.locator(':focus')).waitFor()
  t.equal(await panel.getByRole('button', { name: 'Show more' }).count(), 0)
  t.same(await violationsInBothThemes(page, '[role=dialog]'), [])
  await panel.getByRole('button', { name: 'Close' }).tap()
  await panel.waitFor(detached)
})

t.test('a device shows notices of a hidden page after it was asked to', async (t) => {
  const { open, share, visit, reachLimit, due, address } = await startWithNotices(t)
  const hash = await share('/inbox', { title: 'Plans' })
  const page = await open('ann')
  // The browser of the tests has no notifications. This records what the page would show.
  await page.addInitScript(() => {
    const shown: { body: string; tag: string; onclick?: () => void; close: () => void }[] = []
    class Recorded {
      static permission = 'default'
      static requestPermission = async () => {
        Recorded.permission = 'granted'
        return 'granted'
      }
      close = () => {}
      constructor(_title: string, options: { body: string; tag: string }) {
        shown.push(Object.assign(this, options))
      }
    }
    Object.assign(globalThis, { Notification: Recorded, shownOnDevice: shown })
  })
  const shown = () =>
    page.evaluate(() =>
      (globalThis as unknown as { shownOnDevice: { body: string }[] }).shownOnDevice.map(({ body }) => body),
    )
  // What is there at the first answer is no news.
  const known = page.waitForResponse(/notices\?limit=1$/)
  await page.goto(address)
  await known
  await bell(page, 'Notices').click()
  const box = panelOf(page).getByLabel('Notify on this device')
  t.notOk(await box.isChecked())
  await box.check()
  t.strictSame(await shown(), ['Notices appear like this'])
  await page.keyboard.press('Escape')
  visit(hash)
  await due()
  await bell(page, 'Notices 1 unread').waitFor()
  t.equal((await shown()).length, 1, 'a visible page shows no more')
  await setVisible(page, false)
  reachLimit(hash)
  await due()
  await until(async () => (await shown()).length > 1)
  t.match((await shown())[1], /Plans.* has reached its limit of downloads/)

  await t.test('a browser that forbids it is explained', async () => {
    await setVisible(page, true)
    await page.evaluate(() => Object.assign(Notification, { permission: 'denied' }))
    await bell(page, 'Notices 2 unread').click()
    await panelOf(page).getByText('Your browser blocks notifications of this page.').waitFor()
    t.ok(await box.isDisabled())
  })
})

t.test('a notice about a link that is gone says so', async (t) => {
  const { open, share, visit, due, as } = await startWithNotices(t)
  const hash = await share('/docs')
  visit(hash)
  await due()
  await (await as('ann'))('DELETE', `/api/share/${hash}`)
  const page = await open('ann')
  await bell(page, 'Notices 1 unread').click()
  await panelOf(page).getByRole('link').first().click()
  await page.getByText('This link has ended or was deleted.').waitFor()
})
