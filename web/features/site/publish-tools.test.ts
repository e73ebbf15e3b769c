import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, untilQuiet, violations } from '#web/testing/browser.ts'
import { draft, jekyllSite, needs, startSite } from '#web/testing/site.ts'

t.teardown(closeBrowser)

const hugo = needs('hugo')
const sea = '/files/content/posts/sea.md'
const year = new Date().getFullYear() + 1
const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true }).click()

t.test('Publish saves the text, removes the mark of the draft and builds the website', hugo, async (t) => {
  const { page, root } = await startSite(t, sea)
  await page.getByLabel('Title').waitFor()
  const preview = page.getByRole('region', { name: 'Preview of sea.md' })
  await preview.getByText('summer').waitFor({ state: 'detached' })
  const shown = await preview.evaluateHandle((preview) => {
    const texts: string[] = []
    new MutationObserver(() => texts.push(preview.textContent ?? '')).observe(preview, {
      ...{ childList: true, characterData: true, subtree: true },
    })
    return texts
  })
  await page.getByLabel('Title').fill('A night at the sea')
  await page.getByRole('textbox', { name: 'sea.md' }).press('ControlOrMeta+End')
  await page.keyboard.type('The moon.')
  await publish(page)
  await page.getByText(/^Published .sea\.md.$/).waitFor()
  await page.getByLabel('Draft').and(page.locator(':not(:checked)')).waitFor()
  const text = await readFile(join(root, 'content/posts/sea.md'), 'utf8')
  t.equal(
    text,
    `${draft.replace('A day: at', 'A night at').replace('draft: true', 'draft: false')}The moon.`,
    'everything else stays, byte by byte',
  )
  const html = await readFile(join(root, 'public/posts/sea/index.html'), 'utf8')
  t.match(html, /<h1>A night at the sea<\/h1>[\s\S]*The moon\./)
  await preview.getByText('The moon.').waitFor()
  await untilQuiet(page)
  const wrong = (await shown.jsonValue()).filter((text) => !text.trim().startsWith('The waves.'))
  t.strictSame(wrong, [], 'the preview never shows a part of the front matter')
  await page
    .getByRole('status')
    .filter({ hasText: /^Saved$/ })
    .waitFor()
})

t.test('Undo puts the old website and the mark of the draft back', hugo, async (t) => {
  const { page, root, address } = await startSite(t, '/')
  const index = () => readFile(join(root, 'public/index.html'), 'utf8')
  await page.getByRole('complementary').getByRole('button', { name: 'Publish site' }).click()
  await page.getByText('Published the site').waitFor()
  const before = await index()
  await page.goto(address + sea)
  await publish(page)
  await page.getByText(/^Published .sea\.md.$/).waitFor()
  t.match(await index(), /A day: at the sea/)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText(/^Undone: Published .sea\.md.$/).waitFor()
  await page.getByLabel('Draft').and(page.locator(':checked')).waitFor()
  t.equal(await readFile(join(root, 'content/posts/sea.md'), 'utf8'), draft)
  t.equal(await index(), before)
})

t.test('a draft whose build fails is a draft again, in the editor as well', hugo, async (t) => {
  const { page, root } = await startSite(t, sea, { reducedMotion: 'reduce' })
  await writeFile(join(root, 'layouts/_default/single.html'), '{{ nothing }}')
  await page.getByLabel('Draft').and(page.locator(':checked')).waitFor()
  await publish(page)
  const dialog = page.getByRole('dialog', { name: "The website couldn't be built" })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await untilQuiet(page)
  t.equal(await readFile(join(root, 'content/posts/sea.md'), 'utf8'), draft)
  t.ok(await page.getByLabel('Draft').isChecked())
  t.equal(await page.locator('[data-part=outside]').count(), 0)
})

t.test('Preview in the editor saves the text and shows the website with it', hugo, async (t) => {
  const { page, root } = await startSite(t, sea)
  await page.getByRole('textbox', { name: 'sea.md' }).press('ControlOrMeta+End')
  await page.keyboard.type('The moon.')
  const preview = page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name: 'Preview' })
  const [tab] = await Promise.all([page.waitForEvent('popup'), preview.click()])
  await tab.getByRole('link', { name: 'A day: at the sea' }).click()
  await tab.getByText('The moon.').waitFor()
  t.match(await readFile(join(root, 'content/posts/sea.md'), 'utf8'), /draft: true[\s\S]*The moon\./)
})

