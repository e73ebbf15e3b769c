import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, openPage, serve, signIn, start } from '#web/testing/browser.ts'
import { accountButton, chooseAccount } from '#web/testing/places.ts'
import { widths } from '#web/testing/widths.ts'

t.teardown(closeBrowser)

const files = {
  folder: { deep: { deeper: { deepest: {} } } },
  [`${'long '.repeat(30)}.txt`]: 'x',
  'a.txt': '',
}

/** The width, in pixels, from which on the sidebar is beside the list. */
const wide = 737

interface Control {
  name: string
  left: number
  right: number
  top: number
  bottom: number
  isOnTop: boolean
}

/** The visible buttons and links of the header, of the bar of the folder, and of the selection. */
function controls(page: Page): Promise<Control[]> {
  return page.evaluate(() => {
    const bars = ['[data-part=header]', '[data-part=files] > :has([role=toolbar])']
    const all = document.querySelectorAll(`:is(${bars}) :is(a, button), [data-part=selection] p`)
    // The bar of the selection covers the header of narrow windows.
    const isCovered = document.querySelector('[data-part=selection]') !== null
    return [...all]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .filter((one) => !isCovered || !one.closest('header'))
      .map((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect()
        const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
        const isOnTop = there !== null && (one.contains(there) || there.contains(one))
        return { name: one.ariaLabel || (one.textContent ?? ''), left, right, top, bottom, isOnTop }
      })
  })
}

const overlap = (a: Control, b: Control) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5

/** Names the controls that overlap, are covered or outside the window, and says if anything is wider than the window. */
async function misplaced(page: Page): Promise<string[]> {
  const all = await controls(page)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  const window = page.viewportSize()?.width ?? 0
  return [
    ...all
      .filter(({ left, right }) => left < 0 || right > window + 0.5)
      .map(({ name }) => `${name} is outside`),
    ...all.filter(({ isOnTop }) => !isOnTop).map(({ name }) => `${name} is covered`),
    ...all.flatMap((a, n) =>
      all
        .slice(n + 1)
        .filter((b) => overlap(a, b))
        .map((b) => `${a.name} and ${b.name} overlap`),
    ),
    ...(width > window ? [`all of it is ${width} pixels wide`] : []),
    ...(all.length < 3 ? ['controls are missing'] : []),
  ]
}

t.test('at every width nothing overlaps or is cut off, with and without a selection', async (t) => {
  const { page } = await start(t, files, { path: '/files/folder/deep/', reducedMotion: 'reduce' })
  const walk = async (what: string) => {
    for (const width of widths()) {
      await page.setViewportSize({ width, height: 640 })
      t.same(await misplaced(page), [], `${width} pixels, ${what}`)
    }
  }
  await page.getByRole('button', { name: 'More' }).waitFor()
  await walk('without a selection')
  await itemNamed(page, 'deeper').click()
  await page.getByRole('toolbar').getByText('1 selected').waitFor()
  await walk('with a selection')
  await page.getByRole('link', { name: 'My files' }).first().click()
  await itemNamed(page, 'a.txt').waitFor()
  await walk('in the top folder')
  await page.getByRole('grid').press('Control+a')
  await page.getByRole('toolbar').getByText('3 selected').waitFor()
  await page.keyboard.press('Control+c')
  await walk('with several items, of which one has a long name')
})

t.test('the sidebar is beside the list, or in narrow windows a drawer', async (t) => {
  const { page } = await start(t, files)
  const move = page.getByRole('button', { name: 'Move to…' }).filter({ visible: true })
  for (const [width, isNarrow] of [
    [wide, false],
    [wide - 1, true],
  ] as const) {
    await page.setViewportSize({ width, height: 640 })
    const menu = page.getByRole('button', { name: 'Menu', exact: true })
    t.equal(await page.getByRole('complementary').isVisible(), !isNarrow)
    t.equal(await menu.isVisible(), isNarrow)
    await itemNamed(page, 'a.txt').click()
    await move.waitFor()
    t.equal(await move.count(), 1, 'each action of the selection is shown once')
    t.notOk(await menu.isVisible(), 'the bar of the selection takes the place of the header')
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await move.waitFor({ state: 'hidden' })
  }
})

