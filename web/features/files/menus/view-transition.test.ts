import t from 'tap'
import { closeBrowser, itemNamed, start } from '#web/testing/browser.ts'

t.teardown(closeBrowser)

/** Counts the fades of a page. */
const count = () => {
  const original = document.startViewTransition.bind(document)
  Object.assign(globalThis, { fades: 0 })
  document.startViewTransition = (update) => {
    Object.assign(globalThis, { fades: (globalThis as unknown as { fades: number }).fades + 1 })
    return original(update)
  }
}

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const isStill = reducedMotion === 'reduce'
  t.test(
    `list and mosaic change ${isStill ? 'at once with reduced motion' : 'with a fade, which input ends'}`,
    async (t) => {
      const { page } = await start(t, { 'a.txt': '' }, { reducedMotion })
      await itemNamed(page, 'a.txt').waitFor()
      await page.evaluate(count)
      await page.getByRole('button', { name: 'Show as tiles' }).click()
      await page.getByRole('button', { name: 'Show as list' }).click()
      await page.getByRole('button', { name: 'Show as tiles' }).waitFor()
      await page.keyboard.press('Escape')
      t.equal(await page.evaluate('fades'), isStill ? 0 : 2)
      await page.waitForFunction(() => !document.documentElement.matches(':active-view-transition'))
      await itemNamed(page, 'a.txt').click()
      t.equal(await itemNamed(page, 'a.txt').getAttribute('aria-selected'), 'true')
    },
  )
}
