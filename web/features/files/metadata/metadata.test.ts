import { utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { until } from '#src/testing/wire.ts'
import {
  changePreferences,
  closeBrowser,
  itemNamed,
  signInAs,
  start,
  untilQuiet,
  violations,
} from '#web/testing/browser.ts'
import { photo } from '#web/testing/photos.ts'
import { arrange } from './arrange.ts'
import { forgetMetadata, knownIn, setMetadata } from './metadata-state.ts'

t.teardown(closeBrowser)

const photos = async () => ({
  'a.jpg': await photo('2024:05:01 12:30:00', 60, 40),
  'b.jpg': await photo('2023:07:02 08:00:00', 30, 40),
  'c.jpg': await photo('2024:05:20 18:00:00', 80, 40),
  'notes.txt': 'no photo',
  docs: { 'd.jpg': await photo('2020:01:01 00:00:00') },
})

/** Records the requests for metadata of folders. */
function recordRequests(page: Page) {
  const asked: string[] = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.pathname.startsWith('/api/metadata/'))
      asked.push(`${url.pathname.slice('/api/metadata'.length)} ${url.searchParams.get('fields')}`)
  })
  return asked
}

const cell = (page: Page, name: string, text: string | RegExp) =>
  itemNamed(page, name).getByRole('gridcell').filter({ hasText: text })

/** Waits until these items are shown in this order. */
const shows = (page: Page, names: readonly string[]) =>
  page.waitForFunction((names) => {
    const items = [...document.querySelectorAll<HTMLElement>('[data-index]')]
    const place = (item: HTMLElement) => Number(item.dataset.index)
    const shown = items
      .sort((a, b) => place(a) - place(b))
      .map((item) => item.querySelector('a')?.dataset.full)
    return String(shown) === names
  }, String(names))

t.test('columns show when a picture was taken, its dimensions and the owner, and sort by them', async (t) => {
  const { page } = await start(t, await photos())
  const asked = recordRequests(page)
  await itemNamed(page, 'a.jpg').waitFor()
  await untilQuiet(page)
  t.same(asked, [], 'nothing is asked for the usual columns')
  await page.getByRole('button', { name: 'Columns' }).click()
  for (const name of ['Date taken', 'Dimensions', 'Owner'])
    await page.getByRole('menuitemcheckbox', { name }).click()
  await page.keyboard.press('Escape')
  await cell(page, 'a.jpg', 'May 1, 2024, 12:30').waitFor()
  await cell(page, 'a.jpg', '60 × 40').waitFor()
  await cell(page, 'notes.txt', /^\w+$/).last().waitFor()
  t.same(await violations(page), [])
  t.equal(asked.at(-1), '/ dimensions,owner,taken')
  const head = (name: string) => page.getByRole('columnheader', { name })
  await head('Date taken').getByRole('button').click()
  await page.locator('[aria-sort=descending]').and(head('Date taken')).waitFor()
  await shows(page, ['docs', 'c.jpg', 'a.jpg', 'b.jpg', 'notes.txt'])
  await head('Date taken').getByRole('button').click()
  await page.locator('[aria-sort=ascending]').and(head('Date taken')).waitFor()
  await shows(page, ['docs', 'b.jpg', 'a.jpg', 'c.jpg', 'notes.txt'])
  await head('Date taken').getByRole('button').click()
  await untilQuiet(page)
  await page.reload()
  await page.locator('[aria-sort=descending]').and(head('Date taken')).waitFor()
  await shows(page, ['docs', 'c.jpg', 'a.jpg', 'b.jpg', 'notes.txt'])
  await head('Dimensions').getByRole('button').click()
  await shows(page, ['docs', 'b.jpg', 'a.jpg', 'c.jpg', 'notes.txt'])
  await head('Name').getByRole('button').click()
  await page.locator('[aria-sort=ascending]').and(head('Name')).waitFor()
  await shows(page, ['docs', 'a.jpg', 'b.jpg', 'c.jpg', 'notes.txt'])
  await untilQuiet(page)
  await page.reload()
  await page.locator('[aria-sort=ascending]').and(head('Name')).waitFor()
})

t.test('a changed photo is read again, and keeps its place in the selection', async (t) => {
  const { page, root } = await start(t, await photos())
  await itemNamed(page, 'a.jpg').waitFor()
  await changePreferences(page, {
    columns: ['taken', 'dimensions'],
    metadataOrder: { by: 'taken', asc: true },
  })
  await shows(page, ['docs', 'b.jpg', 'a.jpg', 'c.jpg', 'notes.txt'])
  await itemNamed(page, 'a.jpg').getByRole('gridcell').last().click()
  await page.locator('[aria-selected=true]', { hasText: 'a.jpg' }).waitFor()
  writeFileSync(path.join(root, 'a.jpg'), await photo('2025:12:24 20:00:00', 50, 40))
  await cell(page, 'a.jpg', '50 × 40').waitFor()
  await shows(page, ['docs', 'b.jpg', 'c.jpg', 'a.jpg', 'notes.txt'])
  t.equal(await page.locator('[aria-selected=true] a').getAttribute('data-full'), 'a.jpg')
})

