import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, selectedNames, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

const settled = { state: 'detached' } as const
const handle = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

/**
 * Moves the pointer onto one element after the other. It moves in steps, because browsers report a drag over an element
 * only on further moves.
 */
async function onto(page: Page, ...targets: Locator[]): Promise<void> {
  // All places are known before the first move, so that the pointer does not rest on the targets on the way.
  const places = await Promise.all(targets.map((target) => target.boundingBox()))
  for (const [index, place] of places.entries()) {
    const { x, y, width, height } = place ?? { x: 0, y: 0, width: 0, height: 0 }
    const steps = index < places.length - 1 ? [1, 0] : [3, 2, 1, 0]
    for (const step of steps) await page.mouse.move(x + width / 2 - step, y + height / 2)
  }
}

async function grab(page: Page, name: string): Promise<void> {
  await onto(page, handle(page, name))
  await page.mouse.down()
}

t.test(
  'a folder under a resting drag opens, so does the next one in it, and it accepts the drop',
  async (t) => {
    const { page, root } = await start(t, { one: { two: { 'old.txt': '' }, zoo: {} }, 'a.txt': 'a' })
    await page.getByRole('button', { name: 'Info' }).waitFor()
    await grab(page, 'a.txt')
    await onto(page, itemNamed(page, 'one'))
    await itemNamed(page, 'two').waitFor()
    await itemNamed(page, 'zoo').waitFor()
    await onto(page, itemNamed(page, 'zoo'), itemNamed(page, 'two'))
    await itemNamed(page, 'old.txt').waitFor()
    await onto(page, itemNamed(page, 'old.txt'))
    await page.locator('[data-part=files][data-drop-here]').waitFor()
    await page.mouse.up()
    await itemNamed(page, 'a.txt').and(page.locator('[aria-selected=true]')).waitFor()
    t.same(await selectedNames(page), ['a.txt'])
    t.ok(existsSync(path.join(root, 'one/two/a.txt')) && !existsSync(path.join(root, 'a.txt')))
    t.equal(await page.locator('[data-drop-here], [data-dragging]').count(), 0)
  },
)

t.test('cards and breadcrumbs open under a resting drag, too, and Escape moves nothing', async (t) => {
  const { page, root } = await start(t, { one: { deep: {}, 'in.txt': '' }, 'a.txt': '' })
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card]').first().waitFor()
  await itemNamed(page, 'one').dblclick()
  await itemNamed(page, 'in.txt').waitFor()
  await grab(page, 'in.txt')
  await onto(page, page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link').first())
  await itemNamed(page, 'a.txt').waitFor()
  await onto(page, itemNamed(page, 'a.txt'))
  await page.locator('[data-part=files][data-drop-here]').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[data-drop-here]').waitFor(settled)
  await page.mouse.up()
  await itemNamed(page, 'one').dblclick()
  await itemNamed(page, 'in.txt').waitFor()
  t.same((await readdir(path.join(root, 'one'))).toSorted(), ['deep', 'in.txt'])
})
