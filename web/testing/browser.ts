import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import axeCore from 'axe-core'
import type { Browser, BrowserContextOptions, Download, Page } from 'playwright-core'
import type { Test } from 'tap'
import { launchBrowser, launchCompleteBrowser } from './chromium.ts'
import { takeContext } from './contexts.ts'
import { endFades } from './fades.ts'
import { awaitFirstRoute } from './first-route.ts'
import { trackRequests, untilQuiet } from './requests.ts'
import { serve, testUser } from './serve.ts'

export { serve, testUser, untilQuiet }

let browser: Promise<Browser> | undefined

/**
 * Starts a complete browser for this test file. The shared one may have no PDF viewer, and it receives copies of the
 * files that a test chooses.
 */
export function startCompleteBrowser(): void {
  browser = launchCompleteBrowser()
}

/** The browser of this test file. `closeBrowser` closes it, or the connection to it if all files share it. */
export function launch(): Promise<Browser> {
  browser ??= launchBrowser()
  return browser
}

/** Closes the browser. Call it in the last teardown of the file. */
export async function closeBrowser(): Promise<void> {
  const closed = browser
  browser = undefined // the next test file of this process starts its own
  await (await closed)?.close()
}

/**
 * Opens a page without any data of an earlier one, except that the code of the page may be in the cache of the browser.
 * An uncaught error of the page fails the test. A dark device gets dark pages.
 */
export function openPage(t: Test, options: BrowserContextOptions = {}): Promise<Page> {
  return open(t, options, false)
}

/** Opens a page like `openPage`, in a browser whose cache is empty. */
export function openFirstPage(t: Test, options: BrowserContextOptions = {}): Promise<Page> {
  return open(t, options, true)
}

async function open(t: Test, options: BrowserContextOptions, isFirst: boolean): Promise<Page> {
  const { context, release } = await takeContext(await launch(), options, isFirst)
  t.teardown(release)
  const page = await context.newPage()
  // Long enough for a slow machine: a test that waits in vain needs it only when it fails.
  page.setDefaultTimeout(60_000)
  trackRequests(page)
  awaitFirstRoute(page)
  page.on('pageerror', (error) => t.fail(`the page threw ${error.message}`))
  return page
}

/** Returns the bytes of a downloaded file. The browser may run in another process, so it cannot share its copy. */
export async function downloadedBytes(download: Download): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'coffer-'))
  const file = path.join(folder, 'download')
  try {
    await download.saveAs(file)
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Opens `path` and signs in as `testUser` through the form. */
export async function signIn(page: Page, address: string, path = '/'): Promise<void> {
  await page.goto(address + path)
  await page.getByLabel('Username').fill(testUser.name)
  await page.getByLabel('Password').fill(testUser.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' })
}

/**
 * Opens `at` on a new page, signed in as `testUser` without the form. Where a proxy signs people in, the page does it by
 * itself.
 */
async function openSignedIn(page: Page, address: string, at: string): Promise<void> {
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${address}/api/login`, { method: 'POST', headers, body })
  const token = response.ok ? await response.text() : undefined
  await openWithToken(page, address + at, token)
}

/** Opens `url` with a stored token, as after a sign-in. Only the first document gets it: the user may sign out later. */
export async function openWithToken(page: Page, url: string, token: string | undefined): Promise<void> {
  const store = await page.addInitScript((token) => token && localStorage.setItem('jwt', token), token)
  await page.goto(url)
  await store.dispose()
}

/** Starts a server on `files`, and opens a page that is signed in and shows them. */
export async function start(
  t: Test,
  files: Parameters<Test['testdir']>[0],
  options: BrowserContextOptions & { path?: string; more?: readonly string[] } = {},
): Promise<{ page: Page; root: string; address: string }> {
  const root = path.join(t.testdir({ root: files ?? {} }), 'root')
  const { path: at = '/', more, ...rest } = options
  const address = await serve(t, root, more)
  const page = await openPage(t, rest)
  await openSignedIn(page, address, at)
  return { page, root, address }
}

/** Signs in as `testUser` without a page, like another device. Returns a function that calls the server as `testUser`. */
async function onAnotherDevice(page: Page) {
  const { origin } = new URL(page.url())
  const ask = async (address: string, method: string, body: object, token = '') => {
    const headers = { 'X-Auth': token, 'Content-Type': 'application/json' }
    const response = await fetch(origin + address, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`)
    return response.text()
  }
  const token = await ask('/api/login', 'POST', { username: testUser.name, password: testUser.password })
  return {
    id: userIn(token).id as number,
    ask: (address: string, method: string, body: object) => ask(address, method, body, token),
  }
}

