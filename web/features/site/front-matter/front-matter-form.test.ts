import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, untilQuiet, violationsInBothThemes } from '#web/testing/browser.ts'
import { draft, needs, startSite } from '#web/testing/site.ts'

t.teardown(closeBrowser)

const hugo = needs('hugo')
const sea = '/files/content/posts/sea.md'
const area = (page: Page) => page.getByRole('textbox', { name: 'sea.md' })
const status = (page: Page, words: string) =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${words}$`) })
    .waitFor()

async function open(t: Parameters<typeof startSite>[0], options: Parameters<typeof startSite>[2] = {}) {
  const { page, root } = await startSite(t, sea, options)
  await page.getByLabel('Title').waitFor()
  const content = () => readFile(join(root, 'content/posts/sea.md'), 'utf8')
  return { page, content, file: join(root, 'content/posts/sea.md') }
}

t.test('the form changes single fields of the front matter and keeps everything else', hugo, async (t) => {
  const { page, content } = await open(t)
  t.equal(await page.getByLabel('Title').inputValue(), 'A day: at the sea')
  t.equal(await page.getByLabel('Date').inputValue(), '2026-11-01T08:30')
  await page.getByText('Time zone: +01:00').waitFor()
  await page.getByLabel('Title').fill('A night')
  await page.getByLabel('Tags, separated by commas').fill('sea, night, ')
  await page.getByLabel('Date').fill('2026-12-24T18:00')
  await page.getByLabel('Draft').uncheck()
  await status(page, 'Unsaved changes')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await status(page, 'Saved')
  t.equal(
    await content(),
    draft
      .replace('A day: at the sea', 'A night')
      .replace('2026-11-01T08:30', '2026-12-24T18:00')
      .replace('draft: true', 'draft: false')
      .replace('summer', 'night'),
  )
})

t.test('a field that is not a single value is read-only and is edited in the text', hugo, async (t) => {
  const { page } = await open(t)
  const params = page.getByLabel('params')
  t.equal(await params.inputValue(), 'deep: 1')
  t.ok(await params.evaluate((field: HTMLTextAreaElement) => field.readOnly))
  await page.getByText('Edit this field in the text.').waitFor()
})

t.test('a save right after typing contains what was typed', hugo, async (t) => {
  const { page, content } = await open(t)
  await page.getByLabel('Title').fill('Typed')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.match(await content(), '\ntitle: "Typed" # the title\n')
})

t.test('undo takes back a change of the form', hugo, async (t) => {
  const { page } = await open(t)
  const changed = page.waitForResponse('**/api/site/front-matter')
  await page.getByLabel('Title').fill('Other')
  await page.getByLabel('Title').blur()
  await (await changed).finished()
  await area(page).press('ControlOrMeta+End')
  await page.keyboard.type('More.')
  await page.keyboard.press('ControlOrMeta+z')
  await page.keyboard.press('ControlOrMeta+z')
  await status(page, 'Saved')
  await page.waitForFunction(
    () =>
      document.querySelector<HTMLInputElement>('[data-part=front-matter] input')?.value ===
      'A day: at the sea',
  )
})

t.test('leaving asks about changes of the form', hugo, async (t) => {
  const { page, content } = await open(t)
  await page.getByLabel('Title').fill('Other')
  await page.getByRole('button', { name: 'Close' }).click()
  await page
    .getByRole('dialog', { name: 'Save your changes?' })
    .getByRole('button', { name: 'Discard' })
    .click()
  await page.waitForURL(/posts\/$/)
  t.equal(await content(), draft)
})

t.test('the text does not show the front matter while the form does', hugo, async (t) => {
  const { page, content } = await open(t)
  await area(page).getByText('The waves.').waitFor()
  await page.waitForFunction(() => {
    const host = [...document.querySelectorAll('[data-keys=own]')][0]
    return !host?.shadowRoot?.textContent?.includes('not yet')
  })
  await area(page).press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.type('New text.')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.equal(
    await content(),
    `${draft.slice(0, draft.lastIndexOf('---\n') + 4)}New text.`,
    'and cannot be deleted there',
  )
  await page.getByRole('button', { name: 'Edit as text' }).click()
  await area(page).getByText('# about this post').waitFor()
  t.equal(await page.getByLabel('Title').count(), 0)
  await page.reload()
  await area(page).getByText('# about this post').waitFor()
  await page.getByRole('button', { name: 'Edit in a form' }).click()
  await page.getByLabel('Title').waitFor()
})

t.test('front matter that cannot be read is edited as text', hugo, async (t) => {
  const { page, file } = await open(t)
  await writeFile(file, '---\ntitle: [\n---\nText.\n')
  await page.reload()
  const form = page.locator('[data-part=front-matter]')
  await form.getByRole('alert').getByText("It can't be read. Correct it in the text:").waitFor()
  t.equal(await page.getByLabel('Title').count(), 0)
  await area(page).press('ControlOrMeta+Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('Good')
  await page.getByLabel('Title').waitFor()
  t.equal(await page.getByLabel('Title').inputValue(), 'Good')
})

t.test('a file without front matter gets some with Add', hugo, async (t) => {
  const { page, file, content } = await open(t)
  await writeFile(file, 'Text.\n')
  await page.reload()
  await page.getByText('This file has none.').waitFor()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByLabel('Title').waitFor()
  t.equal(await page.getByLabel('Title').inputValue(), 'sea')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.equal(await content(), '---\ntitle: sea\n---\nText.\n')
})

t.test('changes of the form keep the byte order mark and the line endings', hugo, async (t) => {
  const { page, file, content } = await open(t)
  const windows = `\uFEFF${draft.replaceAll('\n', '\r\n')}`
  await writeFile(file, windows)
  await page.reload()
  await page.getByLabel('Draft').uncheck()
  await status(page, 'Unsaved changes')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.equal(await content(), windows.replace('draft: true', 'draft: false'))
})

for (const [name, options] of [
  ['left-to-right', {}],
  ['right-to-left', { locale: 'ar' }],
] as const) {
  t.test(`the form is accessible, also on narrow screens: ${name}`, hugo, async (t) => {
    const { page } = await startSite(t, sea, options)
    await page.locator('[data-part=front-matter] input').first().waitFor()
    await untilQuiet(page)
    t.same(await violationsInBothThemes(page), [])
    await page.setViewportSize({ width: 390, height: 800 })
    t.same(await violationsInBothThemes(page), [])
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing is cut off')
  })
}
