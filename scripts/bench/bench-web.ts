// npm run bench:web: measures the listing in a real browser with 12, 10,000 and 50,000 entries. It checks no limits.
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { launchCompleteBrowser } from '#web/testing/chromium.ts'
import { serveBarePage } from './bare-page.ts'
import { startCoffer } from './coffer.ts'
import { stopAll } from './run.ts'

const folder = await mkdtemp(join(tmpdir(), 'coffer-bench-web-'))
const counts = [12, 10_000, 50_000]

async function bench(): Promise<void> {
  const root = join(folder, 'root')
  for (const count of counts) await fill(join(root, String(count)), count)
  const { port, headers } = await startCoffer(root)
  const browser = await launchCompleteBrowser()
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const address = `http://127.0.0.1:${port}`
  await page.goto(address)
  await page.evaluate(`localStorage.setItem('jwt', ${JSON.stringify(headers['X-Auth'])})`)
  for (const count of counts) {
    await coldRow(browser, { address, token: headers['X-Auth'], count })
    await firstRow(page, `${address}/files/${count}/`)
  }
  await use(page)
  await browser.close()
}

async function fill(path: string, count: number): Promise<void> {
  await mkdir(path, { recursive: true })
  for (let n = 0; n < count; n++) await (await open(join(path, `picture ${n} of a journey.jpg`), 'w')).close()
}

/**
 * Opens a folder five times without a cache, and a page of React alone that shows the first names of the same listing, in
 * turns. Prints the times until the first row is shown, and their ratio.
 */
async function coldRow(
  browser: Browser,
  { address, token, count }: { address: string; token: string; count: number },
) {
  const list = async () => {
    const response = await fetch(`${address}/api/resources/${count}/`, { headers: { 'X-Auth': token } })
    return response.text()
  }
  const bare = await serveBarePage(list)
  const [ours, theirs]: [number[], number[]] = [[], []]
  const once = async (url: string) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.addInitScript(`localStorage.setItem('jwt', ${JSON.stringify(token)})`)
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    const time = Number(await page.evaluate(untilRow))
    await context.close()
    return time
  }
  for (let run = 0; run < 5; run++) {
    ours.push(await once(`${address}/files/${count}/`))
    theirs.push(await once(bare.address))
  }
  bare.close()
  const ratio = (median(ours) / median(theirs)).toFixed(2)
  print(
    `first row without a cache, ${count.toLocaleString('en')} entries (median of 5; React alone; ratio)`,
    `${median(ours)} ms; ${median(theirs)} ms; ${ratio}`,
  )
}

/** Opens the address five times with a warm cache. Prints the time until the first row is shown. */
async function firstRow(page: Page, address: string): Promise<void> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    await page.goto('about:blank')
    await page.goto(address, { waitUntil: 'commit' })
    times.push(Number(await page.evaluate(untilRow)))
  }
  const entries = Number(/(\d+)\/$/.exec(address)?.[1])
  print(
    `first row with a cache, ${entries.toLocaleString('en')} entries (median of 5, from navigation)`,
    `${median(times)} ms`,
  )
}

/** Measures selecting, scrolling and jumping in the open folder. Times are from the event to the next painted frame. */
async function use(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  print('heap after opening 50,000 entries', `${await heap(session)} MB`)
  print('scrolling 50,000 entries: frames per second', String(await page.evaluate(scrolling)))
  const clicks = []
  for (let n = 0; n < 9; n++) clicks.push(Number(await page.evaluate(click(n % 5))))
  print('selecting by a click (median of 9)', `${median(clicks)} ms`)
  for (const [what, key, ctrlKey] of [
    ['End key', 'End', false],
    ['Home key', 'Home', false],
    ['select all', 'a', true],
    ['Escape key', 'Escape', false],
  ] as const) {
    print(what, `${Math.round(Number(await page.evaluate(press(key, ctrlKey))))} ms`)
  }
  print('heap at the end', `${await heap(session)} MB`)
}

async function heap(session: CDPSession): Promise<string> {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return (usedSize / 1024 / 1024).toFixed(1)
}

// Code that runs in the page is a string, because these scripts are compiled without DOM types.
const untilRow = `new Promise((resolve) => {
  const look = () => document.querySelector('[data-index]')
    ? requestAnimationFrame(() => resolve(performance.now()))
    : requestAnimationFrame(look)
  look()
})`

const scrolling = `new Promise((resolve) => {
  const list = document.querySelector('[role=grid]')
  const start = performance.now()
  let frames = 0
  const step = (now) => {
    frames++
    list.scrollTop += 240
    if (now - start < 3000) requestAnimationFrame(step)
    else { list.scrollTop = 0; resolve((frames / ((now - start) / 1000)).toFixed(1)) }
  }
  requestAnimationFrame(step)
})`

const painted = `(act) => new Promise((resolve) => {
  requestAnimationFrame(() => {
    const start = performance.now()
    act()
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
  })
})`

const click = (row: number) => `(${painted})(() => {
  const rows = [...document.querySelectorAll('[data-index]')]
  rows[${row}].dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true, pointerType: 'mouse' }))
})`

const press = (key: string, ctrlKey: boolean) => `(${painted})(() => {
  const list = document.querySelector('[role=grid]')
  list.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', ctrlKey: ${ctrlKey}, bubbles: true, cancelable: true }))
})`

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0)
}

function print(what: string, value: string): void {
  console.log(`${what.padEnd(66)} ${value.padStart(10)}`)
}

try {
  await bench()
} finally {
  await stopAll()
  await rm(folder, { recursive: true })
}
