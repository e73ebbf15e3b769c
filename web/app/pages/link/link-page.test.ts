import t from 'tap'
import {
  changePreferences,
  closeBrowser,
  currentName,
  downloadedBytes,
  itemNamed,
  selectedNames,
  violations,
} from '#web/testing/browser.ts'
import { chooseNew } from '#web/testing/places.ts'
import { changeResponses, delayResponses } from '#web/testing/responses.ts'
import { saved, savedChoice, showsCode, startVisits, textOf } from '#web/testing/visitor.ts'

t.teardown(closeBrowser)

const visitor = startVisits(t)

t.test('a visitor browses a shared folder and downloads all or part of it', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('heading', { name: 'docs' }).waitFor()
  await page.getByText('1 folder, 3 files').first().waitFor()
  await page.getByLabel('Format').selectOption('tar')
  t.equal((await saved(page, 'Download folder')).name, 'docs.tar')
  await itemNamed(page, 'y z.txt').locator('[data-check]').click()
  const pending = page.waitForEvent('download')
  await page.getByRole('toolbar', { name: 'Actions' }).getByRole('button', { name: 'Download' }).click()
  t.equal((await downloadedBytes(await pending)).toString(), 'inside', 'a single file is not archived')
  await itemNamed(page, 'x.png').locator('[data-check]').click()
  t.strictSame(await selectedNames(page), ['x.png', 'y z.txt'])
  t.equal((await savedChoice(page, '.tar')).bytes.includes('end.bin'), false)
  await page.keyboard.press('Control+a')
  t.equal((await savedChoice(page, '.tar')).bytes.includes('end.bin'), true)
  await page.keyboard.press('Escape')
  t.strictSame(await selectedNames(page), [])
  await page.getByRole('link', { name: 'x.png' }).click()
  const image = page.getByRole('img', { name: 'x.png' })
  await image.waitFor()
  t.equal(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)), 300)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'deep' }).click()
  await page.getByRole('link', { name: 'end.bin' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'y z.txt' }).click()
  await textOf(page, 'y z.txt').getByText('inside').waitFor()
})

t.test('a shared folder of 100,000 entries renders only visible rows and scrolls to its end', async (t) => {
  const { page } = await visitor(t, '/docs/')
  await page.getByRole('link', { name: 'x.png' }).waitFor()
  const items = Array.from({ length: 100_000 }, (_, n) => ({
    ...{
      index: n,
      name: `${n}.txt`,
      path: `/${n}.txt`,
      isDir: false,
      size: 1,
      type: 'text',
      extension: '.txt',
    },
    ...{ url: `/share/x/${n}.txt`, modified: new Date(0).toISOString() },
  }))
  await changeResponses(page, '**/api/public/share/**', (body) => {
    return { ...body, items, numDirs: 0, numFiles: items.length }
  })
  await page.reload()
  await page.getByRole('link', { name: '0.txt', exact: true }).waitFor()
  t.equal(await page.getByRole('grid').getAttribute('aria-rowcount'), '100002')
  t.ok((await page.locator('[data-part=row]').count()) < 100, 'only visible rows are in the document')
  await page.keyboard.press('End')
  await itemNamed(page, '99999.txt').waitFor()
  t.equal(await currentName(page), '99999.txt')
  t.ok((await page.locator('[data-part=row]').count()) < 100)
})

t.test(
  'a shared folder is shown as list or mosaic, with thumbnails, and the device stores the choice',
  async (t) => {
    const { page } = await visitor(t, '/gallery/')
    await page.getByRole('button', { name: 'Show as tiles' }).click()
    const faces = page.locator('[data-part=face] img')
    await faces.nth(1).waitFor()
    t.strictSame(
      await faces.evaluateAll((all) =>
        Promise.all(
          all.map((one) =>
            (one as HTMLImageElement).decode().then(() => (one as HTMLImageElement).naturalWidth),
          ),
        ),
      ),
      [300, 300],
    )
    await page.reload()
    await page.locator('[data-part=card]').first().waitFor()
    t.same(await violations(page), [])
  },
)

