import type { Page } from 'playwright-core'
import t from 'tap'
import {
  changePreferences,
  closeBrowser,
  openWithToken,
  start,
  testUser,
  untilQuiet,
  violations,
  violationsInBothThemes,
} from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const phone = { width: 390, height: 800 }

const field = (page: Page) => page.getByLabel('Search in the manual')

/** The text of the element with the focus. */
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

/** The distance of a heading from the upper edge of the part that scrolls, in pixels. */
const distance = (page: Page, heading: string) =>
  page
    .getByRole('heading', { name: heading, exact: true })
    .evaluate((one) =>
      Math.round(
        one.getBoundingClientRect().top -
          (one.closest('article')?.parentElement?.getBoundingClientRect().top ?? Number.NaN),
      ),
    )

t.test('the manual opens from Help by keyboard, and leads from chapter to chapter', async (t) => {
  const { page, address } = await start(t, { manual: { 'a.txt': 'a file of the user' } })
  await page.getByRole('grid', { name: 'Files' }).waitFor()
  await page.keyboard.press('F1')
  await page.getByRole('dialog').getByRole('link', { name: 'Manual', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Manual', level: 1 }).waitFor()
  t.equal(new URL(page.url()).pathname, '/manual')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const chapters = page.getByRole('navigation', { name: 'Chapters' })
  t.equal(await chapters.getByRole('link').count(), 14)
  await chapters.getByRole('link', { name: 'Log and fail2ban' }).focus()
  await page.keyboard.press('Enter')
  const article = page.getByRole('article')
  await article.getByRole('heading', { name: 'Log and fail2ban', level: 2 }).waitFor()
  await page.waitForFunction(() => document.activeElement?.matches('article'))
  t.match(await page.title(), 'Log and fail2ban – Manual')
  t.equal(await chapters.locator('[aria-current=page]').textContent(), 'Log and fail2ban')

  // The first link of the chapter leads to a section of another one.
  await page.keyboard.press('Tab')
  t.equal(await focused(page), 'audit log')
  await page.keyboard.press('Enter')
  await article.getByRole('heading', { name: 'Administration', level: 2 }).waitFor()
  await page.waitForFunction(() => document.activeElement?.id === 'audit-log')
  t.equal(new URL(page.url()).pathname + new URL(page.url()).hash, '/manual/administration#audit-log')
  // It is near the end of the chapter, which cannot be scrolled further.
  t.ok((await distance(page, 'Audit log')) < 600)
  await page.goBack()
  await article.getByRole('heading', { name: 'Log and fail2ban' }).waitFor()

  await page.goto(`${address}/manual/options#options`)
  await article.getByRole('heading', { name: 'Options', exact: true }).waitFor()
  await page.waitForFunction(() => (document.querySelector('article')?.parentElement?.scrollTop ?? 0) > 300)
  t.equal(await distance(page, 'Options'), 16, 'an address with a section shows it')
  await page.goto(`${address}/manual/gone`)
  await page.getByRole('article').getByRole('link', { name: 'Security', exact: true }).waitFor()

  await page.goto(`${address}/files/manual/`)
  await page.getByRole('row', { name: /a\.txt/ }).waitFor()
})

t.test('the search finds sections of all chapters, and takes no keys from the browser', async (t) => {
  const { page } = await start(t, {}, { path: '/manual' })
  const results = page.getByRole('search').getByRole('link')
  await field(page).fill('trash days')
  await page.getByText('2 results', { exact: true }).waitFor()
  t.match(await results.first().textContent(), /What stays how long.*Entries stay in the trash for 30 days/)
  t.strictSame(await results.first().locator('mark').allTextContents(), ['trash', 'days'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  t.match(await focused(page), /^Audit log/)
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  t.equal(await field(page).evaluate((one) => one === document.activeElement), true)
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.id === 'what-stays-how-long')
  t.equal(await results.count(), 2, 'the results stay')
  t.ok((await distance(page, 'What stays how long')) < 400)

  await field(page).fill('xylophone')
  await page.getByText('Nothing found', { exact: true }).waitFor()
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('navigation', { name: 'Chapters' }).waitFor()
  t.equal(await field(page).inputValue(), '')

  await page.evaluate(() => {
    addEventListener('keydown', (event) => {
      document.body.dataset.kept = `${document.body.dataset.kept ?? ''}${event.key}:${event.defaultPrevented} `
    })
  })
  await page.getByRole('article').focus()
  await page.keyboard.press('/')
  await page.keyboard.press('Control+f')
  t.equal(await page.evaluate(() => document.body.dataset.kept), '/:false Control:false f:false ')
  t.equal(await page.evaluate(() => document.activeElement?.localName), 'article')
})

t.test('the manual can be read wide and narrow, light and dark', async (t) => {
  const { page } = await start(t, {}, { path: '/manual/options' })
  await page.getByRole('heading', { name: 'Options', exact: true }).waitFor()
  t.same(await violationsInBothThemes(page), [], 'wide')
  await page.setViewportSize(phone)
  await page.reload()
  await page.getByRole('heading', { name: 'Options', exact: true }).waitFor()
  t.equal(await page.getByRole('navigation', { name: 'Chapters' }).isVisible(), false, 'the list is folded')
  await page.getByText('Chapters', { exact: true }).click()
  t.same(await violationsInBothThemes(page), [], 'narrow')
  const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
  t.ok(wide <= 390, `${wide} pixels of content in 390`)
  await page.getByRole('link', { name: 'Behind a proxy' }).click()
  await page.getByRole('heading', { name: 'Behind a proxy' }).waitFor()
  t.equal(await page.getByRole('navigation', { name: 'Chapters' }).isVisible(), false, 'the list closes')
  await page.waitForFunction(() => document.activeElement?.matches('article'))
})

t.test('in another language, the page says that the manual is in English', async (t) => {
  const { page } = await start(t, {}, { path: '/manual/undo' })
  await page.getByRole('heading', { name: 'Undo, trash and versions' }).waitFor()
  t.equal(await page.getByText('The manual is in English.').count(), 0)
  await changePreferences(page, { locale: 'ar' })
  await page.getByText('الدليل متاح باللغة الإنجليزية فقط.').waitFor()
  await page.getByRole('heading', { name: 'Undo, trash and versions' }).waitFor()
  t.equal(await page.evaluate(() => document.documentElement.dir), 'rtl')
  const article = page.locator('article[lang=en]')
  t.strictSame(
    await article
      .getByRole('paragraph')
      .first()
      .evaluate((one) => [getComputedStyle(one).direction, getComputedStyle(one).textAlign]),
    ['ltr', 'start'],
  )
  t.same(await violations(page), [])
})

t.test('a user without any permission can read the manual, and a visitor gets no link to it', async (t) => {
  const { page, address } = await start(t, {})
  const ask = async (path: string, body: object, token = '') => {
    const headers = { 'Content-Type': 'application/json', 'X-Auth': token }
    const response = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.text()
  }
  const admin = await ask('/api/login', { username: testUser.name, password: testUser.password })
  const none = Object.fromEntries(
    ['admin', 'execute', 'create', 'rename', 'modify', 'delete', 'share', 'download'].map((name) => [
      name,
      false,
    ]),
  )
  const data = { username: 'guest', password: 'a long password', scope: '.', locale: 'en', perm: none }
  await ask('/api/users', { what: 'user', which: [], current_password: testUser.password, data }, admin)
  const token = await ask('/api/login', { username: 'guest', password: 'a long password' })
  await openWithToken(page, `${address}/manual/security`, token)
  await page.getByRole('heading', { name: 'Threat model' }).waitFor()

  await page.evaluate(() => localStorage.clear())
  await page.goto(`${address}/share/unknown`)
  await page.getByRole('heading').first().waitFor()
  await untilQuiet(page)
  await page.keyboard.press('F1')
  const help = page.getByRole('dialog')
  await help.getByRole('link', { name: 'API documentation' }).waitFor()
  t.equal(await help.getByRole('link', { name: 'Manual', exact: true }).count(), 0)
  await page.goto(`${address}/manual`)
  await page.getByLabel('Username').waitFor()
  t.equal(new URL(page.url()).search, '?redirect=%2Fmanual')
})