t.test('the list shows drafts, and posts that are published later', hugo, async (t) => {
  const { page } = await startSite(t)
  await itemNamed(page, 'sea.md').getByText('Draft', { exact: true }).waitFor()
  await itemNamed(page, 'later.md')
    .getByText(/^Future Jan \d, 2096/)
    .waitFor()
  t.notMatch(await itemNamed(page, 'done.md').textContent(), /Published|Future|Draft/)
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
  await itemNamed(page, 'sea.md').getByText('Draft', { exact: true }).waitFor()
})

t.test('Schedule publishes at a time, and lists what is scheduled', hugo, async (t) => {
  const { page, root } = await startSite(t, sea, { timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' })
  const dialog = page.getByRole('dialog', { name: 'Schedule “sea.md”' })
  const open = () => page.getByRole('button', { name: 'Schedule', exact: true }).click()
  const confirm = dialog.getByRole('button', { name: 'Schedule', exact: true })
  await open()
  await dialog.getByText('Europe/Berlin').waitFor()
  await dialog.getByLabel('Date').fill('2025-01-01')
  await dialog.getByLabel('Date').evaluate((field) => field.removeAttribute('min'))
  await confirm.click()
  await dialog.getByRole('alert').getByText('Choose a time in the next ten years.').waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await dialog.getByLabel('Date').fill(`${year}-12-01`)
  await dialog.getByLabel('Time').fill('08:30')
  await dialog.getByText('Central European Standard Time').waitFor()
  const asked = page.waitForRequest((request) => request.url().includes('?at='))
  await confirm.click()
  t.equal(new URL((await asked).url()).searchParams.get('at'), `${year}-12-01T08:30:00+01:00`)
  await page.getByText(`Scheduled for Dec 1, ${year}, 8:30 AM.`).waitFor()
  t.equal(await readFile(join(root, 'content/posts/sea.md'), 'utf8'), draft, 'the file does not change yet')
  await open()
  await dialog.getByText(`Dec 1, ${year}, 8:30 AM`).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('main', { name: 'sea.md' }).getByRole('button', { name: 'Close' }).click()
  await itemNamed(page, 'sea.md').getByText(`Scheduled Dec 1, ${year}`).waitFor()
  await page.getByRole('button', { name: 'Scheduled and history' }).click()
  await page.getByRole('button', { name: 'Cancel publishing sea.md' }).click()
  await page.getByText('Nothing is scheduled.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await itemNamed(page, 'sea.md').getByText('Draft', { exact: true }).waitFor()
})

t.test('on narrow screens, Preview, Publish and Schedule are in a menu', hugo, async (t) => {
  const { page } = await startSite(t, sea, { viewport: { width: 390, height: 800 }, reducedMotion: 'reduce' })
  const menu = page.getByRole('button', { name: 'Publish or schedule' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Schedule' }).click()
  await page.getByRole('dialog', { name: 'Schedule “sea.md”' }).waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Escape')
  await menu.click()
  await page.getByRole('menuitem', { name: 'Preview' }).waitFor()
  await page.getByRole('menuitem', { name: 'Publish' }).click()
  await page.getByText(/^Published .sea\.md.$/).waitFor()
})

t.test('other files have no buttons to publish them', hugo, async (t) => {
  const { page } = await startSite(t, '/files/hugo.toml')
  await page.getByRole('textbox', { name: 'hugo.toml' }).waitFor()
  await untilQuiet(page)
  t.equal(await page.getByRole('button', { name: 'Publish', exact: true }).count(), 0)
  t.equal(await page.getByText('Front matter').count(), 0)
})

t.test('a published draft of Jekyll opens at its new address', needs('jekyll'), async (t) => {
  const { page } = await start(t, jekyllSite, {
    path: '/files/_drafts/sea.md',
    more: ['--staticgen', 'jekyll'],
  })
  page.setDefaultTimeout(60_000)
  await publish(page)
  await page.waitForURL(/\/files\/_posts\/\d{4}-\d\d-\d\d-sea\.md$/)
  await page
    .getByText(/^The waves\.$/)
    .first()
    .waitFor()
})
