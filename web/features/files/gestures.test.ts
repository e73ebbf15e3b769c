import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start, visibleNames } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const
type Page = Awaited<ReturnType<typeof start>>['page']

/** The vertical centre of an item, at a fraction of its width. */
async function placeOn(page: Page, name: string, across = 0.5) {
  const box = (await itemNamed(page, name).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return [box.x + box.width * across, box.y + box.height / 2] as const
}

async function touch(page: Page, name: string, holdMs: number) {
  const [x, y] = await placeOn(page, name)
  const client = await page.context().newCDPSession(page)
  await client.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  // The duration of the touch is part of the test.
  if (holdMs > 0) await page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), holdMs)
  await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

t.test('a selection box selects the items it touches, and Escape cancels it', async (t) => {
  const { page } = await start(t, { 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '', 'e.txt': '' })
  await page.getByRole('button', { name: 'More' }).waitFor()
  await page.mouse.move(...(await placeOn(page, 'b.txt')))
  await page.mouse.down()
  await page.mouse.move(...(await placeOn(page, 'c.txt', 0.6)))
  await page.mouse.move(...(await placeOn(page, 'd.txt', 0.6)))
  await page.locator('[data-part=marquee]').waitFor()
  await page.locator('[data-index="3"][aria-selected=true]').waitFor()
  t.same(await selectedNames(page), ['b.txt', 'c.txt', 'd.txt'])
  await page.mouse.move(...(await placeOn(page, 'c.txt', 0.6)))
  await page.locator('[data-index="3"][aria-selected=false]').waitFor()
  await page.mouse.up()
  t.same(await selectedNames(page), ['b.txt', 'c.txt'], 'releasing the button is not a click')
  await page.keyboard.down('Control')
  await page.mouse.move(...(await placeOn(page, 'e.txt')))
  await page.mouse.down()
  await page.mouse.move(...(await placeOn(page, 'e.txt', 0.6)))
  await page.locator('[data-index="4"][aria-selected=true]').waitFor()
  await page.mouse.up()
  await page.keyboard.up('Control')
  t.same(await selectedNames(page), ['b.txt', 'c.txt', 'e.txt'], 'with Ctrl, the box adds items')
  await page.mouse.move(...(await placeOn(page, 'a.txt')))
  await page.mouse.down()
  await page.mouse.move(...(await placeOn(page, 'a.txt', 0.6)))
  await page.locator('[data-index="0"][aria-selected=true]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-part=marquee]').waitFor(settled)
  await page.mouse.up()
  t.same(await selectedNames(page), ['b.txt', 'c.txt', 'e.txt'])
})

t.test('a selection box scrolls the list at its edges and keeps items that scroll out of view', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${1000 + n}`, '']))
  const { page } = await start(t, many)
  await page.getByRole('button', { name: 'More' }).waitFor()
  await page.mouse.move(...(await placeOn(page, 'f1001')))
  await page.mouse.down()
  await page.mouse.move(700, 500)
  await page.mouse.move(700, 795)
  await itemNamed(page, 'f1199').waitFor()
  await page.locator('[data-index="199"][aria-selected=true]').waitFor()
  await page.mouse.up()
  t.match(await page.locator('main').getByRole('status').first().textContent(), '199 of 200 selected')
})

t.test('a selection box selects cards', async (t) => {
  const tree = { folder: {}, 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '' }
  // The first press during the fade between the views ends the fade and starts no box.
  const { page } = await start(t, tree, { reducedMotion: 'reduce' })
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  const last = page.locator('[data-part=card]').last()
  await last.waitFor()
  const box = (await last.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const first = (await itemNamed(page, 'a.txt').boundingBox()) ?? box
  await page.getByRole('button', { name: 'More' }).waitFor()
  await page.mouse.move(first.x + 50, box.y + box.height + 60)
  await page.mouse.down()
  await page.mouse.move(first.x + 60, first.y + 30)
  await page.mouse.move(first.x + 40, first.y + 20)
  await page.locator('[data-index="1"][aria-selected=true]').waitFor()
  await page.mouse.up()
  t.ok((await selectedNames(page)).includes('a.txt') && !(await selectedNames(page)).includes('folder'))
})

t.test('in multiple selection, every click toggles an item until the selection is cleared', async (t) => {
  const { page } = await start(t, { folder: {}, 'a.txt': '', 'b.txt': '' })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Select multiple' }).click()
  await page.getByText('Multiple selection is on').waitFor()
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click()
  t.same(await selectedNames(page), ['a.txt', 'b.txt'])
  await itemNamed(page, 'a.txt').click()
  t.same(await selectedNames(page), ['b.txt'])
  await page.getByRole('button', { name: 'Clear selection' }).click()
  t.same(await selectedNames(page), [])
  await itemNamed(page, 'a.txt').click()
  await itemNamed(page, 'b.txt').click()
  t.same(await selectedNames(page), ['b.txt'], 'a click selects one item again')
})

t.test('a tap opens; a long press selects, and then taps add items', async (t) => {
  const { page } = await start(
    t,
    { folder: { 'in.txt': '' }, other: {}, 'a.txt': '' },
    { viewport: { width: 390, height: 800 }, hasTouch: true },
  )
  await page.getByRole('button', { name: 'More' }).waitFor()
  await touch(page, 'folder', 700)
  t.same(await selectedNames(page), ['folder'])
  await touch(page, 'other', 0)
  await page.locator('[data-index="1"][aria-selected=true]').waitFor()
  t.same(await selectedNames(page), ['folder', 'other'], 'further taps add items')
  t.equal(await page.getByRole('menu').count(), 0)
  await page.getByRole('button', { name: 'Clear selection' }).click()
  await touch(page, 'folder', 0)
  await itemNamed(page, 'in.txt').waitFor()
  t.same(await selectedNames(page), [])
  await page.goBack()
  await itemNamed(page, 'other').waitFor()
  t.same(await visibleNames(page), ['folder', 'other', 'a.txt'], 'the folder was opened only once')
})

/** Opens a list that scrolls, with the pointer on a line. */
async function inLongList(t: Parameters<typeof start>[0]) {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${1000 + n}.txt`, `${n}`]))
  const { page } = await start(t, many)
  await page.getByRole('button', { name: 'More' }).waitFor()
  const [x, y] = await placeOn(page, 'f1005.txt', 0.1)
  await page.mouse.move(x, y)
  /** Scrolls with the wheel, and resolves when the list has moved. */
  const scroll = async () => {
    await page.mouse.wheel(0, 132)
    await page.waitForFunction(() => (document.querySelector('[data-part=list]')?.scrollTop ?? 0) > 40)
  }
  return { page, scroll }
}

