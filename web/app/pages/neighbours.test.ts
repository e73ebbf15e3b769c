import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, currentName, itemNamed, selectedNames, start } from '#web/testing/browser.ts'
import { delayResponses } from '#web/testing/responses.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)
const pictures = { '1.png': picture, '2.png': picture, '3.png': picture, '4.png': picture }

/** Opens the first picture and waits until its neighbours are known. */
async function openFirst(page: Page): Promise<void> {
  await itemNamed(page, '1.png').dblclick()
  await page.getByRole('img', { name: '1.png' }).waitFor()
  await page.getByText('1 of 4').waitFor()
}

t.test(
  'the previous picture stays until the next has loaded, and no shortcut reaches the list below',
  async (t) => {
    const { page } = await start(t, pictures)
    const open = (name: string) => page.getByRole('main', { name, exact: true })
    await openFirst(page)
    const second = await delayResponses(page, '**/api/resources/2.png')
    const third = await delayResponses(page, '**/api/resources/3.png')
    await page.keyboard.press('ArrowRight')
    await second.waitForCalls()
    await open('1.png').and(page.locator('[aria-busy=true]')).waitFor()
    await page.keyboard.press('Delete')
    await page.keyboard.press('F2')
    t.equal(await page.getByRole('dialog').count(), 0)
    await page.keyboard.press('ArrowRight')
    await third.waitForCalls()
    t.match(page.url(), /3\.png$/, 'a second press continues from the requested picture')
    t.ok(await open('1.png').isVisible())
    third.release()
    await open('3.png').and(page.locator('[aria-busy=false]')).waitFor()
    await page.getByText('3 of 4').waitFor()
    second.release()
    await page.keyboard.press('Escape')
    await open('3.png').waitFor({ state: 'detached' })
    t.equal(await currentName(page), '3.png', 'the picture seen last is the current item')
    t.same(await selectedNames(page), [], 'a change of route resets the selection')
  },
)

t.test('Escape closes the file while the next picture is loading', async (t) => {
  const { page } = await start(t, pictures)
  await openFirst(page)
  const second = await delayResponses(page, '**/api/resources/2.png')
  await page.keyboard.press('ArrowRight')
  await second.waitForCalls()
  await page.keyboard.press('Escape')
  await page.getByRole('main', { name: '1.png' }).waitFor({ state: 'detached' })
  t.match(page.url(), /\/files\/$/)
  t.ok(await itemNamed(page, '1.png').isVisible())
})

t.test('turning to a deleted picture shows an error, and no action affects the folder', async (t) => {
  const { page, root } = await start(t, pictures)
  await openFirst(page)
  await rm(path.join(root, '2.png'))
  await page.getByRole('button', { name: 'Next' }).click()
  t.equal(await page.getByRole('alert').textContent(), "This location can't be reached.")
  t.equal(await page.getByRole('button', { name: 'Upload files' }).count(), 0)
  await page.keyboard.press('Backspace')
  await itemNamed(page, '3.png').waitFor()
  await itemNamed(page, '2.png').waitFor({ state: 'detached' })
})

t.test('a picture opened by its address has neighbours and its folder below it', async (t) => {
  const { page } = await start(t, { deep: pictures }, { path: '/files/deep/2.png' })
  await page.getByText('2 of 4').waitFor()
  await page.keyboard.press('ArrowRight')
  await page.getByText('3 of 4').waitFor()
  await page.reload()
  await page.getByText('3 of 4').waitFor()
  await page.keyboard.press('Escape')
  await itemNamed(page, '3.png').waitFor()
  t.equal(await currentName(page), '3.png')
  t.same(await selectedNames(page), [])
})

t.test('a picture opened from a search in another folder has neighbours', async (t) => {
  const { page } = await start(t, { deep: pictures, 'a.txt': '' })
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('4.png')
  await page.getByText('1 result').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('4 of 4').waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.getByText('3 of 4').waitFor()
})
