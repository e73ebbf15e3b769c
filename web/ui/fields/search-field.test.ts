import t from 'tap'
import { closeBrowser, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test(
  'a search field is cleared by a button at its end, which appears with the first character',
  async (t) => {
    const { page } = await start(t, { 'a.txt': '' })
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByRole('combobox', { name: 'Search' })
    const clear = dialog.getByRole('button', { name: 'Clear' })
    await field.waitFor()
    t.equal(await clear.count(), 0)
    await field.fill('words')
    t.same(await violations(page), [])
    await clear.click()
    t.equal(await field.inputValue(), '')
    t.equal(await field.evaluate((element) => element === document.activeElement), true)
    t.equal(await clear.count(), 0)
  },
)
