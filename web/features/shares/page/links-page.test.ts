import t, { type Test } from 'tap'
import { closeBrowser, openPage, start, violations } from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const files = { 'a.txt': 'a', docs: { 'b.txt': 'b' } }
const password = 'bob has a long passphrase'

/** Starts an instance with shares of an administrator and of bob, who has the permissions `perm`. */
async function open(t: Test, perm: object = { share: true, download: true }, width = 1280) {
  const started = await start(t, files, { viewport: { width, height: 800 } })
  const { page, address } = started
  const call = (token: string) => async (method: string, path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json', 'X-Auth': token }
    return fetch(address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
  const admin = call(await page.evaluate(() => localStorage.getItem('jwt') ?? ''))
  const data = { username: 'bob', password, scope: '/docs', perm: { share: true, download: true } }
  t.equal((await admin('POST', '/api/users', { what: 'user', which: [], data })).status, 201)
  const login = await admin('POST', '/api/login', { username: 'bob', password })
  const bob = call(await login.text())
  const share = async (by: typeof bob, path: string, body?: object) =>
    ((await (await by('POST', `/api/share${path}`, body)).json()) as { hash: string }).hash
  const hashes = {
    a: await share(admin, '/a.txt'),
    docs: await share(admin, '/docs/', { expires: '3', unit: 'days', password: 'let me in' }),
    b: await share(bob, '/b.txt'),
  }
  t.equal(
    (await admin('PUT', '/api/users/2', { what: 'user', which: ['perm'], data: { id: 2, perm } })).status,
    200,
  )
  const status = async (hash: string) => (await fetch(`${address}/api/public/share/${hash}`)).status
  const asBob = async (path: string) => {
    const bobPage = await openPage(t, { viewport: { width, height: 800 } })
    await bobPage.goto(address + path)
    await bobPage.getByLabel('Username').fill('bob')
    await bobPage.getByLabel('Password').fill(password)
    await bobPage.keyboard.press('Enter')
    return bobPage
  }
  return { ...started, hashes, status, asBob }
}

t.test('lists and deletes shares, for administrators those of all users', async (t) => {
  const { page, address, hashes, status } = await open(t)
  await chooseAccount(page, 'Profile settings')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Shared links' }).click()
  await page.waitForURL(`${address}/settings/shares`)
  t.equal(await page.title(), 'Shared links – Coffer')
  const lines = page.getByRole('region', { name: 'Shared links' }).getByRole('listitem')
  await lines.first().waitFor()
  t.equal(await lines.count(), 3)
  t.match(await lines.allTextContents(), [
    /^\/a\.txtPermanent link/,
    /^\/docsends in 3 days · View and download · Password-protected/,
    /^\/b\.txtPermanent link · View and download · Shared by bob/,
  ])
  t.same(await violations(page), [])
  await lines.nth(2).getByRole('button', { name: 'Delete link' }).click()
  await page.getByText('Link deleted.').waitFor()
  await lines.nth(2).waitFor({ state: 'detached' })
  t.strictSame([await status(hashes.b), await status(hashes.a)], [404, 200])
  t.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'Delete link',
    'the focus stays in the list, on the same kind of button',
  )
  await lines.first().getByRole('link', { name: '/a.txt' }).click()
  await page.waitForURL(`${address}/files/a.txt`)
})

t.test('users see and delete only their own shares', async (t) => {
  const { asBob, hashes, status } = await open(t)
  const bobPage = await asBob('/settings/shares')
  const lines = bobPage.getByRole('region', { name: 'Shared links' }).getByRole('listitem')
  await lines.first().waitFor()
  t.strictSame(await lines.count(), 1)
  t.same(await bobPage.getByRole('navigation', { name: 'Settings' }).getByRole('link').allTextContents(), [
    'Profile settings',
    'Shared links',
  ])
  await lines.getByRole('button', { name: 'Delete link' }).click()
  await bobPage.getByText('No shared links.').waitFor()
  t.strictSame([await status(hashes.b), await status(hashes.a)], [404, 200])
})

t.test('the error names the missing download permission when a user may only share', async (t) => {
  const { asBob } = await open(t, { share: true })
  const bobPage = await asBob('/settings/shares')
  const sentence = "You don't have permission to download, so you can't share files."
  await bobPage.getByRole('alert').getByText(sentence).waitFor()
})

t.test('the list of shares fits on a phone', async (t) => {
  const { page, address } = await open(t, {}, 390)
  await page.goto(`${address}/settings/shares`)
  await page.getByRole('listitem').first().waitFor()
  t.same(await violations(page), [])
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
})

t.test('shows 200 shares at first, and more on request', async (t) => {
  const { page, address } = await start(t, files)
  const used = { downloads: 0, visitors: 0, visits: 0, files: 0, bytes: 0 }
  const link = { userID: 1, expire: 0, created: 1, hasPassword: false, rights: 'download', used }
  const many = Array.from({ length: 450 }, (_, n) => ({ ...link, hash: `h${n}`, path: `/${n}.txt` }))
  await page.route('**/api/shares', (route) => route.fulfill({ json: many }))
  await page.goto(`${address}/settings/shares`)
  const lines = page.getByRole('region', { name: 'Shared links' }).getByRole('listitem')
  await lines.first().waitFor()
  t.equal(await lines.count(), 200)
  await page.getByRole('button', { name: 'Show more (250)' }).click()
  await lines.nth(399).waitFor()
  await page.getByRole('button', { name: 'Show more (50)' }).click()
  await lines.nth(449).waitFor()
  t.equal(await page.getByRole('button', { name: /Show more/ }).count(), 0)
})
