import type { Page } from 'playwright-core'
import t from 'tap'
import { closeBrowser, itemNamed, openPage, serve, signIn } from '#web/testing/browser.ts'
import { saveButton } from '#web/testing/settings.ts'

t.teardown(closeBrowser)

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg==',
  'base64',
)

/** Collects, from the start of the page on, every animation that takes longer than a millisecond. */
async function watch(page: Page): Promise<Set<string>> {
  const moved = new Set<string>()
  await page.exposeFunction('noteMotion', (what: string) => moved.add(what))
  await page.addInitScript(() => {
    const { noteMotion } = globalThis as unknown as { noteMotion(what: string): void }
    const look = () => {
      for (const { effect } of document.getAnimations() as (Animation & { effect: KeyframeEffect })[]) {
        const { duration, iterations } = effect.getComputedTiming()
        if (Number(duration) <= 1 && iterations === 1) continue
        noteMotion(
          `${effect.target?.tagName} ${effect.pseudoElement} ${JSON.stringify(effect.getKeyframes())}`,
        )
      }
    }
    for (const name of ['animationstart', 'transitionrun']) document.addEventListener(name, look, true)
  })
  return moved
}

/** Shows every part of the page that can be animated. */
async function walk(page: Page, address: string): Promise<void> {
  let release = () => {}
  const free = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/resources/docs/', async (route) => {
    await free
    return route.continue()
  })
  await itemNamed(page, 'docs').dblclick()
  await page.waitForFunction(() => {
    const bar = document.querySelector('[data-on]')
    return bar && getComputedStyle(bar).opacity === '1'
  })
  release()
  await itemNamed(page, 'a.png').waitFor()
  await page.getByRole('button', { name: 'Show as tiles' }).click()
  await page.locator('[data-part=card] img').first().waitFor()
  await page.keyboard.press('F1')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await itemNamed(page, 'a.png').dblclick()
  await page.getByRole('img', { name: 'a.png' }).waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${address}/settings/profile`)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Open with a single click').check()
  await saveButton(page).click()
  const notice = page.getByText('Settings updated!')
  await notice.waitFor()
  await notice.waitFor({ state: 'detached' })
}

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  const isReduced = reducedMotion === 'reduce'
  t.test(
    isReduced ? 'with reduced motion, nothing is animated' : 'without reduced motion, the page is animated',
    async (t) => {
      const address = await serve(t, t.testdir({ docs: { 'a.png': picture } }))
      const page = await openPage(t, { reducedMotion })
      const moved = await watch(page)
      await signIn(page, address)
      await walk(page, address)
      if (isReduced) t.same([...moved], [])
      else t.match([...moved].join('\n'), /backgroundPosition.*I null .*"scale":"0 1"/s)
    },
  )
}
