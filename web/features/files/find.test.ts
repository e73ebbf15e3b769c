import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test(
  'searches the folder of an open file, and asks before a result discards unsaved changes',
  async (t) => {
    const files = { 'outside-ab.txt': '', folder: { 'ab.txt': 'text', deep: { 'cab.bin': '\0' } } }
    const { page } = await start(t, files, { path: '/files/folder/deep/cab.bin' })
    const open = page.getByRole('main', { name: 'cab.bin' })
    await open.getByRole('button', { name: 'Search' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox').fill('ab')
    await dialog.getByRole('option').first().waitFor()
    t.equal(await dialog.getByRole('option').count(), 1, 'only its own folder')
    await page.keyboard.press('Shift+Enter')
    await open.waitFor(settled)
    await itemNamed(page, 'cab.bin').and(page.locator('[aria-selected=true]')).waitFor()
    await page.keyboard.press('Alt+ArrowUp')
    await itemNamed(page, 'ab.txt').dblclick()
    const text = page.getByRole('main', { name: 'ab.txt' })
    await text.getByRole('textbox').pressSequentially('new ')
    await text.getByRole('button', { name: 'Search' }).click()
    await dialog.getByRole('combobox').fill('cab')
    await dialog.getByRole('option').first().waitFor()
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Keep editing' }).click()
    t.match(await text.getByRole('textbox').textContent(), 'new text')
    await text.getByRole('button', { name: 'Search' }).click()
    await dialog.getByRole('combobox').fill('cab')
    await dialog.getByRole('option').first().waitFor()
    await page.keyboard.press('Shift+Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await text.waitFor(settled)
    await itemNamed(page, 'cab.bin').and(page.locator('[aria-selected=true]')).waitFor()
    t.same(await selectedNames(page), ['cab.bin'])
  },
)