t.test('a request ends when the user leaves the folder, and a lost one is repeated', async (t) => {
  const { page } = await start(t, await photos())
  await itemNamed(page, 'a.jpg').waitFor()
  // The columns of one folder are those of all.
  await changePreferences(page, { rememberViews: false })
  const gone: string[] = []
  page.on('requestfailed', (request) => {
    if (request.url().includes('/api/metadata/')) gone.push(new URL(request.url()).pathname)
  })
  let calls = 0
  await page.route('**/api/metadata/**', (route) => {
    calls++
    const { pathname } = new URL(route.request().url())
    // The first request of the top folder waits until it is aborted, the first one below is lost.
    if (pathname.endsWith('/docs/')) return calls === 2 ? route.abort() : route.continue()
    return undefined
  })
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Date taken' }).click()
  await page.keyboard.press('Escape')
  await until(() => calls === 1)
  await itemNamed(page, 'docs').dblclick()
  await cell(page, 'd.jpg', 'Jan 1, 2020').waitFor()
  t.equal(gone[0], '/api/metadata/')
})

t.test('the mosaic has sections for the months in which photos were taken, and a placeholder', async (t) => {
  const { page, root } = await start(t, await photos())
  utimesSync(path.join(root, 'notes.txt'), new Date(), new Date('2022-02-02T12:00:00'))
  await itemNamed(page, 'a.jpg').waitFor()
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.getByRole('columnheader', { name: 'Date taken' }).getByRole('button').click()
  const titles = page.getByRole('rowheader')
  await titles.first().filter({ hasText: 'Folders' }).waitFor()
  await shows(page, ['docs', 'c.jpg', 'a.jpg', 'b.jpg', 'notes.txt'])
  await page.getByRole('columnheader', { name: 'Date taken' }).getByRole('button').click()
  await titles.filter({ hasText: 'July 2023' }).waitFor()
  await shows(page, ['docs', 'notes.txt', 'b.jpg', 'a.jpg', 'c.jpg'])
  t.same(await titles.allInnerTexts(), ['Folders', 'February 2022', 'July 2023', 'May 2024'])
  await itemNamed(page, 'b.jpg').getByText('Jul 2, 2023').waitFor()
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await itemNamed(page, name).locator('img').waitFor()
  t.same(await violations(page), [])
  // The server has made the previews, so it has placeholders now.
  await page.route('**/api/preview/tile/**', () => {})
  await page.reload()
  const canvas = itemNamed(page, 'c.jpg').locator('canvas')
  await canvas.waitFor()
  const shape = await itemNamed(page, 'c.jpg')
    .locator('[data-part=face]')
    .evaluate((face) => face.clientWidth / face.clientHeight)
  t.ok(Math.abs(shape - 2) < 0.02, `${shape}: known before the picture`)
  const [red = 0, , blue = 0] = await canvas.evaluate((one: HTMLCanvasElement) => [
    ...(one.getContext('2d')?.getImageData(0, 0, 1, 1).data ?? []),
  ])
  t.ok(red > 100 && blue < 80, 'the colour of the photo')
})

t.test('without the permission to download, nothing is asked and no such columns are offered', async (t) => {
  const { page } = await start(t, await photos())
  const perm = { create: true, rename: true, modify: true, delete: true, share: true, download: false }
  const his = await signInAs(t, page, {
    perm: { ...perm, admin: false, execute: false },
    columns: ['size', 'taken', 'modified'],
    metadataOrder: { by: 'taken', asc: true },
  })
  const asked = recordRequests(his)
  await itemNamed(his, 'a.jpg').waitFor()
  await his.reload()
  await his.getByRole('button', { name: 'Columns' }).click()
  await his.getByRole('menuitemcheckbox', { name: 'Kind' }).waitFor()
  t.equal(await his.getByRole('menuitemcheckbox', { name: 'Date taken' }).count(), 0)
  await his.keyboard.press('Escape')
  await his.getByRole('button', { name: 'Show as tiles' }).click()
  await his.locator('[data-part=card]').first().waitFor()
  await untilQuiet(his)
  t.equal(await his.getByRole('columnheader', { name: 'Date taken' }).count(), 0)
  t.same(asked, [])
})

t.test('unknown values come last, equal ones keep their order, and folders come first', async (t) => {
  const item = (name: string, isDir = false) => ({
    name,
    isDir,
    type: 'image',
    modified: '2020-01-01T00:00:00Z',
  })
  const items = [item('d', true), item('x'), item('b'), item('a'), item('c')] as never
  const byName = new Map([
    ['a', { owner: 'user 10', width: 2, height: 2 }],
    ['b', { owner: 'user 9', width: 1, height: 4 }],
    ['c', { owner: 'user 10', width: 9, height: 9 }],
  ])
  const names = (by: 'owner' | 'dimensions' | 'taken', asc: boolean, usesModified = false) =>
    arrange(items, { order: { by, asc }, byName, usesModified })
      .map(({ name }) => name)
      .join('')
  t.equal(names('owner', true), 'dbacx')
  t.equal(names('owner', false), 'dacbx')
  t.equal(names('dimensions', true), 'dbacx')
  t.equal(names('dimensions', false), 'dcbax')
  t.equal(names('taken', true), 'dxbac')
})

t.test('the last folders are remembered, but not more than 10,000 items besides the shown one', async (t) => {
  const items = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}`, { width: 1 }]))
  t.teardown(forgetMetadata)
  setMetadata('/a/', items(9000))
  setMetadata('/b/', items(1000))
  t.equal(knownIn('/a/').size, 9000)
  setMetadata('/c/', items(20_000))
  t.equal(knownIn('/c/').size, 20_000)
  t.equal(knownIn('/a/').size, 0)
  for (let n = 0; n < 9; n++) setMetadata(`/${n}/`, items(1))
  t.equal(knownIn('/c/').size, 0)
  t.equal(knownIn('/1/').size, 1)
})