t.test('a double click opens the item of its first press, even if the list scrolls in between', async (t) => {
  const { page, scroll } = await inLongList(t)
  await page.mouse.down({ clickCount: 1 })
  await page.mouse.up({ clickCount: 1 })
  await scroll()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await page.getByRole('main', { name: 'f1005.txt' }).waitFor()
})

t.test('a line accepts clicks while the list scrolls', async (t) => {
  const { page, scroll } = await inLongList(t)
  await page.evaluate(() => {
    const list = document.querySelector('[data-part=list]')
    // The browser may delay a real click, so the test dispatches one in the frame of the scrolling.
    list?.addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(press)), {
      once: true,
    })
    function press() {
      const { left, top } = list?.getBoundingClientRect() ?? { left: 0, top: 0 }
      document
        .elementFromPoint(left + 300, top + 200)
        ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }))
    }
  })
  await scroll()
  await page.locator('[data-index][aria-selected=true]').waitFor()
  t.equal((await selectedNames(page)).length, 1)
})

t.test('a dragged line scrolls into view when the button is released', async (t) => {
  const { page } = await inLongList(t)
  const cut = await page.locator('[data-part=list]').evaluate((list) => {
    const { bottom } = list.getBoundingClientRect()
    const lines = [...list.querySelectorAll('[data-part=row]')]
    const line = lines.find((one) => one.getBoundingClientRect().bottom > bottom + 4)
    const { left = 0, top = 0 } = line?.querySelector('a')?.getBoundingClientRect() ?? {}
    return { x: left + 4, y: Math.min(top + 4, bottom - 2), index: line?.getAttribute('data-index') }
  })
  const offset = () => page.locator('[data-part=list]').evaluate(({ scrollTop }) => scrollTop)
  await page.mouse.move(cut.x, cut.y)
  await page.mouse.down()
  await page.mouse.move(cut.x + 40, cut.y - 40, { steps: 4 })
  await page.locator(`[data-index="${cut.index}"][aria-selected=true]`).waitFor()
  t.equal(await offset(), 0, 'the list has not moved')
  await page.mouse.up()
  await page.waitForFunction(() => (document.querySelector('[data-part=list]')?.scrollTop ?? 0) > 0)
})

t.test('a double click on the last, half-visible line of a narrow window opens it', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${1000 + n}.txt`, `${n}`]))
  const { page } = await start(t, many, { viewport: { width: 390, height: 800 } })
  await itemNamed(page, 'f1000.txt').waitFor()
  const edge = await page.locator('[data-part=list]').evaluate((list) => {
    const { left, bottom } = list.getBoundingClientRect()
    const y = bottom - 5
    const line = document.elementFromPoint(left + 120, y)?.closest('[data-index]')
    return { x: left + 120, y, name: line?.querySelector('a')?.dataset.full ?? '' }
  })
  await page.mouse.move(edge.x, edge.y)
  await page.mouse.down({ clickCount: 1 })
  await page.mouse.up({ clickCount: 1 })
  await page.locator('[data-index][aria-selected=true]').waitFor()
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
  await page.getByRole('main', { name: edge.name }).waitFor()
})
