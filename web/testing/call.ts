import type { Page } from 'playwright-core'
import { testUser } from './browser.ts'

/** Returns a function that calls the server of `page` as `testUser`, like another device. It fails if the server refuses. */
export async function callerOf(page: Page) {
  const { origin } = new URL(page.url())
  const login = await fetch(`${origin}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: testUser.name, password: testUser.password }),
  })
  const token = await login.text()
  return async (method: string, path: string, body?: string | Buffer): Promise<Response> => {
    const response = await fetch(origin + path, {
      method,
      headers: { 'X-Auth': token },
      ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
}

/** Waits until no animation runs, because axe measures colours. */
export async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    while (document.getAnimations().some(({ playState }) => playState === 'running'))
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished))
  })
}
