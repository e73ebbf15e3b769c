import t from 'tap'
import { changePreferences, closeBrowser, itemNamed, start, violations } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const detached = { state: 'detached' } as const

t.test('Escape closes every dialog and returns the focus', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', folder: {} })
  await changePreferences(page, { askBeforeTrash: true })
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName)
  /** Waits until the button `name`, with or without words, has the focus. */
  const isBack = async (name: string) =>
    page.getByRole('toolbar').getByRole('button', { name }).and(page.locator(':focus')).waitFor()
  const dialog = page.getByRole('dialog')
  await itemNamed(page, 'a.txt').click()
  for (const name of ['Move to…', 'Copy to…', 'Delete', 'Share']) {
    const opener = page.getByRole('toolbar').getByRole('button', { name })
    await opener.click()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor(detached)
    await isBack(name)
    t.pass(`${name} returns the focus to its button`)
  }
  await page.getByRole('grid').focus()
  await page.keyboard.press('Escape')
  await page.getByRole('toolbar').getByRole('button', { name: 'Search' }).click()
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor(detached)
  await isBack('Search')
  await itemNamed(page, 'a.txt').click()
  await page.getByRole('grid').focus()
  for (const key of ['Delete', 'Control+f', 'F1']) {
    await page.keyboard.press(key)
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor(detached)
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid')
    t.equal(await focused(), 'Files', `${key} returns the focus to the list`)
  }
  await itemNamed(page, 'a.txt').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByLabel('New name').fill('b.txt')
  await page.keyboard.press('Enter')
  await page.getByLabel('New name').waitFor(detached)
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid')
  await itemNamed(page, 'b.txt').and(page.locator('[aria-selected=true]')).waitFor()
  await page.keyboard.press('Shift+Delete')
  await dialog.waitFor()
  await page.waitForFunction(() => document.activeElement?.tagName === 'BUTTON')
  const answer = await page.evaluate(() => document.activeElement?.textContent)
  t.equal(answer, 'Cancel', 'Cancel has the focus, so that Enter alone deletes nothing')
  await page.keyboard.press('Enter')
  await dialog.waitFor(detached)
  await page.keyboard.press('Shift+Delete')
  await dialog.waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'b.txt').waitFor(detached)
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid')
  t.equal(await focused(), 'Files', 'also if the button was removed with the selection')
})

t.test(
  'only one dialog is open at a time, shortcuts of the page are off, and leaving the page closes it',
  async (t) => {
    const { page } = await start(t, { folder: { 'in.txt': '' }, 'a.txt': '' })
    await itemNamed(page, 'folder').dblclick()
    await itemNamed(page, 'in.txt').click()
    await page.getByRole('toolbar').getByRole('button', { name: 'Rename' }).waitFor()
    await page.keyboard.press('F1')
    await page.getByRole('dialog').waitFor()
    for (const key of ['F1', 'Delete', 'Control+f']) await page.keyboard.press(key)
    t.equal(await page.getByRole('dialog').count(), 1)
    await page.goBack()
    await itemNamed(page, 'a.txt').waitFor()
    await page.getByRole('dialog').waitFor(detached)
  },
)

t.test('on a phone a dialog opens at the bottom and fills the width', async (t) => {
  const name = `${'long and longer '.repeat(12)}.txt`
  const options = { viewport: { width: 390, height: 700 }, hasTouch: true }
  const { page } = await start(t, { [name]: 'a' }, options)
  await changePreferences(page, { askBeforeTrash: true })
  await itemNamed(page, name).locator('[data-check]').tap()
  await page.getByRole('button', { name: 'Delete' }).click()
  const sheet = page.getByRole('dialog')
  await sheet.waitFor()
  await page.waitForFunction(() => {
    const box = document.querySelector('[role=dialog]')?.getBoundingClientRect()
    return box && box.left === 0 && Math.round(box.right) === 390 && Math.round(box.bottom) === 700
  })
  t.same(await violations(page, '[role=dialog]'), [])
  t.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390), 'no horizontal overflow')
})
