import type { Request } from 'playwright-core'
import t from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  launch,
  openFirstPage,
  openPage,
  serve,
  signIn,
  testUser,
  untilQuiet,
  violations,
} from '#web/testing/browser.ts'
import { chooseAccount } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const lost = "Can't reach the server. Check your connection and try again."
const signInPart = /\/sign-in-\w+\.js$/

const address = await serve(t, t.testdir({ 'notes.txt': 'x', 'red.png': asPng(plain(4, 3, [200, 0, 0])) }))

// Before version 156, Chromium remembers that an import failed. There the page shows an error, as in the next test.
const remembersFailures = Number.parseInt((await launch()).version(), 10) < 156
const onlyForgetful = { skip: remembersFailures && 'this browser remembers failed imports' }

t.test('a part of the page that fails to load is fetched a second time', onlyForgetful, async (t) => {
  const page = await openPage(t)
  let tries = 0
  await page.route(signInPart, (route) => (++tries === 1 ? route.abort() : route.continue()))
  await page.goto(address)
  await page.getByLabel('Username').waitFor()
  t.equal(tries, 2)
  await page.locator('#splash').waitFor({ state: 'detached' })
})

t.test('if the page fails to start, it shows an error and starts when the user tries again', async (t) => {
  const page = await openPage(t)
  page.removeAllListeners('pageerror')
  await page.route(signInPart, (route) => route.abort())
  await page.goto(`${address}/login?redirect=%2Ffiles%2F`)
  await page.getByRole('alert').getByText(lost).waitFor()
  t.same(await violations(page, '#splash'), [])
  await page.unroute(signInPart)
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByLabel('Username').waitFor()
  t.equal(page.url(), `${address}/login?redirect=%2Ffiles%2F`)
})

t.test(
  'styles of later parts that fail to load are fetched again before these parts are shown',
  async (t) => {
    const page = await openPage(t)
    let tries = 0
    await page.route(/\/later-styles-\w+\.css$/, (route) =>
      ++tries === 1 ? route.abort() : route.continue(),
    )
    await signIn(page, address)
    await page.getByRole('link', { name: 'notes.txt' }).click()
    await page.keyboard.press('F1')
    const parent = page.getByRole('dialog').locator('..')
    t.not(await parent.evaluate((one) => getComputedStyle(one).boxShadow), 'none')
    t.equal(tries, 2)
  },
)

t.test('the sign-in page is at most 113 KiB before the user types, and then loads the rest', async (t) => {
  const page = await openFirstPage(t)
  const finished: Request[] = []
  page.on('requestfinished', (request) => finished.push(request))
  await page.goto(`${address}/login`)
  await page.getByLabel('Username').waitFor()
  await untilQuiet(page)
  const sizes = await Promise.all(finished.map((request) => request.sizes()))
  const total = sizes.reduce((sum, one) => sum + one.responseBodySize + one.responseHeadersSize, 0)
  t.ok(total > 80 * 1024 && total <= 113 * 1024, `${total} bytes`)
  const more = page.waitForRequest(/\/later-dialogs-\w+\.js$/)
  await page.getByLabel('Username').press('a')
  await more
})

t.test('if the first script never arrives, the page shows an error after a timeout', async (t) => {
  const page = await openPage(t)
  await page.route(/\/main-\w+\.js$/, (route) => route.abort())
  await page.goto(address)
  const words = page.locator('#splash > p')
  await words.waitFor({ state: 'hidden' })
  t.equal(await words.evaluate((one) => getComputedStyle(one).animationDelay), '120s')
  await words.evaluate((one) => {
    for (const animation of one.getAnimations()) animation.finish()
  })
  t.ok(await words.isVisible())
})

t.test(
  'if a part cannot be loaded, an error is shown in its place, and the page is not reloaded',
  async (t) => {
    const page = await openPage(t)
    await signIn(page, address)
    await page.getByRole('link', { name: 'notes.txt' }).waitFor()
    await page.route(/\/later-settings-\w+\.js$/, (route) => route.abort())
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    await chooseAccount(page, 'Profile settings')
    await page.getByRole('alert').getByText(lost).waitFor()
    t.ok(await page.evaluate(() => 'isSamePage' in globalThis))
    t.same(await violations(page, '[data-part=lost]'), [])
    await page.unroute(/\/later-settings-\w+\.js$/)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Change password' }).waitFor()
  },
)

