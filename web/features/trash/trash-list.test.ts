import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import type { TrashItem } from '#contract/history/kept.ts'
import { changePreferences, closeBrowser, start, violations } from '#web/testing/browser.ts'
import { fakeTrash, namesIn, row, rows, status, trashItem } from '#web/testing/trash.ts'

t.teardown(closeBrowser)

const grid = (page: Page) => page.getByRole('grid', { name: 'Trash' })
const chosen = (page: Page) => namesIn(page, '[aria-selected=true]')
const current = async (page: Page) => (await namesIn(page, '[data-current]'))[0]

/** Opens a trash with `items`, which may be replaced before a reload. */
async function open(t: Parameters<typeof start>[0], items: readonly TrashItem[]) {
  const { page, address } = await start(t, {}, { path: '/settings/profile' })
  const shown = { items }
  await fakeTrash(page, { items: () => shown.items })
  await page.goto(`${address}/trash`)
  await rows(page).first().waitFor()
  return { page, shown, address }
}

/** Deselects everything and moves the cursor to the first entry. */
async function begin(page: Page): Promise<void> {
  await grid(page).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+Home')
}

const lettered = Array.from({ length: 60 }, (_, n) =>
  trashItem(n, { name: `${'abc'[n % 3]} ${String(n).padStart(2, '0')}.txt` }),
)

