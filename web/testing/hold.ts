import type { Page } from 'playwright-core'

/**
 * Holds back the server's answers to `method` calls of `address` (a glob): they are made at once and arrive when `release`
 * is called. `asked` is the number of calls so far.
 */
export async function holdBack(page: Page, address: string, method = 'GET') {
  let free = () => {}
  const freed = new Promise<void>((resolve) => {
    free = resolve
  })
  let asked = 0
  let isFree = false
  const waiting: { count: number; resolve(): void }[] = []
  await page.route(address, async (route) => {
    if (route.request().method() !== method || isFree) {
      await route.continue()
      return
    }
    asked++
    const answer = await route.fetch()
    for (const one of waiting) if (asked >= one.count) one.resolve()
    await freed
    // A page that no longer waits for it has given the call up.
    await route.fulfill({ response: answer }).catch(() => undefined)
  })
  return {
    /** Waits until so many calls have been made. */
    asked: (count = 1) =>
      new Promise<void>((resolve) => {
        if (asked >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    /** Lets the answers arrive, and those of later calls, too. */
    release() {
      isFree = true
      free()
    },
  }
}
