import t from 'tap'
import { closeBrowser, itemNamed, signInAs, start, violations } from '#web/testing/browser.ts'
import { accountButton, chooseAccount, chooseNew, newButton } from '#web/testing/places.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const

t.test('New lists what can be made, in groups; Escape returns the focus to it', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  await itemNamed(page, 'a.txt').waitFor()
  const button = await newButton(page)
  await button.press('Enter')
  const menu = page.getByRole('menu', { name: 'New' })
  await menu.waitFor()
  t.same(await menu.locator('[role=menuitem], [role=separator]').allInnerTexts(), [
    'New folder',
    'New file',
    '',
    'Upload files',
    'Upload a folder',
  ])
  t.same(await violations(page, '[data-part=menu]'), [])
  await page.keyboard.press('Escape')
  await menu.waitFor(settled)
  await button.and(page.locator(':focus')).waitFor()
  await button.press('ArrowDown')
  await menu.getByRole('menuitem', { name: 'New folder' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await menu.waitFor(settled)
  await chooseNew(page, 'New file')
  await page.getByRole('dialog', { name: 'New file' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor(settled)
  // The item that opened the dialog is gone, so the list has the focus.
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
})

t.test('the width of the sidebar and whether it is hidden are kept on this device', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  const edge = page.getByRole('separator', { name: 'Width of the sidebar' })
  const side = page.locator('[data-part=side]')
  const width = async () => (await side.boundingBox())?.width
  await edge.press('ArrowRight')
  await edge.press('ArrowRight')
  t.equal(await width(), 264)
  await edge.press('ArrowLeft')
  t.equal(await edge.getAttribute('aria-valuenow'), '248')
  await page.reload()
  await edge.waitFor()
  t.equal(await width(), 248)
  const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {}
  await page.mouse.move(x + 4, y + 300)
  await page.mouse.down()
  await page.mouse.move(x + 1000, y + 300)
  await page.mouse.up()
  t.equal(await width(), 420, 'not wider')
  await edge.dblclick()
  t.equal(await width(), 232, 'the usual width')
  await page.getByRole('button', { name: 'Hide the sidebar' }).press('Enter')
  const show = page.getByRole('button', { name: 'Show the sidebar' })
  await show.and(page.locator(':focus')).waitFor()
  t.same(await violations(page), [])
  await page.reload()
  await show.waitFor()
  t.ok(((await width()) ?? 0) < 80)
  t.equal(await edge.count(), 0)
  await side.getByRole('link', { name: 'Trash' }).click()
  await page.waitForURL('**/trash')
  await show.click()
  t.equal(await width(), 232)
})

t.test('the menu of the account has the settings, Find anything, the help and Sign out', async (t) => {
  const { page } = await start(t, { 'a.txt': '' })
  const names = () => page.getByRole('menuitem').allInnerTexts()
  // The command palette is in the menu when its code has arrived.
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await (await accountButton(page)).press('Enter')
  await page.getByRole('menu').waitFor()
  t.same(await names(), ['Profile settings', 'Global settings', 'Find anything', 'Help', 'Sign out'])
  t.equal(await page.getByRole('menu').getByRole('separator').count(), 2)
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor(settled)
  await page
    .getByRole('complementary')
    .getByText(/^Coffer \d/)
    .waitFor()
  await chooseAccount(page, 'Help')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor(settled)
  await chooseAccount(page, 'Global settings')
  await page.getByRole('heading', { name: 'General' }).waitFor()
  const his = await signInAs(t, page, { perm: { download: true } })
  await itemNamed(his, 'a.txt').waitFor()
  t.equal(
    await his.getByRole('button', { name: 'New', exact: true }).count(),
    0,
    'he may not create anything',
  )
  await his.getByRole('toolbar').getByRole('button', { name: 'Info' }).waitFor()
  await (await accountButton(his, undefined, 'bob')).click()
  await his.getByRole('menu').waitFor()
  t.same(await his.getByRole('menuitem').allInnerTexts(), [
    'Profile settings',
    'Find anything',
    'Help',
    'Sign out',
  ])
  t.equal(await his.getByRole('link', { name: 'Shared links' }).count(), 0)
})
