import type { Page } from 'playwright-core'

const probe = '/is-intercepted'

/**
 * Makes `page.route` resolve when the browser intercepts requests. By itself, it resolves earlier: the browser tells the
 * page of its first route on another channel than of keys and clicks. A request that a key started right after the first
 * route was not intercepted in 5 of 800 tries on a busy machine.
 */
export function awaitFirstRoute(page: Page): void {
  const route = page.route.bind(page)
  let isFirst = true
  page.route = async (...given) => {
    const routed = await route(...given)
    // A document that is loaded later is intercepted from its beginning.
    if (isFirst && page.url().startsWith('http')) await untilIntercepted(page, route)
    isFirst = false
    return routed
  }
}

async function untilIntercepted(page: Page, route: Page['route']): Promise<void> {
  let isIntercepted = false
  await route(`**${probe}`, (request) => {
    isIntercepted = true
    return request.fulfill({ status: 204 })
  })
  const call = (address: string) =>
    fetch(address).then(
      () => true,
      () => true,
    )
  // Ends if the page is left or closed.
  while (!isIntercepted) if (!(await page.evaluate(call, probe).catch(() => false))) break
  await page.unroute(`**${probe}`)
}
