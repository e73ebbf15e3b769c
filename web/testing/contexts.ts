// Browser contexts are used again for pages with the same options. The first page of a context starts a process of the
// browser, and that takes longer than the steps of most tests.
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession } from 'playwright-core'
import { recordNotices } from './notices.ts'

/** A context that no test uses, or that one test uses. */
interface Kept {
  context: BrowserContext
  /** Its options, as text. */
  key: string
  /** A session of the page that keeps the process alive. */
  session: CDPSession
  /** Whether a test has changed something that the next one would inherit. */
  isChanged: boolean
}

const free = new WeakMap<Browser, Kept[]>()

const lasting = [
  'addInitScript',
  'addCookies',
  'grantPermissions',
  'route',
  'setExtraHTTPHeaders',
  'setOffline',
] as const

/**
 * Returns a context with these options, and the function that ends its use: it closes the pages of the test.
 *
 * @param isNew whether its cache must be empty
 */
export async function takeContext(
  browser: Browser,
  options: BrowserContextOptions,
  isNew: boolean,
): Promise<{ context: BrowserContext; release(): Promise<void> }> {
  const key = JSON.stringify(options)
  const list = free.get(browser) ?? []
  free.set(browser, list)
  const index = isNew ? -1 : list.findIndex((one) => one.key === key)
  const kept = index < 0 ? await create(browser, options) : (list.splice(index, 1)[0] as Kept)
  const { context } = kept
  const release = async () => {
    // The test may have closed the context or the browser.
    if (!browser.contexts().includes(context)) return
    if (isNew || kept.isChanged) {
      // A request that a test has delayed may still run. Its end does not matter.
      await context.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
      return
    }
    await clear(kept)
    list.push(kept)
  }
  return { context, release }
}

/** Closes the pages of a test, and deletes what they have stored. */
async function clear({ context, session }: Kept): Promise<void> {
  const [, ...pages] = context.pages()
  const origins = new Set(pages.map((page) => new URL(page.url()).origin))
  for (const page of pages) {
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.close()
  }
  for (const origin of origins)
    if (origin.startsWith('http'))
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
}

async function create(browser: Browser, options: BrowserContextOptions): Promise<Kept> {
  // Without animations: nothing waits for their end, and the browser draws much less. Tests of motion ask for it.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  })
  await recordNotices(context)
  if (options.colorScheme === 'dark') await context.addInitScript(followDevice)
  // All pages of a site share a process (`--process-per-site`), and this one keeps it alive. The port does not matter.
  const page = await context.newPage()
  await page.route('**', (route) => route.fulfill({ body: '' }))
  await page.goto('http://127.0.0.1/')
  await page.unrouteAll()
  const session = await context.newCDPSession(page)
  const kept: Kept = { context, key: JSON.stringify(options), session, isChanged: false }
  for (const name of lasting) {
    const change = context[name].bind(context) as (...given: unknown[]) => never
    Object.assign(context, {
      [name]: (...given: unknown[]) => {
        kept.isChanged = true
        return change(...given)
      },
    })
  }
  // All later pages of the context would have this clock, and it may stand still.
  const { clock } = context
  const install = clock.install.bind(clock)
  clock.install = (options) => {
    kept.isChanged = true
    return install(options)
  }
  return kept
}

/** Makes the page follow the device, which an administrator may choose. By default an instance is light. */
function followDevice(): void {
  new MutationObserver((_, observer) => {
    const settings = document.getElementById('settings')
    if (!settings?.textContent) return
    observer.disconnect()
    const values = JSON.parse(settings.textContent)
    settings.textContent = JSON.stringify({ ...values, FollowDevice: true })
    if (!values.Theme) document.documentElement.dataset.theme = ''
  }).observe(document, { childList: true, subtree: true })
}