t.test('a visitor sorts a shared folder by each column', async (t) => {
  const { page } = await visitor(t, '/gallery/')
  await page.getByRole('link', { name: '5.bin' }).waitFor()
  const isAt = (index: number, name: string) =>
    page.locator(`[data-index="${index}"]`).getByRole('link', { name, exact: true }).waitFor()
  await isAt(1, '1.png')
  await page.getByRole('button', { name: 'Name' }).click()
  await isAt(1, 'read me.md')
  await isAt(7, '1.png')
  await page.getByRole('button', { name: 'Size' }).click()
  await isAt(1, '5.bin')
  await page.getByRole('link', { name: 'sub' }).click()
  await itemNamed(page, 'in.txt').waitFor()
  t.equal(
    await page.locator('[aria-sort=ascending]').textContent(),
    'Size',
    'the sort order is kept while the share is open',
  )
})

t.test('previous and next work in a shared folder by button and key', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/')
  await page.getByRole('link', { name: '1.png' }).click()
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  await heading('1.png')
  await page.getByText('1 of 4').waitFor()
  t.ok(await page.getByRole('button', { name: 'Previous' }).isDisabled())
  await page.getByRole('button', { name: 'Next' }).click()
  await heading('3.mp4')
  t.equal(page.url(), `${address}/share/${hash}/3.mp4`)
  await page.getByRole('button', { name: 'Next' }).click()
  await heading('4.png')
  await page.keyboard.press('ArrowRight')
  await heading('5.bin')
  await page.keyboard.press('ArrowLeft')
  await heading('4.png')
  t.same(await violations(page), [])
  for (const name of ['Rename', 'Delete', 'Info', 'Share', 'Search in this folder', 'Save'])
    t.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  await page.keyboard.press('Escape')
  await page.getByRole('grid', { name: 'Files' }).waitFor()
  t.equal(await currentName(page), '4.png', 'the file that was open is the current item')
  await page.goto(`${address}/share/${hash}/3.mp4`)
  await page.getByText('2 of 4').waitFor()
})

t.test('a shared film has its subtitles, and a shared Markdown text its pictures', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/')
  await page.getByRole('link', { name: '3.mp4' }).click()
  await page.waitForFunction(() => (document.querySelector('video')?.textTracks[0]?.cues?.length ?? 0) > 0)
  await page.goto(`${address}/share/${hash}/read%20me.md`)
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  t.equal(await page.locator('.lucide-square-pen').count(), 0, 'no sign says that it can be changed')
  const image = page.getByRole('img', { name: 'a picture' })
  await image.waitFor()
  t.equal(await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)), 300)
  t.equal(await page.getByRole('link', { name: 'the folder' }).getAttribute('href'), `/share/${hash}/sub/`)
  t.same(await violations(page), [])
})