/** The user in a token. */
function userIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).user
}

/** Changes preferences of `testUser` like another device, then reloads the page until it has them. */
export async function changePreferences(page: Page, data: Record<string, unknown>): Promise<void> {
  const { id, ask } = await onAnotherDevice(page)
  await ask(`/api/users/${id}`, 'PUT', { what: 'user', which: Object.keys(data), data: { id, ...data } })
  const isNew = (user: Record<string, unknown>) =>
    Object.entries(data).every(([name, value]) => JSON.stringify(user[name]) === JSON.stringify(value))
  // The token contains the user. The response to an old token makes the page renew it, before or after the reload.
  const open = async () => {
    const asked = page.waitForRequest((request) => request.headers()['x-auth'] !== undefined)
    await page.reload()
    await untilQuiet(page)
    return userIn((await asked).headers()['x-auth'] ?? '')
  }
  while (!isNew(await open()));
}

/** Creates a user, `bob` unless `data` has another name, and signs in as that user on another page. */
export async function signInAs(
  t: Test,
  page: Page,
  data: Record<string, unknown> & { username?: string },
  path = '/',
): Promise<Page> {
  const { ask } = await onAnotherDevice(page)
  const password = 'some other long passphrase'
  const { username = 'bob' } = data
  const user = { password, scope: '/', ...data, username }
  await ask('/api/users', 'POST', {
    what: 'user',
    which: [],
    data: user,
    current_password: testUser.password,
  })
  const his = await openPage(t)
  await his.goto(new URL(path, page.url()).href)
  await his.getByLabel('Username').fill(username)
  await his.getByLabel('Password').fill(password)
  await his.getByRole('button', { name: 'Sign in' }).click()
  await his.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' })
  return his
}

/** The names of the visible items, from top to bottom. */
export function visibleNames(page: Page): Promise<string[]> {
  return page.locator('[data-part=row] a, [data-part=card] a').evaluateAll((links) => {
    const place = (link: Element) => Number(link.closest<HTMLElement>('[data-index]')?.dataset.index)
    return links.toSorted((a, b) => place(a) - place(b)).map((link) => link.getAttribute('data-full') ?? '')
  })
}

/** The names of the visible selected items. */
export function selectedNames(page: Page): Promise<string[]> {
  return page
    .locator('[data-index][aria-selected=true] a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('data-full') ?? ''))
}

/** The name of the current item. */
export function currentName(page: Page): Promise<string | null> {
  return page.locator('[data-index][data-current] a').getAttribute('data-full')
}

/** The row or card of the item `name`. */
export function itemNamed(page: Page, name: string) {
  return page.locator('[data-index]').filter({ has: page.getByRole('link', { name, exact: true }) })
}

type Axe = {
  run(
    within: string,
    options: { resultTypes: string[]; runOnly?: string[] },
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}

/** The violations that axe finds on the page or in the part `within`, one line each; `only` limits the rules. */
export async function violations(page: Page, within = 'html', only: string[] = []): Promise<string[]> {
  await endFades(page)
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeCore.source)
  return page.evaluate(
    async ([within, only]) => {
      const { axe } = globalThis as unknown as { axe: Axe }
      const { violations } = await axe.run(within, {
        resultTypes: ['violations'],
        ...(only.length > 0 && { runOnly: only }),
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
      )
    },
    [within, only] as const,
  )
}

/** The violations of a page in the light theme, and those of the contrast in the dark one: only colours differ. */
export async function violationsInBothThemes(page: Page, within = 'html'): Promise<string[]> {
  const setTheme = (theme: string) =>
    page.locator('html').evaluate((html, theme) => html.setAttribute('data-theme', theme), theme)
  const light = await violations(page, within)
  await setTheme('dark')
  const dark = await violations(page, within, ['color-contrast'])
  await setTheme('light')
  return [...light, ...dark.map((one) => `dark: ${one}`)]
}
