import path from 'node:path'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { testUser } from './serve.ts'

interface Chosen {
  name: string
  mimeType: string
  buffer: Buffer
}

/** A file for a file chooser. */
export const file = (name: string, content: string | Buffer): Chosen => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
})

/** Chooses files with the button New of the page. A string is a path on this machine. */
export async function chooseFiles(
  page: Page,
  choice: 'Upload files' | 'Upload a folder',
  files: Chosen[] | string | string[],
): Promise<void> {
  await page.getByRole('button', { name: 'New', exact: true }).filter({ visible: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: choice }).click()
  await (await chooser).setFiles(files)
}

/** Drops files on the element at `target`, with events from a script. */
export async function dropFiles(page: Page, target: string, files: { name: string; content: string }[]) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer()
    for (const { name, content } of files) data.items.add(new File([content], name))
    return data
  }, files)
  for (const type of ['dragover', 'drop'])
    await page.locator(target).dispatchEvent(type, { dataTransfer: data })
}

/** Drops real files and folders of this machine on the middle of the page, as a desktop does. */
export async function dropFromDesktop(page: Page, files: string[]): Promise<void> {
  const desktop = await page.context().newCDPSession(page)
  const { width, height } = page.viewportSize() ?? { width: 800, height: 600 }
  const data = { items: [], files: files.map((one) => path.resolve(one)), dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    desktop.send('Input.dispatchDragEvent', { type, x: width / 2, y: height / 2, data })
  await send('dragEnter')
  // A drop counts only after the page has accepted the files, which a busy page may do at a later event.
  const zone = page.locator('[data-part=drop]')
  do await send('dragOver')
  while (!(await shown(zone)))
  await send('drop')
}

const shown = (one: Locator) =>
  one.waitFor({ timeout: 500 }).then(
    () => true,
    () => false,
  )

/** The upload panel. */
export const uploadsPanel = (page: Page) => page.getByRole('region', { name: 'Uploads' })

/** Waits until the heading of the panel is `text`. */
export const uploadsDone = (page: Page, text: string) =>
  uploadsPanel(page).getByRole('heading', { name: text }).waitFor()

/** Changes the setting for the size of pieces like an administrator on another device, and opens the page again. */
export async function limitPieces(page: Page, chunkSize: number): Promise<void> {
  const { origin } = new URL(page.url())
  const login = JSON.stringify({ username: testUser.name, password: testUser.password })
  const token = await (await fetch(`${origin}/api/login`, { method: 'POST', body: login })).text()
  const body = JSON.stringify({ tus: { chunkSize, retryCount: 5 } })
  const headers = { 'X-Auth': token, 'Content-Type': 'application/json' }
  const response = await fetch(`${origin}/api/settings`, { method: 'PUT', body, headers })
  if (!response.ok) throw new Error(`the settings were not changed: ${response.status}`)
  await page.reload()
}

const networks = new WeakMap<Page, Promise<CDPSession>>()

/** Limits the upload rate of the page to some bytes per second; -1: no limit, 0: offline. */
export async function limitUploadRate(page: Page, uploadThroughput: number): Promise<void> {
  // One session per page, because each session has its own limit.
  const known = networks.get(page) ?? page.context().newCDPSession(page)
  networks.set(page, known)
  const network = await known
  await network.send('Network.enable')
  const offline = uploadThroughput === 0
  const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: uploadThroughput || -1 }
  await network.send('Network.emulateNetworkConditions', conditions)
}

/** Waits until a part of the file `name` is sent, but not all of it. */
export async function untilHalfSent(page: Page, name: string): Promise<void> {
  await page.waitForFunction((name) => {
    const bar = document.querySelector<HTMLProgressElement>(`progress[aria-label="${name}"]`)
    return bar !== null && bar.value > 0 && bar.value < 100
  }, name)
}
