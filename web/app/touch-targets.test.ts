import type { Page } from 'playwright-core'
import t from 'tap'
import { variants } from '#src/testing/long.ts'
import { asPng, plain } from '#src/testing/pictures.ts'
import { changePreferences, closeBrowser, itemNamed, start } from '#web/testing/browser.ts'
import { settle } from '#web/testing/call.ts'
import { silence } from '#web/testing/silence.ts'

t.teardown(closeBrowser)

/**
 * Lists the controls that a finger meets on less than 44 pixels in one direction, with what it meets. Around the middle of a
 * control, everything within that distance must belong to it: itself, its label, or the line that it stands for.
 */
async function small(page: Page): Promise<string[]> {
  await settle(page)
  return page.evaluate(() => {
    const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [data-check]'
    const roles = '[role=button], [role=menuitem], [role=menuitemcheckbox], [role=option], [role=treeitem]'
    const all = `${controls}, ${roles}`
    const lines = 'label, [data-index], [role=option], [role=treeitem]'
    /** How far a finger can be from the middle of `one` in this direction and still meet it, in pixels. */
    const reach = (one: Element, x: number, y: number, [dx, dy]: readonly [number, number]) => {
      let way = 0
      while (way < 60 && isMet(one, x + dx * way, y + dy * way)) way++
      return way
    }
    const isMet = (one: Element, x: number, y: number) => {
      const met = document.elementFromPoint(x, y)?.closest(`${all}, ${lines}`)
      if (!met) return false
      const { control } = met.closest('label') ?? {}
      return one.contains(met) || control === one || (met.matches(lines) && met.contains(one))
    }
    const sizes = [...document.querySelectorAll(all)].flatMap((one) => {
      if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return []
      one.scrollIntoView({ block: 'center', inline: 'nearest' })
      const { left, top, width, height } = one.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      // Covered by a dialog, or not for fingers.
      if (!isMet(one, x, y)) return []
      const sum = (...ways: [number, number][]) =>
        ways.reduce((total, way) => total + reach(one, x, y, way), 0)
      const size = [sum([-1, 0], [1, 0]), sum([0, -1], [0, 1])] as const
      const name = one.ariaLabel || one.textContent || one.outerHTML.slice(0, 60)
      // The edge between two controls belongs to one of them.
      return Math.min(...size) < 43 ? [`${name}: ${size.join(' × ')}`] : []
    })
    return [...new Set(sizes)]
  })
}

const files = {
  docs: { deep: { deeper: { deepest: { 'end of it': { 'a.txt': 'a' } } } } },
  other: {},
  'a.png': asPng(plain(60, 40, [200, 80, 0])),
  'b.png': asPng(plain(40, 60, [0, 80, 200])),
  'c.wav': silence(60),
  'notes.txt': 'some text',
}

const pages = [
  '/files/docs/deep/deeper/deepest/end%20of%20it/',
  '/files/notes.txt',
  '/files/a.png',
  '/files/c.wav',
  '/recent',
  '/starred',
  '/trash',
  '/settings/profile',
  '/settings/global',
  '/settings/shares',
  '/settings/users',
  '/settings/users/new',
  '/settings/doctor',
  '/settings/audit',
]

for (const [width, height] of variants([
  [390, 844],
  [834, 1112],
] as const)) {
  const touch = {
    viewport: { width, height },
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  } as const

  t.test(`a finger meets every control of each page on 44 pixels, ${width} pixels wide`, async (t) => {
    const { page, address } = await start(t, files, touch)
    await page.getByRole('button', { name: 'More' }).waitFor()
    t.same(await small(page), [], 'the list')
    for (const path of pages) {
      await page.goto(address + path)
      await page.locator('h1, h2, [data-index]').filter({ visible: true }).first().waitFor()
      t.same(await small(page), [], path)
    }
  })

  t.test(
    `a finger meets every control of menus and dialogs on 44 pixels, ${width} pixels wide`,
    async (t) => {
      const { page } = await start(t, files, touch)
      await changePreferences(page, { askBeforeTrash: true })
      await page.getByRole('button', { name: 'More' }).waitFor()
      await page.getByRole('button', { name: 'Show as tiles' }).click()
      await page.locator('[data-part=card]').first().waitFor()
      t.same(await small(page), [], 'the mosaic')
      await page.getByRole('button', { name: 'Show as list' }).click()
      await itemNamed(page, 'docs').locator('[data-check]').tap()
      await itemNamed(page, 'notes.txt').locator('[data-check]').tap()
      const bar = page.locator('[data-part=selection]')
      t.same(await small(page), [], 'the selection')
      const choose = async (name: string) => {
        await bar.getByRole('button', { name: 'More' }).tap()
        t.same(await small(page), [], 'the menu')
        await page.getByRole('menuitem', { name, exact: true }).tap()
      }
      await choose('Info')
      await page.locator('[data-part=details] dl').waitFor()
      t.same(await small(page), [], 'Info')
      await page.locator('[data-part=details]').getByRole('button', { name: 'Close' }).tap()
      const dialog = page.getByRole('dialog')
      for (const name of ['Rename…', 'Move to…', 'Delete', 'Preview']) {
        await choose(name)
        await dialog.getByRole('button').last().waitFor()
        t.same(await small(page), [], name)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
      await bar.getByRole('button', { name: 'Clear selection' }).tap()
      for (const key of ['Control+f', 'Control+k', 'F1']) {
        await page.keyboard.press(key)
        await dialog.getByRole('heading').first().waitFor()
        t.same(await small(page), [], key)
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
    },
  )
}