t.test('in a low window the sidebar scrolls, and the account stays in view', async (t) => {
  const folders = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`folder ${n}`, {}]))
  const { page } = await start(t, folders, { viewport: { width: 844, height: 390 } })
  const last = page.getByRole('treeitem', { name: 'folder 29' })
  await last.waitFor()
  const account = await accountButton(page)
  const { y, height } = (await account.boundingBox()) ?? { y: 0, height: 0 }
  t.ok(y + height <= 390)
  await last.scrollIntoViewIfNeeded()
  await page.getByRole('link', { name: 'Trash' }).scrollIntoViewIfNeeded()
  t.same(await misplaced(page), [])
  await chooseAccount(page, 'Help')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})

t.test('a slow folder shows placeholders, and that it is loading', async (t) => {
  const root = t.testdir(files)
  const address = await serve(t, root)
  const page = await openPage(t)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/resources/**', async (route) => {
    await released
    await route.continue()
  })
  await signIn(page, address)
  await page.getByRole('status').filter({ hasText: 'Loading…' }).waitFor()
  await page.waitForFunction(
    () => getComputedStyle(document.querySelector('[data-part=skeleton]') as Element).opacity === '1',
  )
  release()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test(
  'on wide screens, the columns use the width, and stay near the names and below their headers',
  async (t) => {
    const { page } = await start(t, files)
    const row = itemNamed(page, 'a.txt')
    const cell = row.getByRole('gridcell')
    const left = async (one: Locator) => (await one.boundingBox())?.x ?? Number.NaN
    const right = (one: Locator) => one.evaluate((element) => element.getBoundingClientRect().right)
    for (const width of [1920, 2560]) {
      await page.setViewportSize({ width, height: 900 })
      const size = await left(cell.nth(1))
      t.equal(size, await left(page.getByRole('columnheader', { name: 'Size' })))
      t.ok(size - (await left(row.getByRole('link'))) < 1100)
      t.ok((await right(row)) - (await right(cell.last())) < 20, 'nothing is empty after the last column')
      const time = cell.last().locator('time')
      t.ok((await right(row)) - (await left(time)) < width / 3, 'the last one begins in the last third')
    }
  },
)

t.test('the selection is visible in forced-colors mode', async (t) => {
  const { page } = await start(t, files, { forcedColors: 'active' })
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'folder').click({ modifiers: ['Control'] })
  const ticks = page.locator('[data-check] path')
  const shown = await ticks.evaluateAll(
    (all) => all.filter((one) => getComputedStyle(one).visibility !== 'hidden').length,
  )
  t.equal(shown, 2)
  // The other row, the current one, has the outline of the keyboard focus.
  t.equal(await itemNamed(page, 'a.txt').evaluate((row) => getComputedStyle(row).outlineStyle), 'solid')
})

t.test('all addresses contain the base path: typed, followed or by the back button', async (t) => {
  const root = t.testdir({ 'a b#': { 'in.txt': 'inside' } })
  const address = await serve(t, root, ['--baseurl', '/sub/path'])
  const page = await openPage(t)
  await signIn(page, new URL(address).origin, '/sub/path/files/')
  await itemNamed(page, 'a b#').dblclick()
  await itemNamed(page, 'in.txt').waitFor()
  t.equal(new URL(page.url()).pathname, '/sub/path/files/a%20b%23/')
  t.match(
    await page.getByRole('link', { name: 'in.txt' }).getAttribute('href'),
    /^\/sub\/path\/files\/a%20b%23\/in.txt$/,
  )
  await page.reload()
  await itemNamed(page, 'in.txt').waitFor()
  await page.goBack()
  await itemNamed(page, 'a b#').waitFor()
  t.equal(await page.title(), 'My files – Coffer')
  await chooseAccount(page, 'Sign out')
  await page.getByLabel('Username').waitFor()
  t.equal(page.url(), `${address}/login`)
})
