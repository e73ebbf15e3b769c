import type { Page, Request } from 'playwright-core'

const running = new WeakMap<Page, { requests: Set<Request>; changedAt: number }>()

/** Tracks the running requests of a page, without the events, whose response does not end. */
export function trackRequests(page: Page): void {
  const requests = new Set<Request>()
  const state = { requests, changedAt: 0 }
  running.set(page, state)
  page.on('request', (request) => {
    // A new document ends the requests of the previous one.
    if (request.isNavigationRequest()) requests.clear()
    if (!/\/api\/events$/.test(request.url())) requests.add(request)
    state.changedAt = performance.now()
  })
  const end = (request: Request) => {
    requests.delete(request)
    state.changedAt = performance.now()
  }
  page.on('requestfinished', end)
  page.on('requestfailed', end)
}

/** Waits until a page of `openPage` has sent no request for half a second, and all have finished. */
export async function untilQuiet(page: Page): Promise<void> {
  const state = running.get(page)
  if (!state) throw new Error('the page was not opened by openPage')
  while (state.requests.size > 0 || performance.now() - state.changedAt < 500) await page.waitForTimeout(50)
}
