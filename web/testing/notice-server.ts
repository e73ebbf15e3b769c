import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { loadAssets } from '#src/server/assets.ts'
import { happenings } from '#src/testing/link-happenings.ts'
import { start as startApp } from '#src/testing/start.ts'
import { listen } from '#src/testing/wire.ts'
import { openPage, openWithToken } from './browser.ts'

/**
 * Starts the application with the page and a clock that the test moves, because the server waits a minute before it tells
 * of received files. `ann` shares the folder `inbox`, and `open` opens a page as she sees it.
 */
export async function startWithNotices(t: Test, config: { webhookAllow?: string[] } = {}) {
  const tree = { inbox: {}, docs: { 'a.txt': 'a' } }
  const running = await startApp(t, { tree, people: { ann: {} }, config, assets: await loadAssets() })
  running.clock.stop()
  const address = `http://127.0.0.1:${await listen(running.app)}`
  const told = happenings(running)
  const ann = await running.as('ann')
  return {
    ...running,
    ...told,
    address,

    /** Shares a folder, and returns the id of the share. */
    async share(path: string, payload: object = {}): Promise<string> {
      const reply = await ann('POST', `/api/share${path}`, { payload })
      return reply.json<{ hash: string }>().hash
    },

    async open(name: string, path = '/', options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
      const page = await openPage(t, options)
      await openWithToken(page, address + path, await running.login(name))
      return page
    },
  }
}
