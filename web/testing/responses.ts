import type { Page, Route } from 'playwright-core'

/**
 * Delays the responses to `method` calls of `address` (a glob). The server responds at once, and the responses arrive
 * when `release` is called. `waitForCalls` waits for a number of calls.
 */
export async function delayResponses(page: Page, address: string, method = 'GET') {
  let free = () => {}
  const freed = new Promise<void>((resolve) => {
    free = resolve
  })
  let calls = 0
  let isFree = false
  const waiting: { count: number; resolve(): void }[] = []
  await page.route(address, async (route) => {
    if (route.request().method() !== method || isFree) {
      await route.continue()
      return
    }
    calls++
    // The page may abort the call, or the test may end, while it runs.
    const response = await route.fetch().catch(() => undefined)
    for (const one of waiting) if (calls >= one.count) one.resolve()
    await freed
    if (response) await route.fulfill({ response }).catch(() => undefined)
    else await route.abort().catch(() => undefined)
  })
  return {
    /**
     * Waits until this many calls have been made.
     *
     * @throws Error after 30 seconds. tap's own limit is ten minutes, and it does not say which call was missing.
     */
    waitForCalls: (count = 1) =>
      new Promise<void>((resolve, reject) => {
        const fail = () => reject(new Error(`${calls} of ${count} calls of ${address} at ${page.url()}`))
        const timer = setTimeout(fail, 30_000)
        const end = () => {
          clearTimeout(timer)
          resolve()
        }
        if (calls >= count) end()
        else waiting.push({ count, resolve: end })
      }),
    /** Lets the responses arrive, and those of later calls, too. */
    release() {
      isFree = true
      free()
    },
  }
}

/**
 * Replaces the JSON body of each response to a call of `address` (a glob) with the result of `change`, until
 * `page.unroute(address)`.
 */
export async function changeResponses<Body extends object>(
  page: Page,
  address: string,
  change: (body: Body) => object | Promise<object>,
): Promise<void> {
  const replace = async (route: Route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: await change(await response.json()) })
  }
  // An error here would end the test process. The page may abort a call, or the test may end, while it runs.
  await page.route(address, (route) => replace(route).catch(() => route.abort().catch(() => undefined)))
}