t.test('a signed-in user who opens a share keeps the common layout, visitors get a plain one', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/', { isSignedIn: true })
  const side = page.locator('[data-part=side]')
  await itemNamed(page, '1.png').waitFor()
  await side.getByRole('link', { name: 'My files' }).waitFor()
  await side.getByRole('button', { name: 'Account: ann' }).waitFor()
  t.same(await violations(page), [])
  for (const key of ['Delete', 'F2', 'Control+x']) await page.keyboard.press(key)
  t.equal(await page.getByRole('dialog').count(), 0, 'a share cannot be changed')
  await itemNamed(page, '4.png').dblclick()
  await page.getByRole('heading', { name: '4.png' }).waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await side.getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'docs').waitFor()
  t.equal(
    await page.getByRole('link', { name: '1.png' }).count(),
    0,
    'the user can return to their own files',
  )
  await itemNamed(page, 'a b#?.txt').dblclick()
  await page.getByRole('heading', { name: 'a b#?.txt' }).waitFor()
  t.equal(page.url(), `${address}/files/a%20b%23%3F.txt`)
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${address}/share/${hash}`)
  await itemNamed(page, '1.png').waitFor()
  t.equal(await page.locator('[data-part=side]').count(), 0)
  await page.goto(`${address}/share/nothing`)
  await page.getByRole('alert').getByText("This link doesn't exist or has expired.").waitFor()
})

t.test("an action started in the user's own files does not affect a share opened meanwhile", async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/', { isSignedIn: true, isOwn: true })
  await page.locator('[data-part=side]').getByRole('link', { name: 'My files' }).click()
  await itemNamed(page, 'docs').waitFor()
  const made = await delayResponses(page, '**/api/resources/new/', 'POST')
  await chooseNew(page, 'New folder')
  await page.getByRole('dialog').getByLabel('Name').fill('new')
  await page.keyboard.press('Enter')
  await made.waitForCalls()
  await page.evaluate((url) => history.pushState(null, '', url), `/share/${hash}`)
  await itemNamed(page, '1.png').waitFor()
  made.release()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await itemNamed(page, '4.png').dblclick()
  await page.getByRole('heading', { name: '4.png' }).waitFor()
  t.equal(page.url(), `${address}/share/${hash}/4.png`)
})

t.test('a Markdown text that is shared alone has no links to other files', async (t) => {
  const { page } = await visitor(t, '/gallery/read me.md')
  await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'the folder' }).count(), 0)
  t.equal(await page.getByRole('img', { name: 'a picture' }).count(), 0)
})

t.test('the page of a share requests sort order and subtitles in its own language', async (t) => {
  const { page } = await visitor(t, '/gallery/', { isSignedIn: true, isOwn: true })
  await itemNamed(page, '1.png').waitFor()
  await changePreferences(page, { locale: 'de' })
  const asked = page.waitForRequest('**/api/public/share/**')
  await page.reload()
  t.equal((await asked).headers()['accept-language'], 'de')
})

t.test('a shared folder can be used by keyboard alone', async (t) => {
  const { page } = await visitor(t, '/gallery/')
  await itemNamed(page, '1.png').waitFor()
  for (let n = 0; n < 30 && !(await page.evaluate(() => document.activeElement?.role === 'grid')); n++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowDown')
  t.strictSame(await selectedNames(page), ['1.png'])
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await itemNamed(page, 'in.txt').waitFor()
  await page.keyboard.press('Backspace')
  await itemNamed(page, '1.png').waitFor()
  t.equal(await currentName(page), 'sub')
})

t.test('any number of items can be downloaded with a short archive address', async (t) => {
  const { page, address } = await visitor(t, '/docs/')
  const download = page.getByRole('link', { name: 'Download folder' })
  t.ok(await showsCode(page, new URL((await download.getAttribute('href')) ?? '', address).href))
  const items = Array.from({ length: 800 }, (_, n) => ({
    ...{
      index: n,
      name: `${n} ${'long '.repeat(12)}.txt`,
      path: `/${n}`,
      isDir: false,
      size: 1,
      type: 'text',
    },
    ...{ url: '', modified: new Date().toISOString() },
  }))
  await changeResponses(page, '**/api/public/share/**', (body) => ({ ...body, items }))
  await page.reload()
  await page.getByRole('link', { name: items[0]?.name ?? '', exact: true }).waitFor()
  await page.keyboard.press('Control+a')
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url().endsWith('/api/public/selection')) statuses.push(response.status())
  })
  await page
    .getByRole('toolbar', { name: 'Actions' })
    .getByRole('button', { name: /^Download/ })
    .click()
  const pending = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: '.zip', exact: true }).click()
  t.match((await pending).url(), /\?algo=zip&selection=[\w-]{22}$/)
  t.strictSame(statuses, [200, 200], 'a visitor sends at most 64 KiB per request')
})

t.test(
  'a shared song is played, and the next one of its folder after it, while the visitor goes on',
  async (t) => {
    const { page } = await visitor(t, '/docs/')
    await page.getByRole('link', { name: 'tone.wav' }).click()
    await page.getByRole('slider', { name: 'Position' }).waitFor()
    await page
      .getByRole('button', { name: 'Pause' })
      .or(page.getByRole('button', { name: 'Play' }))
      .waitFor()
    t.same(await violations(page), [])
    await page.keyboard.press('Escape')
    const player = page.getByRole('region', { name: 'Player' })
    await player.getByRole('link', { name: 'tone.wav' }).waitFor()
    t.match(
      await player.getByRole('link', { name: 'tone.wav' }).getAttribute('href'),
      /\/share\/.*\/tone\.wav$/,
    )
    await player.getByRole('button', { name: 'Close the player' }).click()
    await player.waitFor({ state: 'detached' })
  },
)

t.test('a visitor searches a shared folder and everything in it', async (t) => {
  const { page, address, hash } = await visitor(t, '/gallery/')
  await itemNamed(page, '1.png').waitFor()
  await page.keyboard.press('Control+f')
  const dialog = page.getByRole('dialog', { name: 'Search in gallery' })
  await dialog.getByRole('combobox').fill('in TXT')
  await dialog.getByText('1 result', { exact: true }).waitFor()
  t.same(await violations(page, '[role=dialog]'), [])
  await page.keyboard.press('Enter')
  await textOf(page, 'in.txt').getByText('deeper').waitFor()
  t.equal(page.url(), `${address}/share/${hash}/sub/in.txt`)
})