t.test('while the code of a page loads, the page has a main part and a heading', async (t) => {
  const page = await openPage(t)
  await signIn(page, address)
  for (const [path, part, title, loaded] of [
    ['/files/notes.txt', /\/later-views-\w+\.js$/, 'notes.txt', 'textbox'],
    ['/files/red.png', /\/later-views-\w+\.js$/, 'red.png', 'img'],
    ['/settings/profile', /\/later-settings-\w+\.js$/, 'Loading…', 'combobox'],
  ] as const) {
    let go = () => {}
    const free = new Promise<void>((resolve) => {
      go = resolve
    })
    await page.route(part, async (route) => {
      await free
      await route.continue()
    })
    await page.goto(address + path)
    await page.getByRole('main').getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.locator('#splash').waitFor({ state: 'detached' })
    t.same(await violations(page), [], path)
    go()
    await page.getByRole('main').getByRole(loaded).first().waitFor()
    await page.unroute(part)
  }
})

t.test('a bug in the page leads to an error page with links, not to a blank page', async (t) => {
  const page = await openPage(t)
  const thrown: string[] = []
  page.removeAllListeners('pageerror').on('pageerror', ({ message }) => thrown.push(message))
  const item = { name: 5, isDir: false, type: 'text', size: 1 }
  const body = JSON.stringify({ kind: 'listing', name: 'x', path: '/', items: [item] })
  await page.route('**/api/public/share/**', (route) =>
    route.fulfill({ contentType: 'application/json', body }),
  )
  await page.goto(`${address}/share/abc`)
  await page.getByRole('main').getByRole('alert').getByText('Something really went wrong.').waitFor()
  t.equal(thrown.length, 1, 'the error is still reported')
  t.same(await violations(page), [])
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('main').getByRole('alert').getByText('Something really went wrong.').waitFor()
  await page.getByRole('link', { name: 'Go to my files' }).click()
  await page.getByLabel('Username').waitFor()
})

t.test('an expired or malformed stored token is removed with a warning', async (t) => {
  const page = await openPage(t)
  const warnings: string[] = []
  page.on('console', (message) => message.type() === 'warning' && warnings.push(message.text()))
  await page.goto(address)
  const expired = ['head', btoa(JSON.stringify({ exp: 100, user: {} })), 'signature'].join('.')
  for (const [token, warning] of [
    ['a.b', 'token malformed'],
    [expired, 'token expired'],
  ] as const) {
    await page.evaluate((token) => localStorage.setItem('jwt', token), token)
    await page.reload()
    await page.getByLabel('Username').waitFor()
    t.same(warnings.splice(0), [warning])
    t.equal(await page.evaluate(() => localStorage.getItem('jwt')), null)
  }
})

t.test('a device whose clock is hours ahead can sign in', async (t) => {
  const page = await openPage(t)
  await page.clock.install({ time: Date.now() + 5 * 3600_000 })
  await signIn(page, address)
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
})

t.test('a sign-in response without a token signs nobody in, and the user can try again', async (t) => {
  const page = await openPage(t)
  await page.route('**/api/login', (route) => route.fulfill({ body: '<html>Welcome to the hotel</html>' }))
  await page.goto(address)
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('Something really went wrong.').waitFor()
  await page.unroute('**/api/login')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
})

t.test("the user's language overrides the browser's, whichever messages arrive first", async (t) => {
  const ask = (method: string, path: string, body: object, token = '') =>
    fetch(address + path, {
      method,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', 'X-Auth': token },
    })
  const login = await ask('POST', '/api/login', { username: testUser.name, password: testUser.password })
  const token = await login.text()
  const data = { id: 1, locale: 'de' }
  await ask('PUT', '/api/users/1', { what: 'user', which: ['locale'], data }, token)
  const renewed = await (await ask('POST', '/api/renew', {}, token)).text()
  const page = await openPage(t, { locale: 'fr' })
  await page.addInitScript((token) => localStorage.setItem('jwt', token), renewed)
  const late: (() => Promise<void>)[] = []
  await page.route(/\/fr-\w+\.js$/, (route) => void late.push(() => route.continue()))
  await page.goto(address)
  await page.getByRole('link', { name: 'notes.txt' }).waitFor()
  await page.getByRole('link', { name: 'Meine Dateien' }).first().waitFor()
  const arrived = late.length > 0 && page.waitForResponse(/\/fr-\w+\.js$/)
  for (const go of late) await go()
  await arrived
  await page.evaluate(() => new Promise((done) => setTimeout(done)))
  await page.getByRole('link', { name: 'Meine Dateien' }).first().waitFor()
})
