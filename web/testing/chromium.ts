import { access, constants } from 'node:fs/promises'
import { type Browser, type BrowserServer, chromium } from 'playwright-core'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--process-per-site',
]

const complete = '/usr/bin/chromium'
// Needs 0.6 to 0.7 of the time of the complete browser for a page test, but has no PDF viewer.
const headlessShell = '/usr/bin/chromium-headless-shell'

/** The first browser that can be executed: `$CHROMIUM`, one of `files`, or the headless shell in the npm package. */
async function executable(files: readonly string[]): Promise<string> {
  for (const file of [process.env.CHROMIUM, ...files]) {
    const denial = file && (await access(file, constants.X_OK).catch((error: unknown) => error))
    if (file && !denial) return file
  }
  const { default: packaged } = await import('@sparticuz/chromium')
  return packaged.executablePath()
}

/** Starts a browser to which several processes can connect. */
export async function launchServer(): Promise<BrowserServer> {
  const executablePath = await executable([headlessShell, complete])
  return chromium.launchServer({ executablePath, args: flags, host: '127.0.0.1' })
}

/**
 * Connects to the browser at the address `TEST_BROWSER`, which all tests of a run share. Without this variable,
 * starts one of its own.
 */
export async function launchBrowser(): Promise<Browser> {
  const shared = process.env.TEST_BROWSER
  if (shared) return chromium.connect(shared)
  return chromium.launch({ executablePath: await executable([headlessShell, complete]), args: flags })
}

/** Starts the complete browser, with its PDF viewer, if the system has it. */
export async function launchCompleteBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await executable([complete, headlessShell]), args: flags })
}
