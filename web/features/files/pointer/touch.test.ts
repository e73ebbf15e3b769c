import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, start, visibleNames } from '#web/testing/browser.ts'
import { noticed } from '#web/testing/notices.ts'

t.teardown(closeBrowser)

const phone = { viewport: { width: 390, height: 800 }, hasTouch: true }

type Point = readonly [x: number, y: number]

/** The middle of an item. */
async function middleOf(page: Page, name: string): Promise<Point> {
  const { x, y, width, height } = (await itemNamed(page, name).boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  }
  return [x + width / 2, y + height / 2]
}

/** One finger on the screen. */
function finger(client: CDPSession) {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    client.send('Input.dispatchTouchEvent', { type, touchPoints })
  return {
    down: ([x, y]: Point) => send('touchStart', [{ x, y }]),
    /** Moves in steps, as fingers do. */
    async move(from: Point, to: Point) {
      for (let n = 1; n <= 8; n++) {
        const at = (k: 0 | 1) => from[k] + ((to[k] - from[k]) * n) / 8
        await send('touchMove', [{ x: at(0), y: at(1) }])
      }
    },
    up: () => send('touchEnd', []),
  }
}

t.test('after a long press, the finger drags the selection onto a folder', async (t) => {
  const { page } = await start(t, { to: {}, 'a.txt': 'a', 'b.txt': 'b' }, phone)
  await page.getByRole('button', { name: 'More' }).waitFor()
  const hand = finger(await page.context().newCDPSession(page))
  const [from, to] = [await middleOf(page, 'a.txt'), await middleOf(page, 'to')]
  await hand.down(from)
  await page.locator('[data-index][aria-selected=true]').waitFor()
  // The press itself takes its time.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
  await hand.move(from, to)
  await page.locator('[data-drop-here]').waitFor()
  await hand.up()
  await noticed(page, 'Moved ')
  await itemNamed(page, 'a.txt').waitFor({ state: 'detached' })
  t.same(await visibleNames(page), ['to', 'b.txt'])
})

t.test('a finger that moves at once scrolls, and drags nothing', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f${100 + n}`, '']))
  const { page } = await start(t, { to: {}, ...many }, phone)
  await page.getByRole('button', { name: 'More' }).waitFor()
  const hand = finger(await page.context().newCDPSession(page))
  const from = await middleOf(page, 'f105')
  await hand.down(from)
  await hand.move(from, [from[0], from[1] - 250])
  await hand.up()
  await page.waitForFunction(() => (document.querySelector('[data-part=list]')?.scrollTop ?? 0) > 100)
  t.equal(await page.locator('[data-dragging], [aria-selected=true]').count(), 0)
})

t.test('pulling the list down loads the folder again', async (t) => {
  const { page, root } = await start(t, { 'a.txt': 'a' }, phone)
  await page.getByRole('button', { name: 'More' }).waitFor()
  // Without the events of the server, only a new request shows the file.
  await page.route('**/api/events*', (route) => route.abort())
  await page.reload()
  await page.getByRole('button', { name: 'More' }).waitFor()
  await writeFile(path.join(root, 'b.txt'), '')
  const hand = finger(await page.context().newCDPSession(page))
  const from = await middleOf(page, 'a.txt')
  await hand.down(from)
  await hand.move(from, [from[0], from[1] + 60])
  t.equal(await page.locator('[data-part=pull]').count(), 1)
  await hand.up()
  await page.locator('[data-part=pull]').waitFor({ state: 'detached' })
  t.same(await visibleNames(page), ['a.txt'], 'a short pull does nothing')
  await hand.down(from)
  await hand.move(from, [from[0], from[1] + 200])
  await page.locator('[data-part=pull][data-far]').waitFor()
  await hand.up()
  await itemNamed(page, 'b.txt').waitFor()
  await page.locator('[data-part=pull]').waitFor({ state: 'detached' })
})

t.test('on a touch screen, the list shows a focus ring only while a keyboard moves in it', async (t) => {
  const { page } = await start(t, { 'a.txt': 'a', 'b.txt': 'b' }, { ...phone, isMobile: true })
  await page.getByRole('grid').and(page.locator(':focus')).waitFor()
  const ring = () =>
    page.locator('[data-part=row][data-current]').evaluate((one) => getComputedStyle(one).outlineStyle)
  t.equal(await ring(), 'none')
  await page.keyboard.press('ArrowDown')
  t.equal(await ring(), 'solid')
})
