import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, downloadedBytes, signInAs, start, violations } from '#web/testing/browser.ts'
import { callerOf, settle } from '#web/testing/call.ts'
import { noticed } from '#web/testing/notices.ts'
import { chooseAccount } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const rows = (page: Page) => page.getByRole('table').locator('tbody').getByRole('row')
const files = { docs: { 'a.txt': 'a' }, 'b.txt': 'b' }

t.test('administrators filter the audit log, share the filter, read records and export them', async (t) => {
  const { page, address } = await start(t, files)
  const call = await callerOf(page)
  await call('DELETE', '/api/resources/docs/a.txt')
  await call('PATCH', '/api/resources/b.txt?action=rename&destination=%2Fdocs%2Fc.txt')
  const account = { username: 'a: b', password: 'a good password', scope: '/' }
  await call('POST', '/api/users', JSON.stringify({ what: 'user', which: [], data: account }))
  await fetch(`${address}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'nobody', password: 'wrong' }),
  })
  await chooseAccount(page, 'Profile settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).click()
  await page.waitForURL('**/settings/audit')
  await rows(page).filter({ hasText: 'Moved or renamed' }).waitFor()
  t.match(
    await rows(page).filter({ hasText: 'Changed user accounts' }).innerText(),
    /ann\s+Changed user accounts\s+a: b\s+Done/,
    'the account is named',
  )
  t.same(await violations(page), [])
  await page.getByLabel('Path, with everything below').fill('/docs')
  await page.getByLabel('Action').selectOption('Deleted')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Filter' }).press('Enter')
  await page.waitForURL('**/settings/audit?path=%2Fdocs&kind=delete')
  t.equal(await page.evaluate(() => document.activeElement?.textContent), 'Filter', 'the focus stays')
  await rows(page).filter({ hasText: 'Moved or renamed' }).waitFor({ state: 'detached' })
  t.equal(await rows(page).count(), 1)
  t.match(await rows(page).innerText(), /ann\s+Deleted\s+\/docs\/a\.txt\s+Done\s+127\.0\.0\.1/)
  await page.reload()
  await rows(page).first().waitFor()
  t.equal(await page.getByLabel('Path, with everything below').inputValue(), '/docs')
  await rows(page)
    .getByRole('button', { name: /^Details of record / })
    .press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Record' })
  await dialog.getByText('Operation').waitFor()
  t.match(await dialog.getByRole('term').allInnerTexts(), ['Number', 'Time', 'Username', 'Address', 'Action'])
  await settle(page)
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  for (const format of ['CSV', 'NDJSON']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Export as ${format}` }).click(),
    ])
    const text = `${await downloadedBytes(download)}`
    t.match(text, '/docs/a.txt')
    t.notMatch(text, '/docs/c.txt', 'only what matches the filter')
  }
  await page.getByRole('button', { name: 'Clear' }).press('Enter')
  const filter = page.getByRole('button', { name: 'Filter', exact: true })
  t.ok(await filter.evaluate((one) => one === document.activeElement), 'the focus is not lost')
  t.equal(await page.getByLabel('Path, with everything below').inputValue(), '')
  await page.getByLabel('Outcome').selectOption('Failed')
  await page.getByRole('button', { name: 'Filter' }).click()
  await rows(page).filter({ hasText: 'Tried to sign in' }).waitFor()
  await page.goBack()
  await rows(page).filter({ hasText: 'Moved or renamed' }).waitFor()
  await page.getByLabel('From').fill('2100-01-01T00:00')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('No records match.').waitFor()
  const his = await signInAs(t, page, { perm: { download: true } }, '/settings/audit')
  await his.waitForURL('**/403')
})

