import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

t.test('a toolbar has one stop for the Tab key, and arrow keys move between its buttons', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await itemNamed(page, 'a.txt').click()
  const bar = page.locator('[data-part=selection]')
  await bar.getByRole('button', { name: 'Rename' }).waitFor()
  const stops = bar.locator('button[tabindex="0"]')
  const focused = async (name: string) =>
    bar.getByRole('button', { name, exact: true }).and(page.locator(':focus')).waitFor()
  t.equal(await stops.count(), 1)
  await bar.getByRole('button', { name: 'Clear selection' }).focus()
  await page.keyboard.press('ArrowRight')
  await focused('Download')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await focused('More')
  await page.keyboard.press('Home')
  await focused('Clear selection')
  await page.keyboard.press('End')
  await focused('More')
  t.equal(await stops.count(), 1)
  await page.keyboard.press('Tab')
  t.equal(await bar.locator(':focus').count(), 0, 'Tab leaves the toolbar')
  await page.keyboard.press('Shift+Tab')
  await focused('More')
  await page.setViewportSize({ width: 800, height: 600 })
  await bar.getByRole('button', { name: 'Rename' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('ArrowLeft')
  await focused('Delete')
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl'
  })
  await page.keyboard.press('ArrowLeft')
  await focused('More')
})

t.test('the menu More has all actions in groups, and Delete is the last one', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await itemNamed(page, 'a.txt').click()
  await page.locator('[data-part=selection]').getByRole('button', { name: 'More' }).click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  const roles = await menu
    .locator('[role=menuitem], [role=separator]')
    .evaluateAll((all) => all.map((one) => one.role))
  t.equal(roles.filter((role) => role === 'separator').length, 4)
  t.notOk(
    roles.some((role, n) => role === 'separator' && roles[n + 1] !== 'menuitem'),
    'no empty group',
  )
  const last = menu.getByRole('menuitem').last()
  t.match(await last.textContent(), 'Delete')
  t.equal(await last.getAttribute('data-danger'), 'true')
})
