import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, start, testUser, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

/** Makes a call that the server refuses: deleting the only administrator. */
async function fail(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alert').getByText("The last administrator can't be deleted or demoted.").waitFor()
}

t.test('a success is shown in the lower corner and disappears by itself', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/profile' })
  await page.getByRole('region', { name: 'Language' }).getByRole('button', { name: 'Update' }).click()
  const notice = page.locator('[data-part=notices] > div')
  const seen = await notice.evaluate((one) => {
    const { animationDuration, insetBlockEnd } = getComputedStyle(one.lastElementChild as Element)
    // The notice itself is still animated.
    const { right, bottom } = (one.parentElement as HTMLElement).getBoundingClientRect()
    return [animationDuration, insetBlockEnd, innerWidth - right, innerHeight - bottom, one.textContent]
  })
  t.same(seen, ['1s', '0px', 16, 16, 'Settings updated!'])
  await notice.waitFor({ state: 'detached' })
})

t.test('an error stays until it is closed, and can be reported', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/users/1' })
  await fail(page)
  const notices = page.locator('[data-part=notices]')
  const report = notices.getByRole('link', { name: 'Report issue' })
  const letter = new URL((await report.getAttribute('href')) ?? '')
  t.equal(letter.protocol, 'mailto:')
  t.equal(letter.searchParams.get('subject'), 'A problem with Coffer')
  t.match(letter.searchParams.get('body'), /^The last administrator .*\r\n\r\n\/settings\r\n.*\r\nCoffer \d/s)
  t.same(await violations(page), [])
  await page.getByLabel('Username').press('Enter')
  await noticed(page, 'User updated!')
  await page.getByText('User updated!').waitFor({ state: 'detached' })
  t.equal(await report.count(), 1, 'it stays after a success')
  await notices.getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('Enter')
  t.equal(await notices.locator('> div').count(), 0)
})

t.test('if external links are disabled, an error cannot be reported', async (t) => {
  const { page } = await start(t, {}, { path: '/settings/global' })
  await page.getByLabel('Disable external links').check()
  await page.getByRole('button', { name: 'Update' }).first().click()
  await noticed(page, 'Settings updated!')
  for (const again of [false, true]) {
    if (again) await page.reload()
    await page.getByRole('link', { name: 'User management' }).click()
    await page.getByRole('link', { name: `Edit ${testUser.name}` }).click()
    await fail(page)
    t.equal(await page.getByRole('link', { name: 'Report issue' }).count(), 0)
    await page.locator('[data-part=notices] [data-kind=error]').getByRole('button', { name: 'Close' }).click()
  }
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