t.test('the trash list is used by keyboard', async (t) => {
  const { page } = await open(t, lettered)

  await t.test('arrow keys select an entry, with Shift a range, with Ctrl none', async (t) => {
    await grid(page).and(page.locator(':focus')).waitFor()
    t.strictSame(await chosen(page), [])
    await page.keyboard.press('ArrowDown')
    t.strictSame(await chosen(page), ['a 00.txt'], 'the first arrow key selects the current entry')
    await page.keyboard.press('ArrowDown')
    t.strictSame(await chosen(page), ['b 01.txt'])
    await page.keyboard.press('Shift+ArrowDown')
    t.strictSame(await chosen(page), ['b 01.txt', 'c 02.txt'])
    await page.keyboard.press('Control+ArrowDown')
    await page.keyboard.press('Control+ArrowDown')
    t.equal(await current(page), 'b 04.txt')
    t.equal(await status(page).innerText(), '2 of 60 selected')
    await page.keyboard.press('Control+Space')
    t.strictSame(await chosen(page), ['b 01.txt', 'c 02.txt', 'b 04.txt'])
    await page.keyboard.press('Control+Space')
    t.strictSame(await chosen(page), ['b 01.txt', 'c 02.txt'], 'Space also deselects')
    await page.keyboard.press('Control+ArrowDown')
    await page.keyboard.press('Control+ArrowDown')
    await page.keyboard.press('Shift+Space')
    t.strictSame(await chosen(page), ['b 04.txt', 'c 05.txt', 'a 06.txt'])
  })

  await t.test(
    'Home, End and the page keys move through the trash, and keep the entry in sight',
    async (t) => {
      await begin(page)
      await page.keyboard.press('PageDown')
      const below = await current(page)
      t.not(below, 'a 00.txt')
      await row(page, below ?? '').waitFor()
      await page.keyboard.press('End')
      t.equal(await current(page), 'c 59.txt')
      t.strictSame(await chosen(page), ['c 59.txt'])
      const [last, list] = [await row(page, 'c 59').boundingBox(), await grid(page).boundingBox()]
      t.ok(last && list && last.y + last.height <= list.y + list.height + 1, 'the last row is in sight')
      await page.keyboard.press('Home')
      await page.keyboard.press('PageDown')
      t.equal(await current(page), below, 'the same distance')
      await page.keyboard.press('PageUp')
      t.equal(await current(page), 'a 00.txt')
      await page.keyboard.press('Shift+End')
      t.equal(await status(page).innerText(), '60 of 60 selected')
    },
  )

  await t.test('typed letters find an entry of the trash by its name', async (t) => {
    await begin(page)
    await page.keyboard.type('c')
    t.equal(await current(page), 'c 02.txt')
    // The same letter goes on to the next name, another one makes the prefix longer, and a space belongs to it.
    await page.keyboard.type('c')
    t.equal(await current(page), 'c 05.txt')
    await begin(page)
    // Letters that belong together follow each other quickly, so the clock stands still while they are typed.
    await page.clock.install()
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    await page.keyboard.type('b 3')
    await page.clock.resume()
    t.equal(await current(page), 'b 31.txt')
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(await current(page), 'b 31.txt', 'a question mark opens the help')
  })

  await t.test('the key for menus shows what can be done with the selection in the trash', async (t) => {
    await begin(page)
    await page.keyboard.press('Shift+F10')
    const choices = page.getByRole('menuitem')
    await choices.first().waitFor()
    const labels = ['Preview', 'Restore', 'Restore to…', 'Download', 'Delete permanently']
    t.strictSame(await choices.allInnerTexts(), labels)
    t.strictSame(await chosen(page), ['a 00.txt'], 'the current entry is selected')
    const colour = (one: Locator) => one.evaluate((element) => getComputedStyle(element).color)
    const red = 'rgb(179, 38, 30)'
    t.equal(await colour(choices.filter({ hasText: 'Delete permanently' })), red)
    t.equal(await colour(page.getByRole('toolbar').getByRole('button', { name: 'Delete permanently' })), red)
    t.same(await violations(page, '[role=menu]'), [])
    await page.keyboard.press('Escape')
    await choices.first().waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('ContextMenu')
    await choices.first().waitFor()
    t.strictSame(await choices.allInnerTexts(), ['Restore', 'Restore to…', 'Delete permanently'])
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('2 items will be deleted permanently.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal(await status(page).innerText(), '2 of 60 selected', 'the answer was no')
  })
})

t.test('the trash list is used with a mouse', async (t) => {
  const { page, shown } = await open(t, lettered)
  const menu = page.getByRole('menuitem')

  await t.test('clicks in the trash select one entry, a range, or more with their check boxes', async (t) => {
    await row(page, 'a 03').click()
    await row(page, 'c 05').click({ modifiers: ['Shift'] })
    t.strictSame(await chosen(page), ['a 03.txt', 'b 04.txt', 'c 05.txt'])
    await row(page, 'b 04').click({ modifiers: ['ControlOrMeta'] })
    t.strictSame(await chosen(page), ['a 03.txt', 'c 05.txt'])
    await row(page, 'b 01').locator('[data-check]').click()
    t.strictSame(await chosen(page), ['b 01.txt', 'a 03.txt', 'c 05.txt'])
    await row(page, 'c 02').click({ modifiers: ['Shift', 'ControlOrMeta'] })
    t.strictSame(await chosen(page), ['b 01.txt', 'c 02.txt', 'a 03.txt', 'c 05.txt'], 'adds a range')
    await row(page, 'a 00').click()
    t.strictSame(await chosen(page), ['a 00.txt'])
    await page.getByRole('button', { name: 'Clear selection' }).click()
    t.strictSame(await chosen(page), [])
    await grid(page).and(page.locator(':focus')).waitFor()
  })

  await t.test('a right click in the trash acts on the selection, or on the entry below it', async (t) => {
    await row(page, 'a 00').click()
    await row(page, 'b 01').click({ modifiers: ['ControlOrMeta'] })
    await row(page, 'a 00').click({ button: 'right' })
    await menu.first().waitFor()
    t.equal(await menu.count(), 3, 'both stay selected')
    await page.keyboard.press('Escape')
    await menu.first().waitFor({ state: 'detached' })
    await row(page, 'c 02').click({ button: 'right' })
    await menu.first().waitFor()
    t.strictSame(await chosen(page), ['c 02.txt'])
    t.equal(await menu.count(), 5)
    await page.keyboard.press('Escape')
    await menu.first().waitFor({ state: 'detached' })
  })

  await t.test(
    'a double click previews an entry of the trash, and closing it returns to the list',
    async (t) => {
      await page.route('**/api/trash/*/raw', (route) => route.fulfill({ body: 'the old words' }))
      await row(page, 'b 04').dblclick()
      const dialog = page.getByRole('dialog', { name: 'b 04.txt' })
      await dialog.getByText('the old words').waitFor()
      await dialog.getByText('/a/', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await grid(page).and(page.locator(':focus')).waitFor()
      t.strictSame(await chosen(page), ['b 04.txt'])
      await row(page, 'b 04').locator('[data-check]').dblclick()
      t.equal(await page.getByRole('dialog').count(), 0, 'a check box is pressed twice')
    },
  )

  await t.test('the column headers sort the trash, also entries that were not loaded before', async (t) => {
    const time = (n: number) => new Date(Date.UTC(2026, 0, 2) - n * 1000).toISOString()
    shown.items = Array.from({ length: 450 }, (_, n) =>
      trashItem(n, { name: `f ${(n * 7) % 450}.txt`, size: n, deleted: time(n) }),
    )
    await page.reload()
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true })
    const isFirst = (name: string) =>
      page
        .locator('[data-index="0"]')
        .filter({ hasText: `f ${name}.txt` })
        .waitFor()
    await isFirst('0')
    t.equal(await head('Deleted').getAttribute('aria-sort'), 'descending')
    await row(page, 'f 14.txt').click()
    await head('Name').getByRole('button').click()
    await page.locator('[data-index="1"]').filter({ hasText: 'f 1.txt' }).waitFor()
    t.equal(await head('Name').getAttribute('aria-sort'), 'ascending')
    t.strictSame(await chosen(page), ['f 14.txt'], 'the selection stays')
    t.same(await violations(page), [])
    await head('Name').getByRole('button').press('Enter')
    await isFirst('449')
    await head('Size').getByRole('button').click()
    await isFirst('0')
    await head('Size').getByRole('button').click()
    await isFirst('443')
    await head('Deleted').getByRole('button').click()
    await page.locator('[data-index="1"]').filter({ hasText: 'f 7.txt' }).waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await head('Name').getByRole('button').click()
    await page.locator('[data-index="1"]').filter({ hasText: 'f 1.txt' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  await t.test('a click below the last entry of the trash deselects all', async (t) => {
    shown.items = lettered.slice(0, 3)
    await page.reload()
    await row(page, 'c 02').click()
    t.strictSame(await chosen(page), ['c 02.txt'])
    const box = await grid(page).boundingBox()
    await grid(page).click({ position: { x: 200, y: (box?.height ?? 0) - 20 } })
    t.strictSame(await chosen(page), [])
    t.equal(await current(page), 'c 02.txt', 'the cursor stays')
  })
})

t.test('rows of the trash say what is unknown or was removed', async (t) => {
  const items = [
    trashItem(0, { name: 'counted', isDir: true, type: '', size: null }),
    trashItem(1, { by: '', name: 'left.txt' }),
    trashItem(2, { name: 'مرحبا.txt', path: '/a b#?/مرحبا.txt' }),
  ]
  const { page, shown, address } = await open(t, items)
  await row(page, 'counted').getByText('…', { exact: true }).waitFor()
  t.equal(
    await row(page, 'counted').getByText('…', { exact: true }).getAttribute('data-tip'),
    'The size is being counted',
  )
  await row(page, 'left.txt').getByText('a removed user').waitFor()
  await row(page, 'مرحبا').getByText('/a b#?/', { exact: true }).waitFor()
  await row(page, 'left.txt').dblclick()
  const dialog = page.getByRole('dialog', { name: 'left.txt' })
  await dialog
    .locator('div', { has: page.getByText('Deleted by', { exact: true }) })
    .getByText('a removed user')
    .waitFor()
  await page.keyboard.press('Escape')
  await row(page, 'counted').dblclick()
  await page.getByRole('dialog', { name: 'counted' }).getByText('Original location').waitFor()
  t.equal(await page.getByRole('dialog').getByRole('region').count(), 0, 'a folder has no preview')
  await page.keyboard.press('Escape')
  t.notMatch(await row(page, 'left.txt').locator('time').innerText(), /2026/, 'how long ago')

  await page.clock.install()
  await page.reload()
  await row(page, 'counted').getByText('…', { exact: true }).waitFor()
  shown.items = [trashItem(0, { name: 'counted', isDir: true, type: '', size: 5120 }), ...items.slice(1)]
  await page.clock.fastForward(1000)
  await row(page, 'counted').getByText('5 KB').waitFor()

  await changePreferences(page, { dateFormat: true })
  await page.goto(`${address}/trash`)
  await row(page, 'left.txt').getByText(/2026/).waitFor()
})
