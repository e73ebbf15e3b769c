import { utimesSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { locales } from '#contract/schema/locales.ts'
import { variants } from '#src/testing/long.ts'
import {
  closeBrowser,
  itemNamed,
  openPage,
  openWithToken,
  serve,
  testUser,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { saveButton } from '#web/testing/settings.ts'
import { translatorFor } from '#web/testing/words.ts'

t.teardown(closeBrowser)

async function call(address: string, path: string, body: object, token = ''): Promise<Response> {
  const headers = { 'Content-Type': 'application/json', 'X-Auth': token }
  return fetch(address + path, { method: 'POST', body: JSON.stringify(body), headers })
}

const signedIn = async (address: string) =>
  (await call(address, '/api/login', { username: testUser.name, password: testUser.password })).text()

/** Starts a server with files. Returns a function that opens its pages in a language, signed in. */
async function polyglot(t: Test) {
  const files = { 'مرحبا.txt': 'x', 'notes.md': '# notes', docs: {}, 'big.bin': Buffer.alloc(1_500_000) }
  const address = await serve(t, t.testdir(files))
  const open = async (locale: string, path: string, colorScheme: 'light' | 'dark' = 'light') => {
    const page = await openPage(t, { locale, colorScheme })
    const token = await signedIn(address)
    await page.goto(`${address}/api/docs`)
    await page.evaluate((token) => localStorage.setItem('jwt', token), token)
    await page.goto(address + path)
    return page
  }
  return { address, open }
}

/** All languages, those with other letters, regions or directions first. */
const mixed: string[] = [...new Set<string>(['ar', 'pt-br', 'zh-tw', 'ja', 'ru', 'de', ...locales])]

t.test('the page uses the language of the browser', async (t) => {
  const { open } = await polyglot(t)
  for (const language of variants(mixed, 6)) {
    const say = await translatorFor(language)
    const [tag = ''] = Intl.getCanonicalLocales(language)
    const page = await open(tag, '/')
    await page
      .getByRole('complementary')
      .getByRole('button', { name: say('New'), exact: true })
      .waitFor()
    await page.getByRole('columnheader', { name: say('Last modified') }).waitFor()
    await page
      .getByRole('complementary')
      .getByRole('link', { name: say('Trash'), exact: true })
      .waitFor()
    const style = { style: 'unit', unit: 'megabyte', maximumSignificantDigits: 3 } as const
    await page.getByText(new Intl.NumberFormat(tag, style).format(1.43)).waitFor()
    t.equal(await page.getAttribute('html', 'lang'), tag)
    t.equal(await page.getAttribute('html', 'dir'), language === 'ar' ? 'rtl' : 'ltr')
    await page.context().close()
  }
})

t.test("dates and numbers follow the region of the browser's language", async (t) => {
  const root = path.join(t.testdir({ root: { 'big.bin': Buffer.alloc(1_500_000) } }), 'root')
  const changed = new Date('2026-02-03T14:05:00Z')
  utimesSync(path.join(root, 'big.bin'), changed, changed)
  const address = await serve(t, root)
  const token = await signedIn(address)
  for (const [locale, date, size] of [
    ['en-US', /^Feb 3, 2026, 2:05.PM$/, '1.43 MB'],
    ['en-GB', /^3 Feb 2026, 14:05$/, '1.43 MB'],
    ['de-AT', /^03\.02\.2026, 14:05$/, '1,43 MB'],
    ['de-CH', /^03\.02\.2026, 14:05$/, '1.43 MB'],
  ] as const) {
    const page = await openPage(t, { locale, timezoneId: 'UTC' })
    await openWithToken(page, `${address}/files/`, token)
    const row = itemNamed(page, 'big.bin')
    await row.getByText(size).waitFor()
    t.match(await row.locator('time').getAttribute('data-tip'), date, locale)
    t.equal(await page.getAttribute('html', 'lang'), locale.slice(0, 2))
    await page.context().close()
  }
})

t.test('keys have the names that are printed on the keyboards of the language', async (t) => {
  const { open } = await polyglot(t)
  const page = await open('de', '/')
  await itemNamed(page, 'notes.md').waitFor()
  await page.keyboard.press('F1')
  const help = page.getByRole('dialog')
  for (const key of ['Strg+K', 'Entf', 'Umschalt+F10', 'Bild ab', 'Strg+Umschalt+Z'])
    await help.getByText(key, { exact: true }).waitFor()
  t.match(await help.innerText(), 'Strg+Klick')
  t.notMatch(await help.innerText(), /Ctrl|Shift|\bDel\b/)
})

t.test('no sentence names a key in another way than the shortcuts', async (t) => {
  for (const language of locales) {
    const catalogue = await readFile(`locales/${language}.po`, 'utf8')
    const [, esc = ''] = /\nmsgctxt "key"\nmsgid "Esc"\nmsgstr "(.+)"/.exec(catalogue) ?? []
    t.ok(esc, language)
    for (const entry of catalogue.split('\n\n').filter((one) => !one.includes('msgctxt "key"'))) {
      const [, english = '', text = ''] = /\nmsgid "(.+)"\nmsgstr "(.+)"/.exec(`\n${entry}`) ?? []
      t.notMatch(english, /\b(Ctrl|Shift|Del)\b/)
      if (/\bEsc\b/.test(english)) t.match(text, esc, `${language}: ${text}`)
    }
  }
})

t.test("the language of the profile overrides the browser's, also on lazy pages", async (t) => {
  const { open, address } = await polyglot(t)
  const say = await translatorFor('ja')
  const page = await open('de-AT', '/settings/profile')
  const german = await translatorFor('de')
  await page.getByRole('heading', { name: german('Change password') }).waitFor()
  await page.getByRole('combobox', { name: german('Language') }).selectOption('ja')
  await saveButton(page).click()
  await page.getByRole('heading', { name: say('Change password') }).waitFor()
  await page.goto(`${address}/files/`)
  await page
    .getByRole('complementary')
    .getByRole('button', { name: say('New'), exact: true })
    .waitFor()
})

/** The pages to check in Arabic, and an element of each that appears when it is ready. */
const screens: [path: string, ready: string][] = [
  ['/files/', '[data-part=row]'],
  ['/files/notes.md', '[data-part=file] [role=textbox]'],
  ['/settings/profile', '[data-part=card] h2, main h2'],
  ['/settings/global', 'main h2'],
  ['/settings/users', 'main table'],
  ['/settings/users/new', 'main form'],
  ['/403', 'main h1, [data-part=error] h1'],
]

t.test('no accessibility violations in Arabic, from right to left', async (t) => {
  const { open, address } = await polyglot(t)
  const page = await open('ar', '/')
  for (const [path, ready] of screens) {
    await page.goto(address + path)
    await page.locator(ready).first().waitFor()
    t.equal(await page.getAttribute('html', 'dir'), 'rtl')
    t.same(await violationsInBothThemes(page), [], path)
    t.ok(await fitsWidth(page), path)
  }
  const shared = await call(address, '/api/share/docs/', {}, await signedIn(address))
  const { hash } = (await shared.json()) as { hash: string }
  await page.goto(`${address}/share/${hash}`)
  await page.getByRole('heading').first().waitFor()
  t.same(await violationsInBothThemes(page), [], 'a shared folder')
})

/** Whether the page has no horizontal overflow. */
const fitsWidth = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth === innerWidth)

/** Names what is cut off at a side: controls outside the window, and areas that scroll sideways. */
const cutOff = (page: Page) =>
  page.evaluate(() => {
    const isEditor = (one: Element) => one.closest('[role=textbox], pre, .cm-editor') !== null
    const controls = [...document.querySelectorAll('button, a, input, select')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('[inert]'))
      .map((one) => ({ one, at: one.getBoundingClientRect() }))
      .filter(({ at }) => at.width > 2 && (at.left < -1 || at.right > innerWidth + 1))
      .map(({ one }) => `${one.ariaLabel || one.textContent} is outside`)
    const areas = [...document.querySelectorAll('body *')]
      .filter((one) => /auto|scroll/.test(getComputedStyle(one).overflowX) && !isEditor(one))
      .filter((one) => one.scrollWidth > one.clientWidth + 1)
      .map((one) => `${one.outerHTML.slice(0, 80)} scrolls sideways`)
    return [...controls, ...areas]
  })

t.test('on a phone nothing is cut off, also in languages with long words', async (t) => {
  const { open, address } = await polyglot(t)
  for (const language of variants(['ru', 'ar', 'de', 'pl'] as const)) {
    const page = await open(language, '/')
    await page.setViewportSize({ width: 390, height: 844 })
    for (const [path, ready] of screens) {
      await page.goto(address + path)
      await page.locator(ready).first().waitFor()
      t.same(await cutOff(page), [], `${language} ${path}`)
    }
    await page.goto(`${address}/files/`)
    await page.getByRole('grid').press('Control+a')
    await page.locator('[data-part=selection]').waitFor()
    t.same(await cutOff(page), [], `${language}, a selection`)
    await page.keyboard.press('Escape')
    await page.getByText('notes.md').click()
    await page.locator('[data-part=selection]').waitFor()
    t.same(await cutOff(page), [], `${language}, one selected file`)
    await page.context().close()
  }
})
