import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import t, { type Test } from 'tap'
import { until } from '#src/testing/wire.ts'
import { closeBrowser, itemNamed, openPage, serve, signIn, untilQuiet } from '#web/testing/browser.ts'
import { setVisible, startEventProxy, watched } from '#web/testing/live.ts'
import { chooseAccount } from '#web/testing/places.ts'
import { changeResponses } from '#web/testing/responses.ts'

type Tree = NonNullable<Parameters<Test['testdir']>[0]>

t.teardown(closeBrowser)

/**
 * Starts a server behind a proxy for its events, and opens a page whose clock the test can move. `prepare` runs before
 * the page is loaded.
 */
async function open(t: Test, files: Tree, prepare: (page: Page) => Promise<unknown> = async () => {}) {
  const root = join(t.testdir({ root: files }), 'root')
  const proxy = await startEventProxy(t, await serve(t, root))
  const page = await openPage(t)
  await page.clock.install()
  await prepare(page)
  const isWatched = watched(page)
  await signIn(page, proxy.address)
  await isWatched
  // A list that is still loading would show what the test writes next.
  await untilQuiet(page)
  const write = (name: string) => writeFile(join(root, name), '')
  return { page, proxy, write, address: proxy.address }
}

/** Counts the requests for the list of the root from now on. */
function countLists(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (/\/api\/resources\/$/.test(request.url()) && request.method() === 'GET') count++
  })
  return () => count
}

/** The folders that the page asks the server to watch in a request. */
const foldersIn = (request: { postDataJSON(): { folders: string[] } }) => request.postDataJSON().folders

/** Waits for a request whose folders pass `test`. */
const asksFor = (page: Page, test: (folders: string[]) => boolean) =>
  page.waitForRequest(
    (request) =>
      request.method() === 'PUT' && /\/api\/events\//.test(request.url()) && test(foldersIn(request)),
  )

t.test('a page follows the server again after every interruption', async (t) => {
  const { page, proxy, write, address } = await open(t, { 'a.txt': '' })
  const { state } = proxy
  // Requests for events that have not ended.
  let unanswered = 1
  const count = (change: number) => (request: Request) => {
    if (/\/api\/events$/.test(request.url())) unanswered += change
  }
  page.on('request', count(1)).on('requestfailed', count(-1)).on('requestfinished', count(-1))
  /** Moves the clock by `ms` until another connection was tried. */
  const nextAttempt = async (ms: number) => {
    // Before the page knows that its connection has ended, the clock would only bring the next list nearer.
    await until(() => proxy.connections() > 0 || unanswered === 0)
    const before = state.attempts
    await until(async () => {
      await page.clock.fastForward(ms)
      return state.attempts > before
    })
  }

  await t.test('changes during an interruption are shown when the connection is back', async (t) => {
    t.equal(proxy.connections(), 1)
    state.refusal = 'cut'
    proxy.cut()
    await write('while cut.txt')
    await nextAttempt(700)
    t.equal(await itemNamed(page, 'while cut.txt').count(), 0)
    state.refusal = undefined
    const back = watched(page)
    await nextAttempt(2600)
    await itemNamed(page, 'while cut.txt').waitFor()
    await back
    await write('after.txt')
    await itemNamed(page, 'after.txt').waitFor()
  })

  await t.test('further attempts to connect come later, but at once when the network returns', async (t) => {
    state.refusal = 'cut'
    proxy.cut()
    for (const ms of [700, 2600, 6300]) await nextAttempt(ms)
    // From now on the clock stands still, so nothing happens by itself.
    // If the clock has passed this moment meanwhile, it stands still, too, but reports an error.
    await until(async () => {
      const soon = await page.evaluate(() => Date.now() + 50)
      return page.clock.pauseAt(soon).then(
        () => true,
        () => false,
      )
    })
    const before = state.attempts
    await page.clock.runFor(10_000)
    t.equal(state.attempts, before, 'the fourth delay is longer than ten seconds')
    state.refusal = undefined
    const back = watched(page)
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await until(() => state.attempts === before + 1)
    await back
    await page.clock.resume()
  })

  await t.test(
    'a server that refuses the connection is asked rarely, and the list every half minute',
    async (t) => {
      state.refusal = 429
      const refused = page.waitForResponse((response) => response.status() === 429)
      proxy.cut()
      await nextAttempt(700)
      await refused
      const before = state.attempts
      await write('polled.txt')
      await page.clock.fastForward(31_000)
      await itemNamed(page, 'polled.txt').waitFor()
      t.equal(state.attempts, before)
      state.refusal = undefined
      const back = watched(page)
      await nextAttempt(75_000)
      await back
    },
  )

  await t.test('a connection on which nothing arrives is replaced', async (t) => {
    proxy.silence()
    await write('unheard.txt')
    const back = watched(page)
    await nextAttempt(61_000)
    await itemNamed(page, 'unheard.txt').waitFor()
    await back
    await until(() => proxy.connections() === 1)
    t.equal(await itemNamed(page, 'unheard.txt').count(), 1)
  })

  await t.test('signing out ends the connection, and signing in opens another one', async (t) => {
    const before = state.attempts
    await chooseAccount(page, 'Sign out')
    await until(() => proxy.connections() === 0)
    const tried: string[] = []
    page.on('request', (request) => /\/api\/events$/.test(request.url()) && tried.push(request.url()))
    await page.clock.fastForward(61_000)
    // A request of the timer would be sent before this one.
    await page.evaluate(() => fetch('/health').then(({ status }) => status))
    t.strictSame(tried, [])
    const again = watched(page)
    await signIn(page, address)
    await again
    t.equal(state.attempts, before + 1)
    await write('later.txt')
    await itemNamed(page, 'later.txt').waitFor()
  })
})

