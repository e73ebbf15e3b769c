import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, start } from '#web/testing/browser.ts'
import { widths } from '#web/testing/widths.ts'

t.teardown(closeBrowser)

/** Names the controls of the find bar that overlap, are covered or cut off. */
function misplaced(page: Page): Promise<string[]> {
  return page.locator('.cm-search').evaluate((bar) => {
    const root = bar.getRootNode() as ShadowRoot
    const { left, right } = bar.getBoundingClientRect()
    const shown = [...bar.querySelectorAll('button, input, label')]
      // The box of a label is part of it.
      .filter((one) => one.checkVisibility() && !one.parentElement?.closest('label'))
      .map((one) => ({ one, name: one.ariaLabel || one.textContent || '', at: one.getBoundingClientRect() }))
    const isOnTop = ({ one, at }: (typeof shown)[number]) => {
      const there = root.elementFromPoint((at.left + at.right) / 2, (at.top + at.bottom) / 2)
      return there !== null && (one.contains(there) || there.contains(one))
    }
    if (shown.length < 6) return [`${shown.length} controls`]
    return shown.flatMap((each, n) => [
      ...(each.at.left < left - 1 || each.at.right > right + 1 ? [`${each.name} is cut off`] : []),
      ...(isOnTop(each) ? [] : [`${each.name} is covered`]),
      ...shown
        .slice(n + 1)
        .filter(({ at }) => Math.min(each.at.right, at.right) - Math.max(each.at.left, at.left) > 1)
        .filter(({ at }) => Math.min(each.at.bottom, at.bottom) - Math.max(each.at.top, at.top) > 1)
        .map(({ name }) => `${each.name} and ${name} overlap`),
    ])
  })
}

t.test('at every width nothing in the find bar overlaps, also beside the preview', async (t) => {
  const { page } = await start(t, { 'a.md': '# Title\n\nWords.\n' }, { path: '/files/a.md' })
  const area = page.getByRole('textbox', { name: 'a.md' })
  await area.waitFor()
  await page.getByRole('heading', { name: 'Title' }).waitFor()
  await area.press('ControlOrMeta+f')
  await page.locator('.cm-search').waitFor()
  for (const width of widths(1920)) {
    await page.setViewportSize({ width, height: 700 })
    t.same(await misplaced(page), [], `${width} pixels`)
  }
})
