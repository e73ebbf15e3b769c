import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** Delays the save requests for the file `name` until `release` is called. `bodies` lists the requests so far. */
async function delaySaves(page: Page, name: string) {
  let resume = () => {}
  const resumed = new Promise<void>((resolve) => {
    resume = resolve
  })
  const bodies: string[] = []
  await page.route(`**/api/resources/${name}`, async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    bodies.push(route.request().postData() ?? '')
    await resumed
    return route.continue()
  })
  return { bodies, release: () => resume() }
}

async function write(page: Page, name: string, words: string) {
  const area = page.getByRole('textbox', { name })
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(words)
}

const status = (page: Page, words: string) =>
  page
    .getByRole('status')
    .filter({ hasText: new RegExp(`^${words}$`) })
    .waitFor()

t.test('the next save sends what was typed during a save, and waits for the first one', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'one' })
  const { bodies, release } = await delaySaves(page, 'a.txt')
  await itemNamed(page, 'a.txt').dblclick()
  await write(page, 'a.txt', ' two')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saving…')
  await page.keyboard.type(' three')
  await page.keyboard.press('ControlOrMeta+s')
  await page.keyboard.press('ControlOrMeta+s')
  t.same(bodies, ['one two'])
  release()
  await status(page, 'Saved')
  t.same(bodies, ['one two', 'one two three'])
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'one two three')
  t.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled())
})

t.test('saving on leave waits for a running save', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'one' })
  const { release } = await delaySaves(page, 'a.txt')
  await itemNamed(page, 'a.txt').dblclick()
  await write(page, 'a.txt', ' two')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await status(page, 'Saving…')
  await write(page, 'a.txt', ' three')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog', { name: 'Save your changes?' }).getByRole('button', { name: 'Save' }).click()
  release()
  await page.getByRole('textbox', { name: 'a.txt' }).waitFor({ state: 'detached' })
  t.equal(await readFile(join(root, 'a.txt'), 'utf8'), 'one two three')
})

t.test('a save of a closed text does not change the status of the open one', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' })
  const { release } = await delaySaves(page, 'a.txt')
  await itemNamed(page, 'a.txt').dblclick()
  await write(page, 'a.txt', '!')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saving…')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Discard' }).click()
  await itemNamed(page, 'b.txt').dblclick()
  await write(page, 'b.txt', '!')
  await status(page, 'Unsaved changes')
  const answered = page.waitForResponse((response) => response.request().method() === 'PUT')
  release()
  await (await answered).finished()
  await status(page, 'Unsaved changes')
  await page.keyboard.press('ControlOrMeta+s')
  await status(page, 'Saved')
  t.equal(await readFile(join(root, 'b.txt'), 'utf8'), 'b!')
})

t.test('the save button keeps the focus', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a' })
  await itemNamed(page, 'a.txt').dblclick()
  await write(page, 'a.txt', '!')
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await save.press('Enter')
  await status(page, 'Saved')
  t.ok(await save.evaluate((one) => one.matches(':focus')))
})