t.test('the audit log loads more on demand, retries after an error, and fits on a phone', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, colorScheme: 'dark' } as const
  const { page, address } = await start(t, {}, { ...phone, path: '/settings/profile' })
  const record = (seq: number) => ({
    ...{ seq, time: '2026-01-02T03:04:05Z', kind: seq % 2 ? 'save' : 'from-the-future', outcome: 'failed' },
    ...{ user: 'a-very-long-user-name-without-an-end', address: '2001:db8:1234:5678:9abc:def0:1234:5678' },
    ...{ paths: [{ path: `/${'long'.repeat(40)}.txt` }], count: 31, detail: 'path.busy' },
  })
  let isBroken = false
  await page.route('**/api/audit?*', (route) => {
    const before = Number(new URL(route.request().url()).searchParams.get('before') ?? 201)
    if (isBroken) return route.fulfill({ status: 503, body: 'busy' })
    const records = Array.from({ length: 100 }, (_, n) => record(before - 1 - n))
    if (before === 201) records.unshift({ ...record(201), kind: 'verify', paths: [], count: 1, detail: '' })
    return route.fulfill({ json: { records, ...(before > 101 && { next: before - 100 }) } })
  })
  await page.goto(`${address}/settings/audit`)
  await rows(page).nth(99).waitFor()
  t.match(await rows(page).first().innerText(), 'Found changed or missing records')
  t.ok(((await rows(page).nth(1).boundingBox())?.y ?? 800) < 600, 'records are visible at once')
  const filters = page.getByRole('button', { name: /^Filters/ })
  await filters.tap()
  await page.getByLabel('Username').fill('ann')
  await page.getByLabel('Outcome').selectOption('Failed')
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Filter', exact: true }).tap()
  await page.waitForURL('**/settings/audit?user=ann&outcome=failed')
  await page.getByRole('button', { name: 'Filters (2)' }).waitFor()
  t.equal(await filters.getAttribute('aria-expanded'), 'false')
  t.ok(await filters.evaluate((one) => one === document.activeElement))
  t.notOk(await page.getByLabel('Username').isVisible())
  await filters.tap()
  t.equal(await page.getByLabel('Username').inputValue(), 'ann')
  await page.getByRole('button', { name: 'Clear' }).tap()
  await page.getByRole('button', { name: 'Filters', exact: true }).waitFor()
  isBroken = true
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('alert').getByText('The server is busy.').waitFor()
  isBroken = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await rows(page).nth(200).waitFor()
  t.equal(await page.getByRole('button', { name: 'Show more' }).count(), 0)
  const focused = page.locator('tbody tr:focus-within')
  t.equal(
    await focused.evaluate((row) => (row as HTMLTableRowElement).sectionRowIndex),
    101,
    'the first new one',
  )
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
})

t.test('the settings of the trash, of versions and of the audit log are saved', async (t) => {
  const { page } = await start(t, { cache: {} }, { path: '/settings/global' })
  const card = page.getByRole('region', { name: 'Trash and versions' })
  await card.getByLabel('Days in the trash').fill('7')
  await card.getByLabel('Keep the old content of changed files as versions').uncheck()
  await card.getByLabel('Largest file with versions').fill('1.5')
  await card.getByRole('textbox', { name: 'Folders without versions' }).fill('/cache\n\n  /tmp ')
  await card.getByLabel('Limit per user, % of each disk').fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  t.ok(
    await card
      .getByLabel('Limit per user, % of each disk')
      .evaluate((one: HTMLInputElement) => one.validity.valueMissing),
    'an empty number is not saved',
  )
  await card.getByLabel('Limit per user, % of each disk').fill('5')
  await page.getByRole('region', { name: 'Audit log' }).getByLabel('Keep records for (days)').fill('90')
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await noticed(page, 'Settings updated!')
  const call = await callerOf(page)
  t.match(await (await call('GET', '/api/settings')).json(), {
    keeping: {
      ...{ trash: true, days: 7, share: 10, userShare: 5 },
      ...{ versions: false, versionSize: 1.5 * 1024 * 1024, withoutVersions: ['/cache', '/tmp'] },
    },
    audit: { days: 90, megabytes: 1024 },
  })
})
