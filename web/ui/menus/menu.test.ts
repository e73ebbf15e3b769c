import t from 'tap'
import { closeBrowser, start } from '#web/testing/browser.ts'
import { newButton } from '#web/testing/places.ts'

t.teardown(closeBrowser)

t.test('the first item of a menu has the focus each time the menu is opened with Enter', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  const button = await newButton(page)
  await button.focus()
  for (const time of ['first', 'second', 'third']) {
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'New folder' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await button.and(page.locator(':focus')).waitFor()
    t.pass(`the ${time} time`)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'New folder' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New folder' }).waitFor()
})
