import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import {
  closeBrowser,
  itemNamed,
  signInAs,
  start,
  violations,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { draft, hugoSite, needs, startSite } from '#web/testing/site.ts'

t.teardown(closeBrowser)

const hugo = needs('hugo')
const side = (page: Page) => page.getByRole('complementary')
const press = (page: Page, name: string) => side(page).getByRole('button', { name }).click()

t.test('without --staticgen, nothing about a website shows', async (t) => {
  const { page, address } = await start(t, hugoSite, { path: '/files/content/posts/' })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await itemNamed(page, 'sea.md').dblclick()
  await page.getByRole('textbox', { name: 'sea.md' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Publish' }).count(), 0)
  t.equal(await page.getByText('Front matter').count(), 0)
  await page.goto(`${address}/settings/global`)
  await page.getByRole('heading', { name: 'General' }).waitFor()
  t.equal(await page.getByText('Website', { exact: true }).count(), 0)
  t.equal(await page.getByLabel('Publish posts and pages').count(), 0)
  t.notOk(requests.some((url) => /\/api\/(site|publish)/.test(url)))
})

t.test('only users who may publish see the website', hugo, async (t) => {
  const { page } = await startSite(t, '/')
  await side(page).getByRole('heading', { name: 'Website' }).waitFor()
  const his = await signInAs(
    t,
    page,
    { perm: { create: true, modify: true, download: true } },
    '/files/content/posts/',
  )
  await itemNamed(his, 'sea.md').waitFor()
  t.equal(await his.getByText('Website').count(), 0)
  t.equal(await his.getByText('Draft').count(), 0)
  const perm = { publish: true, modify: true, download: true }
  const publisher = await signInAs(t, page, { username: 'eve', perm }, '/files/content/posts/')
  await side(publisher).getByRole('heading', { name: 'Website' }).waitFor()
  await itemNamed(publisher, 'sea.md').getByText('Draft').waitFor()
})

t.test('New post or page creates a page from an archetype and opens it', hugo, async (t) => {
  const { page } = await startSite(t, '/', { reducedMotion: 'reduce' })
  const dialog = page.getByRole('dialog', { name: 'New post or page' })
  const create = async () => {
    await press(page, 'New post or page')
    await dialog.getByLabel('Kind').selectOption('posts')
    t.equal(await dialog.getByLabel('Folder').inputValue(), 'posts', 'the folder of the kind')
    await dialog.getByLabel('Title').fill('A day, at the sea!')
    await dialog.getByText('content/posts/a-day-at-the-sea.md').waitFor()
    t.same(await violations(page, '[role=dialog]'), [])
    await dialog.getByRole('button', { name: 'Create' }).click()
  }
  await create()
  await page.waitForURL(/\/files\/content\/posts\/a-day-at-the-sea\.md$/)
  await page.getByRole('textbox', { name: 'a-day-at-the-sea.md' }).getByText('A new post.').waitFor()
  t.equal(await page.getByLabel('Title').inputValue(), 'A day, at the sea!')
  t.ok(await page.getByLabel('Draft').isChecked())
  await page.getByRole('button', { name: 'Close' }).click()
  await create()
  await dialog.getByRole('alert').getByText('An item with this name already exists.').waitFor()
  t.ok(await dialog.getByLabel('Title').getAttribute('aria-invalid'))
  await dialog.getByLabel('Folder').fill('/notes/2026/')
  await dialog.getByText('content/notes/2026/a-day-at-the-sea.md').waitFor()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL(/\/files\/content\/notes\/2026\/a-day-at-the-sea\.md$/)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(/\/content\/notes\/2026\/$/)
  await press(page, 'New post or page')
  t.equal(await dialog.getByLabel('Folder').inputValue(), 'notes/2026', 'the open folder')
  await dialog.getByLabel('Kind').selectOption('posts')
  t.equal(await dialog.getByLabel('Folder').inputValue(), 'notes/2026')
})

t.test('Site settings opens the configuration file of the website', hugo, async (t) => {
  const { page } = await startSite(t, '/')
  await side(page).getByRole('link', { name: 'Site settings' }).click()
  await page.getByRole('textbox', { name: 'hugo.toml' }).getByText('baseURL').waitFor()
})

t.test('Publish site builds the website, and the history lists the run', hugo, async (t) => {
  const { page } = await startSite(t, '/', { reducedMotion: 'reduce' })
  await press(page, 'Publish site')
  await page.getByText('Published the site', { exact: true }).waitFor()
  await itemNamed(page, 'public').dblclick()
  await itemNamed(page, 'index.html').waitFor()
  await press(page, 'Scheduled and history')
  const dialog = page.getByRole('dialog', { name: 'Scheduled and history' })
  await dialog.getByText('Nothing is scheduled.').waitFor()
  await dialog.getByText('Whole website').waitFor()
  await dialog.getByText('Published').waitFor()
  await dialog.getByText('Output').click()
  await dialog.getByText('Total in').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
})

t.test('if the website cannot be built, the last lines of the generator are shown', hugo, async (t) => {
  const { page, root } = await startSite(t, '/', { reducedMotion: 'reduce' })
  await writeFile(join(root, 'layouts/_default/single.html'), '{{ nothing }}')
  await press(page, 'Publish site')
  const dialog = page.getByRole('dialog', { name: "The website couldn't be built" })
  await dialog.getByText('function "nothing" not defined').first().waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByRole('button', { name: 'Close' }).click()
  await press(page, 'Scheduled and history')
  await page.getByRole('dialog').getByText('Failed', { exact: true }).waitFor()
})

t.test('Preview shows the website with drafts in a new tab', hugo, async (t) => {
  const { page } = await startSite(t, '/')
  const [tab] = await Promise.all([page.waitForEvent('popup'), press(page, 'Preview')])
  await tab.getByRole('link', { name: 'A day: at the sea' }).click()
  await tab.getByText('The waves.').waitFor()
})

t.test('an open preview reloads itself when a file of the website is saved', hugo, async (t) => {
  const { page } = await startSite(t, '/')
  const [tab] = await Promise.all([page.waitForEvent('popup'), press(page, 'Preview')])
  await tab.getByRole('link', { name: 'A day: at the sea' }).click()
  await tab.getByText('The waves.').waitFor()
  const status = await page.evaluate(
    async (text) => {
      const headers = { 'X-Auth': localStorage.getItem('jwt') ?? '' }
      const path = '/api/resources/content/posts/sea.md'
      return (await fetch(path, { method: 'PUT', headers, body: text })).status
    },
    draft.replace('waves', 'wind'),
  )
  t.equal(status, 200)
  await tab.getByText('The wind.').waitFor()
  const origin = await tab.evaluate(() => globalThis.origin)
  t.equal(origin, 'null', 'the scripts of the site have an origin of their own')
})

t.test('the tab of a preview closes if the preview cannot be built', hugo, async (t) => {
  const { page, root } = await startSite(t, '/')
  await writeFile(join(root, 'layouts/_default/single.html'), '{{ nothing }}')
  const [tab] = await Promise.all([page.waitForEvent('popup'), press(page, 'Preview')])
  await page.getByRole('dialog', { name: "The website couldn't be built" }).waitFor()
  t.ok(tab.isClosed())
})

t.test('administrators get a link to the settings if the website cannot be found', hugo, async (t) => {
  const { page } = await startSite(t, '/settings/global')
  const card = page.getByRole('region', { name: 'Website' })
  await card.getByLabel('Website root').fill('/missing')
  await card.getByLabel('Public directory').fill('/missing/public')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await side(page).getByText("The website can't be found.").waitFor()
  await side(page).getByRole('link', { name: 'Global settings' }).waitFor()
  t.equal(await side(page).getByRole('button', { name: 'Preview' }).count(), 0)
})

for (const [name, options] of [
  ['left-to-right', {}],
  ['right-to-left', { locale: 'ar' }],
] as const) {
  t.test(`the website in the menu is accessible on narrow screens: ${name}`, hugo, async (t) => {
    const { page } = await startSite(t, undefined, {
      ...options,
      viewport: { width: 390, height: 800 },
      reducedMotion: 'reduce',
    })
    const badge = itemNamed(page, 'later.md').locator('[role=gridcell]').first()
    await page.locator('[data-part=row]', { hasText: 'sea.md' }).locator('[class*=badge], a + span').waitFor()
    t.ok(await badge.isVisible())
    t.same(await violationsInBothThemes(page), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
    await page.locator('[data-part=header] button').click()
    await page.locator('dialog [data-part=site] a').waitFor()
    t.same(await violationsInBothThemes(page), [])
  })
}
