import type { Locator } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'
import { accountButton, chooseAccount, chooseNew, newButton } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const narrow = { viewport: { width: 390, height: 800 } }

t.test('in narrow windows, the places are in a drawer, which each choice closes', async (t) => {
  const { page } = await start(t, { docs: { 'in.txt': '' }, 'a.txt': '' }, narrow)
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  const isClosed = () => drawer.waitFor({ state: 'hidden' })
  await itemNamed(page, 'a.txt').waitFor()
  await menu.click()
  for (const name of ['My files', 'Shared links', 'Trash'])
    await drawer.getByRole('link', { name, exact: true }).waitFor()
  t.same(await violations(page), [])
  await page.keyboard.press('Escape')
  await isClosed()
  t.ok(await menu.evaluate((one) => one === document.activeElement), 'the focus returns to the button')

  await menu.click()
  await drawer.getByRole('treeitem', { name: 'docs' }).click()
  await itemNamed(page, 'in.txt').waitFor()
  await isClosed()

  await menu.click()
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog', { name: 'New folder' }).getByLabel('Name').waitFor()
  t.equal(await drawer.count(), 0)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await menu.click()
  await (await accountButton(page)).click()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  t.ok(await drawer.isVisible(), 'Escape closes the menu alone')
  await chooseAccount(page, 'Settings')
  await page.getByRole('link', { name: 'Profile settings' }).waitFor()
  await isClosed()
})

t.test('in narrow windows, New is a round button at the bottom, away while items are selected', async (t) => {
  const { page } = await start(t, { 'a.txt': '' }, narrow)
  await itemNamed(page, 'a.txt').waitFor()
  const round = await newButton(page)
  const box = await round.boundingBox()
  t.same([box?.width, box?.height], [56, 56])
  t.ok((box?.y ?? 0) > 600)
  await itemNamed(page, 'a.txt').click()
  await round.waitFor({ state: 'hidden' })
  await page.keyboard.press('Escape')
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog', { name: 'New folder' }).waitFor()
})

t.test('with many folders, all places and the current folder stay in sight, also on phones', async (t) => {
  const folders = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`folder ${n + 1}`, {}]))
  const { page } = await start(t, folders, { viewport: { width: 1280, height: 800 } })
  const isInSight = (one: Locator) =>
    until(() =>
      one.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      }),
    )
  const allInSight = async (within: Locator) => {
    for (const name of ['My files', 'Recent', 'Starred', 'Shared links', 'Trash'])
      await isInSight(within.getByRole('link', { name, exact: true }))
    const starred = within.getByRole('list', { name: 'Starred folders' })
    t.same(await starred.getByRole('link').allInnerTexts(), ['folder 2'])
    await isInSight(starred.getByRole('link'))
    const tree = within.getByRole('tree', { name: 'Folders' })
    await isInSight(tree.getByRole('treeitem', { name: 'folder 40', exact: true }))
  }
  await itemNamed(page, 'folder 2').click()
  await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).first().waitFor()
  await page.keyboard.press('Control+Shift+S')
  const side = page.locator('[data-part=side]')
  const starred = side.getByRole('list', { name: 'Starred folders' }).getByRole('link')
  await starred.click()
  await page.waitForURL('**/files/folder%202/')
  await starred.and(page.locator('[aria-current=page]')).waitFor()
  await page.goto(new URL('/files/folder%2040/', page.url()).href)
  await side.getByRole('treeitem', { name: 'folder 40', exact: true }).waitFor()
  await allInSight(side)
  t.same(await violations(page, '[data-part=side]'), [])
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await allInSight(page.getByRole('dialog', { name: 'Menu' }))
})
