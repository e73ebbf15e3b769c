import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { asPng, plain } from '#src/testing/pictures.ts'
import {
  closeBrowser,
  itemNamed,
  openPage,
  selectedNames,
  serve,
  signIn,
  signInAs,
} from '#web/testing/browser.ts'
import { received, watched } from '#web/testing/live.ts'
import { delayResponses } from '#web/testing/responses.ts'

type Tree = NonNullable<Parameters<Test['testdir']>[0]>

t.teardown(closeBrowser)

/** Opens `path` on a new page, and waits until the server watches the shown folder. */
async function open(t: Test, files: Tree, path = '/') {
  const root = join(t.testdir({ root: files }), 'root')
  const address = await serve(t, root)
  const page = await openPage(t)
  const isWatched = watched(page)
  await signIn(page, address, path)
  await isWatched
  return { page, root, address }
}

/** Counts the requests for the list of the root from now on. */
function countLists(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (/\/api\/resources\/$/.test(request.url()) && request.method() === 'GET') count++
  })
  return () => count
}

/** The first item in sight: its name and its distance from the top of the list. */
const firstInSight = (page: Page) =>
  page.locator('[data-part=list]').evaluate((list) => {
    const top = list.getBoundingClientRect().top
    const rows = [...list.querySelectorAll('[data-index]')].map((row) => ({
      name: row.querySelector('a')?.dataset.full,
      top: Math.round(row.getBoundingClientRect().top - top),
    }))
    return rows.filter((row) => row.top >= 36).sort((a, b) => a.top - b.top)[0]
  })

t.test(
  'a list shows what another user and other programs change, and keeps scroll, selection and focus',
  async (t) => {
    const names = Array.from({ length: 200 }, (_, n) => `file ${String(n).padStart(3, '0')}.txt`)
    const { page, root } = await open(t, Object.fromEntries(names.map((name) => [name, ''])))
    const his = await signInAs(t, page, { perm: { create: true, delete: true, rename: true, modify: true } })
    const list = page.locator('[data-part=list]')
    await list.evaluate((list) => list.scrollTo(0, 4000))
    await itemNamed(page, 'file 095.txt').click()
    const before = await firstInSight(page)
    await writeFile(join(root, 'a new file.txt'), '')
    await rm(join(root, 'file 003.txt'))
    await writeFile(join(root, 'b new file.txt'), '')
    const rows = (count: number) => page.locator(`[data-part=list][aria-rowcount="${count}"]`).waitFor()
    // The title of the section and the head are rows, too.
    await rows(203)
    t.strictSame(await firstInSight(page), before)
    t.strictSame(await selectedNames(page), ['file 095.txt'])
    t.ok(await list.evaluate((list) => list.contains(document.activeElement)))
    await page.keyboard.press('F2')
    const name = page.getByRole('grid').getByRole('textbox')
    await name.fill('typed')
    await itemNamed(his, 'file 000.txt').click()
    await his.keyboard.press('Delete')
    await rows(202)
    t.equal(await name.inputValue(), 'typed', 'a typed name stays as it is')
  },
)

t.test('a folder that another program deletes is shown as missing', async (t) => {
  const { page, root } = await open(t, { docs: { 'a.txt': '' } }, '/files/docs/')
  await itemNamed(page, 'a.txt').waitFor()
  await rename(join(root, 'docs'), join(root, 'papers'))
  await page.getByText("This location can't be reached.").waitFor()
})

t.test('an open text says that it has changed on the server, and keeps what is typed', async (t) => {
  const { page, root } = await open(t, { 'a.txt': 'one' }, '/files/a.txt')
  const area = page.getByRole('textbox', { name: 'a.txt' })
  await area.waitFor()
  const notice = page.locator('[data-part=outside]')
  await writeFile(join(root, 'a.txt'), 'two')
  await notice.getByText('changed on the server. You see its new content').waitFor()
  t.equal(await area.innerText(), 'two')
  await notice.getByRole('button', { name: 'OK' }).click()
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' typed')
  await page.keyboard.press('ControlOrMeta+s')
  await page
    .getByRole('status')
    .filter({ hasText: /^Saved$/ })
    .waitFor()
  await page.keyboard.type('!')
  await writeFile(join(root, 'a.txt'), 'three')
  await notice.getByText('Your unsaved text is kept').waitFor()
  t.equal(await area.innerText(), 'two typed!')
  await notice.getByRole('button', { name: 'Show the new content' }).click()
  await notice.waitFor({ state: 'detached' })
  t.equal(await area.innerText(), 'three')
  await rm(join(root, 'a.txt'))
  await notice.getByText('deleted or moved').waitFor()
  t.equal(await area.innerText(), 'three')
})

t.test('a picture that was replaced is loaded again', async (t) => {
  const { page, root } = await open(t, { 'a.png': asPng(plain(2, 2, [255, 0, 0])) }, '/files/a.png')
  const picture = page.getByRole('img', { name: 'a.png' })
  await picture.waitFor()
  const first = await picture.getAttribute('src')
  await writeFile(join(root, 'a.png'), asPng(plain(3, 3, [0, 255, 0])))
  await page.waitForFunction((first) => {
    const now = document.querySelector('img[alt="a.png"]')?.getAttribute('src')
    return now && now !== first
  }, first)
})

t.test('an open text keeps what is typed while another version of it arrives', async (t) => {
  const { page, root } = await open(t, { 'a.txt': 'one' }, '/files/a.txt')
  const area = page.getByRole('textbox', { name: 'a.txt' })
  await area.waitFor()
  const versions = await delayResponses(page, '**/api/resources/a.txt')
  await writeFile(join(root, 'a.txt'), 'two')
  await versions.waitForCalls()
  await area.press('ControlOrMeta+End')
  await page.keyboard.type(' typed')
  versions.release()
  await page.locator('[data-part=outside]').getByText('Your unsaved text is kept').waitFor()
  t.equal(await area.innerText(), 'one typed')
})

t.test('many changes in a moment make the page ask for the list once', async (t) => {
  const { page, root } = await open(t, { 'a.txt': '' })
  await page.clock.install()
  await page.reload()
  await itemNamed(page, 'a.txt').waitFor()
  await writeFile(join(root, 'b.txt'), '')
  await itemNamed(page, 'b.txt').waitFor()
  // From now on the clock stands still, so that the pause between two requests does not end.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 5000))
  const lists = countLists(page)
  const heard = await received(page, 'change', '99.txt')
  for (let n = 0; n < 100; n++) await writeFile(join(root, `${n}.txt`), '')
  await heard()
  t.equal(lists(), 0)
  await page.clock.runFor(1000)
  await page.locator('[data-part=list][aria-rowcount="104"]').waitFor()
  t.equal(lists(), 1)
})

t.test('a list does not change under a pressed pointer', async (t) => {
  const { page, root } = await open(t, { 'a.txt': 'a', 'b.txt': 'b' })
  await page.clock.install()
  const isWatched = watched(page)
  await page.reload()
  await isWatched
  await itemNamed(page, 'b.txt').hover()
  await page.mouse.down()
  const lists = countLists(page)
  const heard = await received(page, 'change')
  await writeFile(join(root, 'a new file.txt'), '')
  await heard()
  await page.clock.fastForward(10_000)
  await page.evaluate(() => new Promise(requestAnimationFrame))
  t.equal(lists(), 0)
  await page.mouse.up()
  await itemNamed(page, 'a new file.txt').waitFor()
  t.strictSame(await selectedNames(page), ['b.txt'], 'the click hit what was pressed')
})
