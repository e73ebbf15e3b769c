import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { asJpeg, asPng, painted } from '#src/testing/pictures.ts'
import { closeBrowser, itemNamed, start, untilQuiet, violations } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const picture = asPng(painted(60, 40, (x, y) => [x * 4, y * 6, 90, 255]))
const pictures = { 'a.png': picture, 'b.png': picture, 'c.png': picture, 'notes.txt': 'no picture', to: {} }
const open = { path: '/files/a.png', reducedMotion: 'reduce' } as const

const onlyNames = async (folder: string) =>
  (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()

t.test('after deleting or moving a picture, the viewer goes on to the next one', async (t) => {
  const { page, root } = await start(t, pictures, open)
  const shows = (name: string) => page.getByRole('main', { name }).locator('img[alt]').first().waitFor()
  await shows('a.png')
  await page.getByRole('navigation', { name: 'Film strip' }).waitFor()
  await page.keyboard.press('Delete')
  await shows('b.png')
  t.equal(new URL(page.url()).pathname, '/files/b.png')
  await noticed(page, 'a.png')
  await page.getByText('1 of 2').waitFor()
  await page.getByRole('button', { name: 'Move to…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('treeitem', { name: 'to' }).click()
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await shows('c.png')
  t.same(await onlyNames(`${root}/to`), ['b.png'])
  await page.keyboard.press('Delete')
  // After the last picture, the folder is shown.
  await page.waitForURL('**/files/')
  await itemNamed(page, 'to').waitFor()
  t.same(await onlyNames(root), ['notes.txt', 'to'])
  await page.keyboard.press('Control+z')
  await itemNamed(page, 'c.png').waitFor()
})

t.test('on a phone, all actions of a picture are buttons or in the menu More', async (t) => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
  const { page, root } = await start(t, pictures, { ...open, ...phone })
  const tools = page.getByRole('toolbar', { name: 'Actions' })
  await tools.getByRole('button', { name: 'Add to starred' }).tap()
  await tools.getByRole('button', { name: 'Remove from starred' }).tap()
  await tools.getByRole('button', { name: 'Add to starred' }).waitFor()
  const lines = await tools
    .getByRole('button')
    .evaluateAll((all) => new Set(all.map((one) => one.getBoundingClientRect().top)).size)
  t.equal(lines, 1, 'the buttons are on one line')
  await tools.getByRole('button', { name: 'Share' }).tap()
  await page.getByRole('dialog', { name: /Share/ }).getByRole('button', { name: 'Close' }).tap()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const choose = async (name: string) => {
    await tools.getByRole('button', { name: 'More' }).tap()
    await page.getByRole('menuitem', { name }).tap()
  }
  await page.getByRole('navigation', { name: 'Film strip' }).waitFor()
  await choose('Film strip')
  await page.getByRole('navigation', { name: 'Film strip' }).waitFor({ state: 'detached' })
  await choose('Move to')
  await page.getByRole('dialog').getByRole('treeitem', { name: 'to' }).tap()
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).tap()
  await page.getByRole('main', { name: 'b.png' }).waitFor()
  t.same(await onlyNames(`${root}/to`), ['a.png'])
})

t.test('the film strip shows the pictures of the folder, goes to them, and can be hidden', async (t) => {
  const one = { 'x.png': picture, 'y.pdf': '%PDF-1.4' }
  const { page } = await start(t, { ...pictures, one }, open)
  const strip = page.getByRole('navigation', { name: 'Film strip' })
  await strip.getByRole('link', { name: 'c.png' }).waitFor()
  t.equal(await strip.getByRole('link').count(), 3, 'without texts and folders')
  t.equal(await strip.getByRole('link', { name: 'a.png' }).getAttribute('aria-current'), 'true')
  t.same(await violations(page), [])
  await strip.getByRole('link', { name: 'c.png' }).click()
  await page.getByRole('main', { name: 'c.png' }).waitFor()
  await strip
    .locator('[aria-current]')
    .and(page.getByRole('link', { name: 'c.png' }))
    .waitFor()
  await page.keyboard.press('t')
  await strip.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: 'Film strip', pressed: false }).click()
  await strip.waitFor()
  await page.goto(new URL('/files/one/x.png', page.url()).href)
  await page.getByText('1 of 2').waitFor()
  const button = page.getByRole('button', { name: 'Film strip' })
  t.equal(await button.count(), 0, 'it is not offered beside a single picture')
  await page.keyboard.press('t')
  await page.keyboard.press('PageDown')
  await page.getByRole('main', { name: 'y.pdf' }).waitFor()
  t.equal(await strip.count(), 0)
})

