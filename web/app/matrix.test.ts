import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { variants } from '#src/testing/long.ts'
import {
  closeBrowser,
  itemNamed,
  openPage,
  serve,
  testUser,
  violationsInBothThemes,
} from '#web/testing/browser.ts'
import { chooseAccount, chooseNew } from '#web/testing/places.ts'
import { translatorFor } from '#web/testing/words.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

const files = {
  docs: { deep: {} },
  empty: {},
  'a.txt': 'text',
  'b.png': picture,
  'c.mp4': 'no film',
  'e.bin': Buffer.alloc(2048),
  'f.md': '# Plan\n\n- [x] done\n\n> quoted\n\n`code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'g.ts': 'const a = "words" // 1\n',
}

/** A page in one language, on which all steps run one after the other. */
interface Tour {
  t: Test
  page: Page
  root: string
  address: string
  say(english: string): string
  /** The dialog that was opened last. Only this one can be used. */
  dialog: Locator
}

/** Checks what is shown in both themes. */
async function look({ t, page }: Tour, name: string, within = 'html'): Promise<void> {
  t.same(await violationsInBothThemes(page, within), [], name)
}

/** Checks the dialog that `open` opens, and closes it. */
async function prompt(tour: Tour, name: string, open: () => Promise<unknown>): Promise<void> {
  await open()
  await tour.dialog.waitFor()
  await look(tour, name, '[role=dialog]')
  await tour.page.keyboard.press('Escape')
  await tour.dialog.waitFor({ state: 'detached' })
}

const press = ({ page, say }: Tour, name: string) =>
  page
    .getByRole('main')
    .getByRole('button', { name: say(name), exact: true })
    .click()

async function tourOf(t: Test, language: string): Promise<Tour> {
  const root = path.join(t.testdir({ root: files }), 'root')
  const address = await serve(t, root)
  const page = await openPage(t, { locale: language, reducedMotion: 'reduce' })
  const body = JSON.stringify({ username: testUser.name, password: testUser.password })
  const headers = { 'Content-Type': 'application/json' }
  const token = await (await fetch(`${address}/api/login`, { method: 'POST', body, headers })).text()
  await page.goto(`${address}/api/docs`)
  await page.evaluate((token) => localStorage.setItem('jwt', token), token)
  await page.goto(`${address}/files/`)
  await itemNamed(page, 'a.txt').waitFor()
  return { t, page, root, address, say: await translatorFor(language), dialog: page.locator('[role=dialog]') }
}

async function lists(tour: Tour): Promise<void> {
  const { page, say } = tour
  await look(tour, 'the list')
  await itemNamed(page, 'a.txt').click()
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: say('Rename') })
    .waitFor()
  await look(tour, 'the list with a selection')
  await itemNamed(page, 'a.txt').click({ button: 'right' })
  await page.getByRole('menu').waitFor()
  await look(tour, 'the menu of an item', '[role=menu]')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await press(tour, 'Clear selection')
  await press(tour, 'Show as tiles')
  await page.locator('[data-part=card] img').first().waitFor()
  await look(tour, 'the mosaic')
  await press(tour, 'Show as list')
  await page.locator('[data-part=row]').first().waitFor()
  await itemNamed(page, 'empty').dblclick()
  await page.locator('[data-part=row]').first().waitFor({ state: 'detached' })
  await look(tour, 'an empty folder')
  await page.goBack()
  await itemNamed(page, 'a.txt').waitFor()
}

/** The shortcuts and buttons of an item that open a dialog. */
async function prompts(tour: Tour): Promise<void> {
  const { page, say } = tour
  await itemNamed(page, 'a.txt').click()
  await page
    .getByRole('toolbar')
    .getByRole('button', { name: say('Rename') })
    .waitFor()
  for (const key of ['F1', 'Shift+Delete']) await prompt(tour, key, () => page.keyboard.press(key))
  for (const name of ['Move to…', 'Copy to…', 'Share']) await prompt(tour, name, () => press(tour, name))
  await prompt(tour, 'New folder', () => chooseNew(page, 'New folder', say))
  await prompt(tour, 'a search', async () => {
    await page.keyboard.press('Control+f')
    await tour.dialog.getByRole('combobox').fill('a')
    await tour.dialog.getByRole('option').first().waitFor()
  })
  await prompt(tour, 'a share and its QR code', async () => {
    await press(tour, 'Share')
    await tour.dialog.getByRole('button', { name: say('Create link') }).click()
    await tour.dialog.getByRole('button', { name: say('QR code') }).click()
  })
  await itemNamed(page, 'docs').click()
  await prompt(tour, 'an archive format', () => press(tour, 'Download'))
}

async function uploads(tour: Tour): Promise<void> {
  const { page, say } = tour
  const upload = async (name: string) => {
    const chooser = page.waitForEvent('filechooser')
    await chooseNew(page, 'Upload files', say)
    await (await chooser).setFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('new') }])
  }
  await prompt(tour, 'a name that is taken', () => upload('a.txt'))
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/new\.txt/, async (route) => {
    await free
    return route.continue()
  })
  await upload('new.txt')
  await page.locator('[data-part=uploads]').waitFor()
  await look(tour, 'a running upload')
  await prompt(tour, 'signing out during the upload', () => chooseAccount(page, 'Sign out', say))
  release()
  await itemNamed(page, 'new.txt').waitFor()
}

async function openFiles(tour: Tour): Promise<void> {
  const { page, say, root } = tour
  const file = page.locator('[data-part=file]')
  const shows: [name: string, ready: string][] = [
    ['b.png', '[data-part=picture] output'],
    ['c.mp4', '[role=alert]'],
    ['e.bin', 'h2'],
    ['f.md', 'table'],
    ['g.ts', '[role=textbox] span'],
    ['a.txt', '[role=textbox]'],
  ]
  for (const [name, ready] of shows) {
    await itemNamed(page, name).dblclick()
    await file.locator(ready).first().waitFor()
    await look(tour, name)
    if (name === 'a.txt') break
    await file.getByRole('button', { name: say('Close'), exact: true }).click()
    await file.waitFor({ state: 'detached' })
  }
  await file.getByRole('textbox').press('ControlOrMeta+f')
  await look(tour, 'the search in a text')
  await file.getByRole('textbox', { name: 'a.txt' }).press('End')
  await page.keyboard.type('!')
  const close = () =>
    file
      .getByRole('button', { name: say('Close'), exact: true })
      .first()
      .click()
  await prompt(tour, 'leaving with unsaved changes', close)
  await writeFile(path.join(root, 'a.txt'), 'theirs')
  await prompt(tour, 'a text that another user has changed', () => page.keyboard.press('ControlOrMeta+s'))
  await prompt(tour, 'saving it under another name', async () => {
    await page.keyboard.press('ControlOrMeta+s')
    await tour.dialog.getByRole('button', { name: say('Save as…') }).click()
    await tour.dialog.locator('input').waitFor()
  })
}

for (const language of variants(['en', 'ar'])) {
  t.test(`no accessibility violations below /files, light and dark: ${language}`, async (t) => {
    const tour = await tourOf(t, language)
    await lists(tour)
    await prompts(tour)
    await uploads(tour)
    await openFiles(tour)
  })
}
