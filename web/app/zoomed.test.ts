import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { callerOf } from '#web/testing/call.ts'

t.teardown(closeBrowser)

/** A window of 1280 pixels at 200 % zoom (WCAG 2.2, 1.4.4). */
const twice = {
  viewport: { width: 640, height: 400 },
  deviceScaleFactor: 2,
  reducedMotion: 'reduce',
} as const

/** Lists controls that can neither be seen nor be scrolled to, by name, and any horizontal overflow. */
async function lost(page: Page, within: string): Promise<string[]> {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState === 'finished'),
  )
  return page.evaluate((within) => {
    const isReachable = (one: Element) => {
      one.scrollIntoView({ block: 'center', inline: 'nearest' })
      const { left, right, top, bottom } = one.getBoundingClientRect()
      if (left < -1 || right > innerWidth + 1 || top < -1 || bottom > innerHeight + 1) return false
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      return there !== null && (one.contains(there) || there.contains(one))
    }
    const shown = [...document.querySelectorAll(`${within} :is(a, button, input, select, textarea, summary)`)]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]'))
      // The skip link is in sight only while it has the focus.
      .filter((one) => !one.matches('[href="#app"]:not(:focus)'))
    const names = shown
      .filter((one) => !isReachable(one))
      .map((one) => one.getAttribute('aria-label') || one.textContent || one.outerHTML.slice(0, 80))
    const { scrollWidth } = document.documentElement
    return scrollWidth > innerWidth ? [...names, `all of it is ${scrollWidth} pixels wide`] : names
  }, within)
}

t.test('at 200 % zoom nothing of the file pages is cut off or out of reach', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.md': '# b', 'c.mp3': 'x', docs: {} }, twice)
  await itemNamed(page, 'a.txt').click()
  const move = page.getByRole('button', { name: 'Move to…' })
  await move.waitFor()
  t.same(await lost(page, 'body'), [], 'the list')
  const dialog = page.getByRole('dialog')
  for (const key of ['F1', 'F2', 'Shift+Delete', 'Control+f']) {
    await page.keyboard.press(key)
    await dialog.waitFor()
    t.same(await lost(page, '[role=dialog]'), [], key)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await move.click()
  await dialog.waitFor()
  t.same(await lost(page, '[role=dialog]'), [], 'the folder dialog')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await page.getByRole('button', { name: 'Menu' }).click()
  t.same(await lost(page, 'dialog'), [], 'the menu')
  await page.keyboard.press('Escape')
  for (const name of ['a.txt', 'b.md', 'c.mp3']) {
    await itemNamed(page, name).dblclick()
    const file = page.getByRole('main', { name })
    await file
      .getByText(/can't be played/)
      .or(file.getByRole('textbox', { name }))
      .first()
      .waitFor()
    t.same(await lost(page, '[data-part=file]'), [], name)
    await file.getByRole('button', { name: 'Close' }).click()
    await file.waitFor({ state: 'detached' })
  }
})

t.test('at 200 % zoom nothing of the settings is cut off or out of reach', async (t) => {
  const { page, address } = await start(t, {}, { ...twice, path: '/settings/profile' })
  for (const [path, heading] of [
    ['/settings/profile', 'Where you are signed in'],
    ['/settings/global', 'General'],
    ['/settings/users', 'Users'],
    ['/settings/users/new', 'New user'],
  ] as const) {
    await page.goto(address + path)
    await page.getByRole('heading', { name: heading }).waitFor()
    t.same(await lost(page, 'body'), [], path)
  }
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${address}/login`)
  await page.getByLabel('Password').waitFor()
  t.same(await lost(page, 'body'), [], 'the sign-in page')
})

/** A window of 1280 by 1024 pixels at 400 % zoom (WCAG 2.2, 1.4.10). */
const fourTimes = { ...twice, viewport: { width: 320, height: 256 } }

/** The number of rows that are whole, and covered by nothing. */
function wholeRows(page: Page): Promise<number> {
  return page.locator('[data-part=row]').evaluateAll(
    (rows) =>
      rows.filter((row) => {
        const { left, top, bottom } = row.getBoundingClientRect()
        const isThere = (y: number) => row.contains(document.elementFromPoint(left + 60, y))
        return isThere(top + 2) && isThere(bottom - 2)
      }).length,
  )
}

/** Scrolls the list of a page to its end. */
async function scrollDown(page: Page): Promise<void> {
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight))
  await page.waitForFunction(() => (document.querySelector('[role=grid]')?.scrollTop ?? 0) > 0)
}

t.test('at 400 % zoom more than one row of a list is visible', async (t) => {
  const { page } = await start(t, { docs: {}, 'a.txt': 'a', 'b.txt': 'b' }, fourTimes)
  await itemNamed(page, 'a.txt').waitFor()
  t.ok((await wholeRows(page)) >= 1, 'at the top, below the column headers')
  await scrollDown(page)
  t.ok((await wholeRows(page)) >= 2, 'while scrolling')
  t.same(await lost(page, 'body'), [])
})

t.test('at 400 % zoom more than one row of the trash is visible, and no header is cut', async (t) => {
  const { page, address } = await start(t, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' }, fourTimes)
  const call = await callerOf(page)
  for (const name of ['a', 'b', 'c']) await call('DELETE', `/api/resources/${name}.txt`)
  await page.goto(`${address}/trash`)
  await page.locator('[data-part=row]').nth(2).waitFor()
  t.ok((await wholeRows(page)) >= 1, 'at the top, below the column headers')
  t.same(await cutHeads(page), [])
  await scrollDown(page)
  t.ok((await wholeRows(page)) >= 2, 'while scrolling')
  t.same(await lost(page, 'body'), [])
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByText('Original location', { exact: true }).waitFor({ state: 'hidden' })
  t.same(await cutHeads(page), [], 'on a phone')
})

/** The visible column headers whose texts are cut. */
function cutHeads(page: Page): Promise<(string | null)[]> {
  return page
    .locator('[role=columnheader] span')
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    )
}
