import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, violations, visibleNames } from '#web/testing/browser.ts'
import { chooseNew } from '#web/testing/places.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const
const row = (page: Page, name: string) => page.getByRole('tree').getByRole('treeitem', { name, exact: true })
const focused = (page: Page, name: string) => row(page, name).and(page.locator(':focus')).waitFor()
const names = (page: Page) => page.getByRole('tree').getByRole('treeitem').allInnerTexts()

t.test('folders load as they open, arrow keys and letters move, and open folders are kept', async (t) => {
  const files = { docs: { '2025': { may: {} }, '2026': {} }, music: {}, 'other 2': {}, 'other 10': {} }
  const { page } = await start(t, files)
  await row(page, 'docs').waitFor()
  t.same(await names(page), ['docs', 'music', 'other 2', 'other 10'])
  t.equal(await page.getByRole('tree').locator('[tabindex="0"]').count(), 1)
  await row(page, 'docs').focus()
  await page.keyboard.press('ArrowRight')
  await row(page, '2026').waitFor()
  t.equal(await row(page, 'docs').getAttribute('aria-expanded'), 'true')
  await page.keyboard.press('ArrowRight')
  await focused(page, '2025')
  await page.keyboard.press('ArrowRight')
  await row(page, 'may').waitFor()
  t.equal(await row(page, 'may').getAttribute('aria-level'), '3')
  t.same(await violations(page, '[data-part=side]'), [])
  await page.keyboard.press('m')
  await focused(page, 'may')
  await page.keyboard.press('ArrowLeft')
  await focused(page, '2025')
  await page.keyboard.press('End')
  await focused(page, 'other 10')
  await page.keyboard.press('Home')
  await focused(page, 'docs')
  await page.reload()
  await row(page, 'may').waitFor()
  t.same(await names(page), ['docs', '2025', 'may', '2026', 'music', 'other 2', 'other 10'])
  await row(page, 'docs').focus()
  await page.keyboard.press('ArrowLeft')
  await row(page, 'may').waitFor(settled)
  await page.goto(new URL('/files/docs/2025/', page.url()).href)
  // The folder around the shown one.
  await row(page, 'docs').and(page.locator('[data-within]')).waitFor()
  await row(page, 'music').press('Enter')
  await page.waitForURL('**/files/music/')
  await row(page, 'music').and(page.locator('[aria-current=page]')).waitFor()
  await page.getByRole('button', { name: 'Hide folders' }).click()
  await page.getByRole('tree').waitFor(settled)
})

t.test('a renamed folder stays open in the tree, with the folders inside', async (t) => {
  const { page } = await start(t, { docs: { old: { may: {} } }, 'a.txt': '' })
  await row(page, 'docs').locator('[data-twist]').click()
  await row(page, 'old').locator('[data-twist]').click()
  await row(page, 'may').waitFor()
  await page.getByRole('button', { name: 'Info' }).waitFor()
  await itemNamed(page, 'docs').click()
  await page.keyboard.press('F2')
  await page.getByLabel('New name').fill('papers')
  await page.keyboard.press('Enter')
  await row(page, 'papers').waitFor()
  await row(page, 'docs').waitFor(settled)
  t.same(await names(page), ['papers', 'old', 'may'])
})

t.test('the tree follows folders that are created, renamed and deleted', async (t) => {
  const { page, root } = await start(t, { docs: { old: {} }, 'a.txt': '' })
  await row(page, 'docs').locator('[data-twist]').click()
  await row(page, 'old').waitFor()
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').getByLabel('Name').fill('made')
  await page.keyboard.press('Enter')
  await row(page, 'made').click()
  await page.waitForURL('**/files/made/')
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  // Other programs change folders, too, here one that is not shown.
  await mkdir(path.join(root, 'made', 'inside'))
  await itemNamed(page, 'inside').click()
  await page.keyboard.press('F2')
  await page.getByLabel('New name').fill('renamed')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'renamed').waitFor()
  await row(page, 'made').locator('[data-twist]').click()
  await row(page, 'renamed').waitFor()
  await page.goto(new URL('/files/docs/', page.url()).href)
  await row(page, 'old').waitFor()
  await rename(path.join(root, 'docs/old'), path.join(root, 'docs/new'))
  await row(page, 'new').waitFor()
  await row(page, 'old').waitFor(settled)
  await rm(path.join(root, 'docs/new'), { recursive: true })
  await row(page, 'new').waitFor(settled)
})

t.test('a folder has no arrow from when it is known to be empty until it gets a folder', async (t) => {
  const { page, root } = await start(t, { docs: { 'a.txt': '' }, other: {} })
  const arrow = row(page, 'docs').locator('[data-twist] svg')
  await arrow.waitFor()
  await itemNamed(page, 'docs').dblclick()
  await itemNamed(page, 'a.txt').waitFor()
  await arrow.waitFor({ state: 'hidden' })
  t.equal(await row(page, 'docs').getAttribute('aria-expanded'), null)
  await row(page, 'other').click()
  await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
  await row(page, 'docs').click()
  await itemNamed(page, 'a.txt').waitFor()
  await mkdir(path.join(root, 'docs', 'new'))
  await arrow.waitFor()
})

t.test('items dropped on a folder of the tree move into it', async (t) => {
  const { page, root } = await start(t, { docs: { deep: {} }, 'a.txt': 'a', 'b.txt': '' })
  await page.getByRole('button', { name: 'Info' }).waitFor()
  await row(page, 'docs').locator('[data-twist]').click()
  await row(page, 'deep').waitFor()
  await page.getByRole('link', { name: 'a.txt', exact: true }).dragTo(row(page, 'deep'))
  await itemNamed(page, 'a.txt').waitFor(settled)
  t.ok(existsSync(path.join(root, 'docs/deep/a.txt')))
})

for (const locale of ['ar', 'is-IS']) {
  t.test(`the tree has the order of the list, with the browser in ${locale}`, async (t) => {
    const folders = ['zebra', 'þorp', 'ösp', 'æsa', 'ár', 'صور', 'أخبار', 'أعمال 10', 'أعمال 2']
    const { page } = await start(t, Object.fromEntries(folders.map((name) => [name, {}])), { locale })
    await row(page, 'zebra').waitFor()
    t.same(await names(page), await visibleNames(page))
  })
}

t.test('after a change of the language, the open folders have its order', async (t) => {
  const folders = { zebra: {}, þorp: {}, ár: {}, azure: {} }
  const { page } = await start(t, { docs: folders }, { path: '/settings/profile' })
  await row(page, 'docs').locator('[data-twist]').click()
  await row(page, 'zebra').waitFor()
  t.same(await names(page), ['docs', 'ár', 'azure', 'zebra', 'þorp'])
  await page.getByRole('combobox', { name: 'Language' }).selectOption('is')
  await saveButton(page).click()
  await page.waitForFunction(
    (last) => document.querySelectorAll('[role=treeitem]')[2]?.textContent === last,
    'ár',
  )
  t.same(await names(page), ['docs', 'azure', 'ár', 'zebra', 'þorp'])
})
