import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test('a right click opens the menu of an item, and so do keys', async (t) => {
  const { page } = await start(t, { 'a.txt': 'hello', 'b.txt': '' })
  await itemNamed(page, 'a.txt').click({ button: 'right' })
  const menu = page.getByRole('menu')
  await menu.waitFor()
  t.same(await selectedNames(page), ['a.txt'])
  t.same(await violations(page, '[data-part=menu]'), [])
  await page.keyboard.press('Escape')
  await menu.waitFor(settled)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+F10')
  await menu.getByRole('menuitem', { name: 'Rename' }).waitFor()
  await menu.getByRole('menuitem', { name: 'Info' }).click()
  await page.getByRole('complementary', { name: 'Info' }).getByText('b.txt', { exact: true }).waitFor()
  t.same(await selectedNames(page), ['b.txt'])
})

t.test('in a window of 1280 by 800 pixels, the menu of every visible item shows Delete', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${10 + n}.txt`, '']))
  const { page } = await start(t, many, { viewport: { width: 1280, height: 800 } })
  for (const name of ['10.txt', '17.txt', '24.txt']) {
    await itemNamed(page, name).click({ button: 'right' })
    const last = page.getByRole('menuitem').last()
    await last.waitFor()
    t.match(await last.textContent(), 'Delete')
    const isOnTop = await last.evaluate((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect()
      return (
        bottom <= innerHeight &&
        one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2))
      )
    })
    t.ok(isOnTop, name)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor(settled)
  }
})

t.test('a menu that is higher than the window scrolls', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, { viewport: { width: 800, height: 420 } })
  await page.getByRole('button', { name: 'More' }).waitFor()
  await page.getByRole('grid').click({ button: 'right', position: { x: 300, y: 200 } })
  const last = page.getByRole('menuitem').last()
  await last.waitFor()
  await page.keyboard.press('End')
  await last.and(page.locator(':focus')).waitFor()
  const [box, item] = await Promise.all([page.locator('[data-part=menu]').boundingBox(), last.boundingBox()])
  t.ok(box && item && item.y + item.height <= box.y + box.height)
})
