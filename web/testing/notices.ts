import type { BrowserContext, Page } from 'playwright-core'

type Recorder = typeof globalThis & { shownNotices?: string[] }

/** Records the notices of all pages of `context`, because plain ones disappear after some seconds. */
export async function recordNotices(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const texts: string[] = []
    ;(globalThis as Recorder).shownNotices = texts
    const known = new WeakSet<Element>()
    const record = () => {
      for (const notice of document.querySelectorAll('[data-part=notices] > div')) {
        // A notice that is repeated stays the same element, with a new bar.
        const sign = notice.querySelector('i') ?? notice
        if (!known.has(sign)) texts.push(notice.textContent ?? '')
        known.add(sign)
      }
    }
    new MutationObserver(record).observe(document, { childList: true, subtree: true })
  })
}

/** Resolves when a notice with `text` is or was shown. Each notice is found once. */
export async function noticed(page: Page, text: string): Promise<void> {
  await page.waitForFunction((text) => {
    const texts = (globalThis as Recorder).shownNotices ?? []
    const index = texts.findIndex((one) => one.includes(text))
    return index >= 0 && texts.splice(index, 1)
  }, text)
}

/** Closes the notice of an error, and waits until no error is shown. */
export async function closeError(page: Page): Promise<void> {
  const notices = page.locator('[data-part=notices] > [data-kind=error]')
  await notices.getByRole('button', { name: 'Close', exact: true }).click()
  await notices.waitFor({ state: 'detached' })
}