t.test('of thousands of pictures, only the visible ones are in the film strip', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`p${1000 + n}.png`, '']))
  const { page } = await start(t, { ...many, 'p1500.png': picture }, { ...open, path: '/files/p1500.png' })
  const strip = page.getByRole('navigation', { name: 'Film strip' })
  await strip.locator('[aria-current]').waitFor()
  t.ok((await strip.getByRole('link').count()) < 60)
  const box = await strip.locator('[aria-current]').boundingBox()
  t.ok(box && box.x > 300 && box.x < 900, 'the shown picture is in the middle')
})

t.test('a slide show goes through the pictures, waits on Space, and ends on Escape', async (t) => {
  const { page } = await start(t, pictures, open)
  await page.getByRole('button', { name: 'Slide show' }).waitFor()
  await untilQuiet(page)
  await page.clock.install()
  await page.keyboard.press('s')
  await page.getByRole('button', { name: 'Pause slide show' }).waitFor()
  for (const name of ['b.png', 'c.png', 'a.png']) {
    await page.clock.fastForward(5100)
    await page.getByRole('main', { name }).waitFor()
  }
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Slide show', exact: true }).waitFor()
  await page.clock.fastForward(20_000)
  t.equal(await page.getByRole('main', { name: 'a.png' }).count(), 1)
  await page.keyboard.press('Space')
  await page.clock.fastForward(5100)
  await page.getByRole('main', { name: 'b.png' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Slide show', exact: true }).waitFor()
  t.equal(await page.getByRole('main', { name: 'b.png' }).count(), 1, 'the picture stays open')
  await page.keyboard.press('Escape')
  await itemNamed(page, 'notes.txt').waitFor()
})

t.test('closing the viewer ends the slide show', async (t) => {
  const { page } = await start(t, pictures, open)
  await page.getByRole('button', { name: 'Slide show' }).click()
  await page.getByRole('button', { name: 'Pause slide show' }).waitFor()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await itemNamed(page, 'a.png').dblclick()
  await page.getByRole('button', { name: 'Slide show', exact: true }).waitFor()
})

t.test('a running slide show asks the device to keep the screen on', async (t) => {
  const { page } = await start(t, pictures, open)
  // The browser of the tests has no screen and refuses, so that the requests are recorded.
  await page.addInitScript(() => {
    const request = navigator.wakeLock.request.bind(navigator.wakeLock)
    const asked: string[] = []
    Object.assign(globalThis, { asked })
    navigator.wakeLock.request = (type = 'screen') => {
      asked.push(type)
      return request(type)
    }
  })
  await page.reload()
  const asked = () => page.evaluate(() => (globalThis as unknown as { asked: string[] }).asked)
  await page.getByRole('button', { name: 'Slide show' }).click()
  await page.getByRole('button', { name: 'Pause slide show' }).waitFor()
  t.same(await asked(), ['screen'])
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Slide show', exact: true }).waitFor()
  t.same(await asked(), ['screen'])
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'Pause slide show' }).waitFor()
  t.same(await asked(), ['screen', 'screen'])
})

t.test('a turned JPEG is saved without loss, and Undo turns it back', async (t) => {
  const wide = await asJpeg(painted(60, 30, (x, y) => [x * 4, y * 8, 90, 255]))
  const { page, root } = await start(
    t,
    { 'a.jpg': wide, 'b.png': picture },
    { ...open, path: '/files/a.jpg' },
  )
  const shape = () =>
    page
      .getByRole('main')
      .getByRole('img', { name: 'a.jpg' })
      .evaluate(async (image: HTMLImageElement) => {
        await image.decode()
        return [image.naturalWidth, image.naturalHeight]
      })
  await page.getByRole('button', { name: 'Rotate view' }).click()
  await page.getByRole('button', { name: 'Save rotation' }).click()
  await noticed(page, 'Rotated ')
  await page.getByRole('button', { name: 'Save rotation' }).waitFor({ state: 'detached' })
  t.same(await shape(), [30, 60], 'browsers follow the orientation')
  const saved = await readFile(`${root}/a.jpg`)
  t.ok(saved.includes(wide.subarray(20)), 'the pixels are the same')
  await page.getByRole('button', { name: 'Undo' }).click()
  await noticed(page, 'Undone')
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('main img[alt="a.jpg"]')?.naturalWidth === 60,
  )
  t.same(await readFile(`${root}/a.jpg`), wide)
  await page.goto(`${new URL(page.url()).origin}/files/b.png`)
  await page.getByRole('button', { name: 'Rotate view' }).click()
  t.equal(await page.getByRole('button', { name: 'Save rotation' }).count(), 0, 'a PNG has no orientation')
})
