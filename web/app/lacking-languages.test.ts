import { utimesSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { locales } from '#contract/schema/locales.ts'
import { variants } from '#src/testing/long.ts'
import { closeBrowser, itemNamed, openPage, serve, testUser } from '#web/testing/browser.ts'
import { translatorFor } from '#web/testing/words.ts'

t.teardown(closeBrowser)

const dismiss: Record<string, string> = { en: 'Dismiss', is: 'Loka', de: 'Schließen', 'pt-br': 'Descartar' }

/**
 * Simulates a browser whose Intl lacks the languages of the page: it uses Finnish instead, as Chromium uses English for
 * Icelandic. Plural rules exist, as Chromium has those of Icelandic.
 */
function lackAll(): void {
  for (const name of ['NumberFormat', 'DateTimeFormat', 'RelativeTimeFormat', 'DisplayNames'] as const) {
    const lacking = new Proxy(Intl[name] as object, {
      construct: (target, [, options = {}]) =>
        Reflect.construct(target as never, ['fi', options === undefined ? {} : options]),
      get: (target, key) => (key === 'supportedLocalesOf' ? () => [] : Reflect.get(target, key)),
    })
    Object.assign(Intl, { [name]: lacking })
  }
}

/** All languages, those with other numbers and dates first. */
const mixed: string[] = [...new Set<string>(['ar', 'zh-cn', 'pl', 'de', 'ko', ...locales])]

t.test("times, numbers and names are in the page's language, even if the browser lacks it", async (t) => {
  const root = path.join(t.testdir({ root: { 'big.bin': Buffer.alloc(1_500_000) } }), 'root')
  // Half an hour before the next full hour, so that the test may take some time.
  const changed = Date.now() - 3.5 * 3_600_000
  utimesSync(path.join(root, 'big.bin'), changed / 1000, changed / 1000)
  const address = await serve(t, root)
  const login = await fetch(`${address}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ username: testUser.name, password: testUser.password }),
    headers: { 'Content-Type': 'application/json' },
  })
  const token = await login.text()
  for (const language of variants(mixed, 5)) {
    const say = await translatorFor(language)
    const [tag = ''] = Intl.getCanonicalLocales(language)
    const page = await openPage(t, { locale: tag, timezoneId: 'UTC' })
    await page.addInitScript(lackAll)
    await page.addInitScript((token) => localStorage.setItem('jwt', token), token)
    await page.goto(`${address}/files/`)
    const row = itemNamed(page, 'big.bin')
    const time = row.locator('time')
    await time.waitFor()
    const ago = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(-3, 'hour')
    t.equal(await time.textContent(), ago, tag)
    const date = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
    t.equal(await time.getAttribute('data-tip'), date.format(changed), tag)
    const size = new Intl.NumberFormat(tag, {
      style: 'unit',
      unit: 'megabyte',
      maximumSignificantDigits: 3,
    }).format(1_500_000 / 1024 ** 2)
    t.ok((await row.textContent())?.includes(size), `${tag}: ${size}`)
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    const hidden = await page
      .locator('button[tabindex="-1"][aria-label]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    t.ok(hidden.length > 0, 'a dialog has a hidden close button')
    if (language !== 'en') t.notOk(hidden.includes('Dismiss'), `${tag}: ${hidden}`)
    if (dismiss[language]) t.ok(hidden.includes(dismiss[language]), `${tag}: ${hidden}`)
    if (language === 'is') {
      await page.goto(`${address}/settings/profile`)
      const names = page.getByRole('combobox', { name: say('Language') }).locator('option')
      await names.first().waitFor({ state: 'attached' })
      t.match(await names.allTextContents(), [
        say('Browser default'),
        ...[
          'العربية',
          'Deutsch',
          'English',
          'Español',
          'Français',
          'Íslenska',
          'Italiano',
          '日本語',
          '한국어',
        ],
      ])
    }
    await page.context().close()
  }
})
