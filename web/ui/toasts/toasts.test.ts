import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

/** Makes a call that the server refuses: deleting the only administrator. */
async function fail(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alert').getByText("The last administrator can't be deleted or demoted.").waitFor()
}

t.test('a success is shown for four seconds in the lower corner and disappears by itself', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/profile' })
  await page.getByLabel('Open with a single click').check()
  await saveButton(page).waitFor()
  // A button of the bar would keep the focus, and the notice would be above the bar.
  await page.keyboard.press('Control+s')
  const notice = page.locator('[data-part=notices] > div')
  const seen = await notice.evaluate((one) => {
    const { animationDuration, insetBlockEnd } = getComputedStyle(one.lastElementChild as Element)
    // The notice itself is still animated.
    const { right, bottom } = (one.parentElement as HTMLElement).getBoundingClientRect()
    return [animationDuration, insetBlockEnd, innerWidth - right, innerHeight - bottom, one.textContent]
  })
  t.same(seen, ['4s', '0px', 16, 16, 'Settings updated!'])
  await notice.waitFor({ state: 'detached' })
})

t.test('a notice with Undo stays longer than the four seconds of one without a button', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).waitFor()
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  const shown = async (notice: Locator) => {
    // The page may need timers to show it. They run for less than the tolerance below.
    await until(async () => {
      await page.clock.runFor(10)
      return notice.isVisible()
    })
  }
  const plain = page.locator('[data-part=notices] > div').filter({ hasText: '1 item copied.' })
  await page.keyboard.press('Control+c')
  await shown(plain)
  await page.clock.runFor(3500)
  t.ok(await plain.isVisible())
  await page.clock.runFor(1000)
  await plain.waitFor({ state: 'detached' })
  const undo = page.locator('[data-part=notices]').getByRole('button', { name: 'Undo' })
  await page.keyboard.press('Control+d')
  await shown(undo)
  await page.clock.runFor(6500)
  t.ok(await undo.isVisible())
  await page.clock.runFor(1000)
  await undo.waitFor({ state: 'detached' })
})

t.test('an error stays until it is closed, and its details can be copied', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/users/1' })
  await fail(page)
  const notices = page.locator('[data-part=notices]')
  await page.context().grantPermissions(['clipboard-write', 'clipboard-read'])
  const report = notices.getByRole('button', { name: 'Copy details' })
  await report.click()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  t.match(text, /^A problem with Coffer\n\nThe last administrator .*\n\/settings\n.*\nCoffer \d/s)
  t.same(await violations(page), [])
  await page.getByLabel('Username').press('Enter')
  await noticed(page, 'User updated!')
  await page.getByText('User updated!').waitFor({ state: 'detached' })
  t.equal(await report.count(), 1, 'it stays after a success')
  await notices.getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('Enter')
  t.equal(await notices.locator('> div').count(), 0)
})

for (const width of [390, 1280])
  t.test(`a notice covers no button of a dialog that opens below it, ${width} pixels wide`, async (t) => {
    const viewport = { width, height: 400 }
    const { page } = await start(t, {}, { path: '/settings/users/1', viewport, reducedMotion: 'reduce' })
    await fail(page)
    await page.getByRole('button', { name: 'Delete' }).click()
    const buttons = page.getByRole('dialog').getByRole('button')
    await buttons.last().waitFor()
    t.equal(await page.getByRole('alert').isVisible(), true)
    const isFree = (one: Element) => {
      const { left, right, top, bottom } = one.getBoundingClientRect()
      const places = [left + 4, right - 4].flatMap((x) => [top + 4, bottom - 4].map((y) => [x, y] as const))
      return places.every(([x, y]) => one.contains(document.elementFromPoint(x, y)))
    }
    for (const button of await buttons.all()) t.ok(await button.evaluate(isFree), await button.innerText())
  })

t.test('in a right-to-left language notices are on the other side', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/users/1' })
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  await fail(page)
  const left = await page
    .locator('[data-part=notices] > div')
    .evaluate((one) => one.getBoundingClientRect().left)
  t.equal(left, 16)
  t.same(await violations(page), [])
})
