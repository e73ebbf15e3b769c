import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { asPng, painted } from '#src/testing/pictures.ts'
import { closeBrowser, openPage, start } from '#web/testing/browser.ts'
import { callerOf, settle } from '#web/testing/call.ts'
import { createShare } from '#web/testing/link.ts'
import { widths } from '#web/testing/widths.ts'

t.teardown(closeBrowser)

const files = {
  folder: { deep: {} },
  [`${'long '.repeat(30)}.txt`]: 'x',
  'a.txt': 'text',
  'b.md': '# Title\n',
  'c.png': asPng(painted(60, 40, (x, y) => [x * 4, y * 6, 90, 255])),
  'd.bin': Buffer.alloc(2000),
  'old.txt': 'x',
}

/**
 * Names the controls that are covered by another control or lie outside the window, and says if anything is wider than
 * the window. What scrolls below a fixed part is not covered: it can be scrolled out.
 */
function misplaced(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const controls = 'a, button, input, select, textarea, summary'
    const isAside = (one: Element | null): boolean => {
      if (!one) return false
      const { position, overflowX } = getComputedStyle(one)
      const scrolls = overflowX === 'auto' && one.scrollWidth > one.clientWidth
      // The page of a file is fixed, too, and fills the window.
      const isBar = /fixed|sticky/.test(position) && one.clientHeight < innerHeight / 2
      return isBar || scrolls || isAside(one.parentElement)
    }
    const nameOf = (one: Element) => one.ariaLabel || one.textContent || one.outerHTML.slice(0, 60)
    const isOutside = ({ left, right }: DOMRect) => left < -1 || right > innerWidth + 1
    /** The other control in the middle of this one. */
    const coverOf = (one: Element, { left, right, top, bottom }: DOMRect) => {
      const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest(controls)
      const isOwn =
        !there || there.contains(one) || one.contains(there) || one.closest('label')?.contains(there)
      return isOwn || isAside(there) ? undefined : there
    }
    const all = [...document.querySelectorAll(controls)]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((one) => !one.closest('[inert]') && !isAside(one))
      .map((one) => ({ one, at: one.getBoundingClientRect() }))
      .filter(({ at }) => at.width > 2 && at.bottom > 0 && at.top < innerHeight)
    const found = all.flatMap(({ one, at }) => {
      const cover = coverOf(one, at)
      return [
        ...(isOutside(at) ? [`${nameOf(one)} is outside`] : []),
        ...(cover ? [`${nameOf(one)} is covered by ${nameOf(cover)}`] : []),
      ]
    })
    const { scrollWidth } = document.documentElement
    if (scrollWidth > innerWidth) found.push(`all of it is ${scrollWidth} pixels wide`)
    if (all.length === 0) found.push('controls are missing')
    return found
  })
}

async function walk(t: Test, page: Page, what: string): Promise<void> {
  await settle(page)
  for (const width of widths()) {
    await page.setViewportSize({ width, height: 640 })
    t.same(await misplaced(page), [], `${what}, ${width} pixels`)
  }
}

t.test('at every width nothing overlaps or is cut off on any page', { timeout: 600_000 }, async (t) => {
  const { page, address } = await start(t, files, { reducedMotion: 'reduce' })
  const call = await callerOf(page)
  await call('DELETE', '/api/resources/old.txt')
  await call('PUT', '/api/starred/a.txt')
  await call('POST', '/api/recent/a.txt')
  await createShare(address, '/folder')
  const pages: [path: string, ready: string][] = [
    ['/files/a.txt', '[data-part=file] [role=textbox]'],
    ['/files/b.md', '[data-part=file] [role=textbox]'],
    ['/files/c.png', '[data-part=picture] img'],
    ['/files/d.bin', '[data-part=file] h2'],
    ['/recent', '[data-part=row]'],
    ['/starred', '[data-part=row]'],
    ['/trash', '[data-part=row]'],
    ['/settings/shares', 'main li'],
    ['/settings/profile', 'main h2'],
    ['/settings/global', 'main h2'],
    ['/settings/users', 'main table'],
    ['/settings/users/new', 'main form'],
    ['/settings/doctor', 'main h2'],
    ['/settings/audit', '[data-part=audit]'],
  ]
  for (const [path, ready] of pages) {
    await page.setViewportSize({ width: 1280, height: 640 })
    await page.goto(address + path)
    await page.locator(ready).first().waitFor()
    await walk(t, page, path)
  }
})

t.test('at every width nothing overlaps or is cut off on the pages of visitors', async (t) => {
  const { address } = await start(t, files, { reducedMotion: 'reduce' })
  const [open, locked] = [
    await createShare(address, '/'),
    await createShare(address, '/folder', { password: 'a password of it' }),
  ]
  const page = await openPage(t, { reducedMotion: 'reduce' })
  for (const [path, ready] of [
    ['/login', 'button[type=submit]'],
    [`/share/${open.hash}`, '[data-index]'],
    [`/share/${locked.hash}`, 'input[type=password]'],
    ['/share/none', 'h1'],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 640 })
    await page.goto(address + path)
    await page.locator(ready).first().waitFor()
    await walk(t, page, path.replace(open.hash, 'open').replace(locked.hash, 'locked'))
  }
})
