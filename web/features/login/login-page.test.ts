import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { closeBrowser, openPage, serve, signIn, start, testUser, visibleNames } from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

/** Ends the session on the page, as signing out in another tab does. */
async function endSession(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new StorageEvent('storage', { key: 'jwt', newValue: null })))
}

t.test('a user signs in with name and password and sees their files', async (t) => {
  const { page } = await start(t, { 'notes.txt': 'x' })
  await page.getByRole('grid', { name: 'Files' }).waitFor()
  t.same(await visibleNames(page), ['notes.txt'])
})

t.test('a wrong password shows an error and stays on the sign-in page', async (t) => {
  const address = await serve(t, t.testdir({ 'notes.txt': 'x' }))
  const page = await openPage(t)
  await page.goto(address)
  await page.getByLabel('Username').fill(testUser.name)
  const password = page.getByLabel('Password')
  await password.fill('not this one')
  await page.getByRole('button', { name: 'Show what you type' }).click()
  t.equal(await password.getAttribute('type'), 'text')
  await password.press('Enter')
  t.equal(await page.getByRole('alert').textContent(), 'Wrong username or password')
  t.match(page.url(), /\/login/)
})

t.test('after sign-in, opens the page that was requested before', async (t) => {
  const address = await serve(t, t.testdir({ 'a b#?%': { 'inside.txt': 'x' } }))
  const page = await openPage(t)
  await signIn(page, address, '/files/a%20b%23%3F%25/')
  await page.getByRole('link', { name: 'inside.txt' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/files/a%20b%23%3F%25/')
})

t.test('signing out ends the session in every tab and revokes its token', async (t) => {
  const { page, address } = await start(t, { 'notes.txt': 'x' })
  const other = await page.context().newPage()
  await other.goto(address)
  await other.getByRole('grid').waitFor()
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  await chooseAccount(page, 'Sign out')
  await page.getByLabel('Username').waitFor()
  await other.getByLabel('Username').waitFor()
  const answer = await fetch(`${address}/api/resources/`, { headers: { 'X-Auth': token } })
  t.equal(answer.status, 401)
})

t.test(
  'when the server ends the session, the user signs in again and returns to the same folder',
  async (t) => {
    const { page, address } = await start(t, { docs: { 'notes.txt': 'x' } })
    await page.getByRole('link', { name: 'docs' }).dblclick()
    await page.getByRole('link', { name: 'notes.txt' }).waitFor()
    const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
    await fetch(`${address}/api/logout`, { method: 'POST', headers: { 'X-Auth': token } })
    // The page learns it from its events, without a request of the user.
    await page.getByLabel('Username').fill(testUser.name)
    await page.getByLabel('Password').fill(testUser.password)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'notes.txt' }).waitFor()
    t.match(page.url(), /\/files\/docs\/$/)
  },
)

t.test('a refused request of an earlier session does not end the current session', async (t) => {
  const { page } = await start(t, { docs: { 'notes.txt': 'x' } })
  // Otherwise the first page could still request the usage, and the reload would abort the held request.
  await page
    .getByRole('complementary')
    .getByText(/ of .* used/)
    .waitFor()
  const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  // Only the first request is held and refused: requests of the new session must succeed.
  const refuse = async (route: Route) => {
    ask()
    await isReleased
    const body = JSON.stringify({ status: 401, code: 'auth.required', detail: 'no session' })
    await route.fulfill({ status: 401, contentType: 'application/problem+json', body })
  }
  await page.route('**/api/usage/**', refuse, { times: 1 })
  await page.reload()
  await isAsked
  await endSession(page)
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'docs' }).waitFor()
  const late = page.waitForResponse((response) => response.status() === 401)
  release()
  await (await late).finished()
  await page.getByRole('link', { name: 'docs' }).dblclick()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
})

t.test('the page ignores a renewed token that arrives after signing out', async (t) => {
  const { page } = await start(t, { docs: { 'notes.txt': 'x' } })
  // Otherwise the page would request the usage twice, and the reload would abort the first request.
  await page
    .getByRole('complementary')
    .getByText(/ of .* used/)
    .waitFor()
  const { waitForCalls: asked, release } = await delayResponses(page, '**/api/renew', 'POST')
  const askToRenew = async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), 'x-renew-token': 'true' } })
  }
  await page.route('**/api/usage/**', askToRenew, { times: 1 })
  await page.reload()
  await asked()
  await endSession(page)
  await page.getByLabel('Username').waitFor()
  const late = page.waitForResponse('**/api/renew')
  release()
  await (await late).finished()
  // The page stores an accepted token before the next frame.
  await page.evaluate(() => new Promise(requestAnimationFrame))
  t.equal(await page.evaluate(() => localStorage.getItem('jwt')), null)
  t.ok(await page.getByLabel('Username').isVisible())
})

t.test('without authentication, opens the files without a sign-in page', async (t) => {
  const address = await serve(t, t.testdir({ 'notes.txt': 'x' }), ['--noauth'])
  const page = await openPage(t)
  await page.goto(address)
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0)
  await page.reload()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  const token = await page.evaluate(() => localStorage.getItem('jwt') ?? '')
  const reply = await fetch(`${address}/api/sessions`, { headers: { 'X-Auth': token } })
  t.equal(((await reply.json()) as unknown[]).length, 1, 'a reload does not create a new session')
})
