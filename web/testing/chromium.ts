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
]

/** The first browser that can be executed: `$CHROMIUM`, the system's, or the one in the npm package. */
async function executable(): Promise<string> {
  for (const file of [process.env.CHROMIUM, '/usr/bin/chromium']) {
    const denial = file && (await access(file, constants.X_OK).catch((error: unknown) => error))
    if (file && !denial) return file
  }
  const { default: packaged } = await import('@sparticuz/chromium')
  return packaged.executablePath()
}

/** Starts a browser to which several processes can connect. */
export async function launchServer(): Promise<BrowserServer> {
  return chromium.launchServer({ executablePath: await executable(), args: flags, host: '127.0.0.1' })
}

/**
 * Connects to the browser at the address `COFFER_TEST_BROWSER`, which all tests of a run share. Without this variable,
 * starts a browser.
 */
export async function launchBrowser(): Promise<Browser> {
  const shared = process.env.COFFER_TEST_BROWSER
  return shared ? chromium.connect(shared) : launchOwnBrowser()
}

/** Starts a browser. */
export async function launchOwnBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await executable(), args: flags })
}