t.test('changes while the network is away are shown when it is back', async (t) => {
  const { page, write } = await open(t, { 'a.txt': '' })
  await page.context().setOffline(true)
  await write('b.txt')
  const back = watched(page)
  await page.context().setOffline(false)
  await itemNamed(page, 'b.txt').waitFor()
  await back
  await write('c.txt')
  await itemNamed(page, 'c.txt').waitFor()
})

t.test('all tabs of a browser share one connection', async (t) => {
  const tree = { 'a.txt': '', docs: { 'b.txt': '' }, more: { 'e.txt': '' } }
  const { page, proxy, write, address } = await open(t, tree)
  const other = await page.context().newPage()
  const third = await page.context().newPage()

  await t.test('the connection of a tab reports the folders that all tabs show', async (t) => {
    const shown = asksFor(page, (folders) => folders.includes('/docs') && folders.includes('/'))
    await other.goto(`${address}/files/docs/`)
    await shown
    const all = asksFor(page, (folders) => folders.length === 3)
    await third.goto(`${address}/files/more/`)
    t.strictSame(foldersIn(await all).sort(), ['/', '/docs', '/more'])
    await write('docs/c.txt')
    await itemNamed(other, 'c.txt').waitFor()
    t.equal(proxy.state.attempts, 1)
  })

  await t.test('the folders of a tab that has crashed are not watched any more', async (t) => {
    const isGone = (folders: string[]) => !folders.some((folder) => folder.startsWith('/many'))
    const most = asksFor(page, (folders) => folders.includes('/many/39'))
    // Tabs that answer nothing later.
    await page.evaluate(() => {
      const channel = new BroadcastChannel('coffer-live  1')
      for (let n = 0; n < 40; n++)
        channel.postMessage({ is: 'shown', tab: `crashed ${n}`, folders: [`/many/${n}`] })
    })
    t.equal(foldersIn(await most).length, 32, 'as many as the server accepts, the last used ones')
    const answers = await page.evaluateHandle(() => {
      const channel = new BroadcastChannel('coffer-live  1')
      const tabs = new Set<string>()
      const both = new Promise<void>((resolve) => {
        channel.onmessage = ({ data }) => {
          if (data.is === 'shown') tabs.add(data.tab)
          if (tabs.size === 2) resolve()
        }
      })
      return { both }
    })
    await page.clock.fastForward(60_000)
    await answers.evaluate(({ both }) => both)
    const left = asksFor(page, isGone)
    await page.clock.fastForward(5000)
    t.strictSame(foldersIn(await left).sort(), ['/', '/docs', '/more'], 'those that have answered')
    // The jump of the clock looks like a silent connection, which is replaced.
    await until(() => proxy.connections() === 1)
  })

  await t.test('a closed tab is not watched, and another tab takes its connection over', async (t) => {
    const without = asksFor(page, (folders) => !folders.includes('/more'))
    await third.close()
    await without
    const before = proxy.state.attempts
    const taken = asksFor(other, (folders) => folders.includes('/docs'))
    await page.close()
    t.strictSame(foldersIn(await taken), ['/docs'])
    await write('docs/d.txt')
    await itemNamed(other, 'd.txt').waitFor()
    t.equal(proxy.state.attempts, before + 1)
  })
})

t.test(
  'a tab without locks, as without HTTPS, has a connection of its own while it is visible',
  async (t) => {
    const { page, proxy, write } = await open(t, { 'a.txt': '' }, (page) =>
      page.addInitScript(() => {
        delete (Navigator.prototype as { locks?: unknown }).locks
      }),
    )
    // Names may contain what ends a line elsewhere.
    await write('b\u2028c.txt')
    await page.locator('[data-part=list][aria-rowcount="4"]').waitFor()
    await setVisible(page, false)
    await page.clock.fastForward(5000)
    await setVisible(page, true)
    await page.clock.fastForward(15_000)
    await write('d.txt')
    await itemNamed(page, 'd.txt').waitFor()
    t.equal(proxy.state.attempts, 1, 'a tab that is hidden for a moment keeps its connection')
    await setVisible(page, false)
    await page.clock.fastForward(11_000)
    await until(() => proxy.connections() === 0)
    await write('e.txt')
    const back = watched(page)
    await setVisible(page, true)
    await itemNamed(page, 'e.txt').waitFor()
    await back
    t.equal(proxy.state.attempts, 2)
  },
)

t.test('a folder that the server cannot watch is read every half minute while it is visible', async (t) => {
  const { page, write } = await open(t, { 'a.txt': '' }, (page) =>
    changeResponses<{ folder: string }[]>(page, '**/api/events/*', (shown) =>
      shown.map((one) => ({ ...one, isWatched: false })),
    ),
  )
  await itemNamed(page, 'a.txt').waitFor()
  const polled = page.waitForRequest((request) => /\/api\/resources\/$/.test(request.url()))
  await page.clock.fastForward(30_000)
  await polled
  await write('b.txt')
  await itemNamed(page, 'b.txt').waitFor()
  await setVisible(page, false)
  const lists = countLists(page)
  await page.clock.fastForward(30_000)
  t.equal(lists(), 0)
})
