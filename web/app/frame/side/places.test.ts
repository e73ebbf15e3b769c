import t from 'tap'
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
