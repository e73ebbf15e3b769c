import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { changePreferences, closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const closed = { state: 'detached' } as const

/** Opens a folder on a phone, as in browsers where the page itself must handle Back. */
async function onPhone(t: Test): Promise<Page> {
  const { page } = await start(
    t,
    { docs: { 'b.txt': 'b' }, 'a.txt': 'a' },
    { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true, reducedMotion: 'reduce' },
  )
  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'CloseWatcher'))
  await page.reload()
  await page.getByRole('button', { name: 'More' }).waitFor()
  await itemNamed(page, 'docs').tap()
  await itemNamed(page, 'b.txt').waitFor()
  return page
}

const isInDocs = (page: Page) => new URL(page.url()).pathname === '/files/docs/'

t.test('Back closes what is on top, one after the other, and then goes to the page before', async (t) => {
  const page = await onPhone(t)
  await changePreferences(page, { askBeforeTrash: true })
  const bar = page.locator('[data-part=selection]')
  await itemNamed(page, 'b.txt').locator('[data-check]').tap()
  await bar.getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menuitem', { name: 'Info' }).tap()
  const info = page.locator('[data-part=details]')
  await info.waitFor()
  await bar.getByRole('button', { name: 'Delete' }).tap()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor(closed)
  t.equal(await info.count(), 1, 'Info stays open')
  await bar.getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menu').waitFor()
  await page.goBack()
  await page.getByRole('menu').waitFor(closed)
  t.equal(await info.count(), 1, 'Info stays open')
  await page.goBack()
  await info.waitFor(closed)
  t.equal(await bar.count(), 1, 'the selection stays')
  await page.goBack()
  await bar.waitFor(closed)
  t.ok(isInDocs(page))
  await page.goBack()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test('after a menu was closed without Back, one step back leaves the page', async (t) => {
  const page = await onPhone(t)
  await page.getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor(closed)
  t.ok(isInDocs(page))
  await page.goBack()
  await itemNamed(page, 'a.txt').waitFor()
  // A page that was opened from a menu or a drawer takes the place of its entry.
  await page.getByRole('button', { name: 'Menu' }).tap()
  await page.getByRole('link', { name: 'Trash' }).filter({ visible: true }).tap()
  await page.getByRole('heading', { name: 'Trash' }).first().waitFor()
  await page.goBack()
  await itemNamed(page, 'a.txt').waitFor()
})

t.test('Back closes the menu of the page, and asks before unsaved changes are lost', async (t) => {
  const page = await onPhone(t)
  await page.getByRole('button', { name: 'Menu' }).tap()
  await page.locator('dialog[open]').waitFor()
  await page.goBack()
  await page.locator('dialog[open]').waitFor(closed)
  t.ok(isInDocs(page))
  await itemNamed(page, 'b.txt').tap()
  const text = page.locator('[data-part=file] [role=textbox]')
  await text.waitFor()
  await text.press('x')
  await page.getByRole('toolbar').getByRole('button', { name: 'Info' }).tap()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.goBack()
  await dialog.waitFor(closed)
  t.match(page.url(), /b\.txt$/)
  await page.goBack()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).tap()
  await itemNamed(page, 'b.txt').waitFor()
})
