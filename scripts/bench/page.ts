import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchCompleteBrowser } from '#web/testing/chromium.ts'
import { piece, writeLarge } from './files.ts'
import { type Bench, type ResultLine, runAlternating } from './run.ts'
import { findPrograms, type Server, startServer } from './table/servers.ts'

const count = 2000
const bytes = 10 * 1024

/** The files that a page uploads, all into one folder. */
interface Choice {
  readonly what: string
  /** Their paths on this machine. */
  readonly paths: readonly string[]
  /** The size of each, in bytes. */
  readonly size: number
}

/** Prepares a page that is open in a folder. The returned function gives it the files. */
type Prepare = (page: Page) => Promise<(paths: string[]) => Promise<unknown>>

const withMenu: Prepare = async (page) => {
  await page.getByRole('button', { name: 'New', exact: true }).filter({ visible: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Upload files' }).click()
  const chosen = await chooser
  return (paths) => chosen.setFiles(paths)
}

const withInput: Prepare = async (page) => {
  const input = page.locator('#upload-input')
  await input.waitFor({ state: 'attached' })
  return (paths) => input.setInputFiles(paths)
}

/** The programs whose page this benchmark can use, by their name. */
const preparations: Readonly<Record<string, Prepare>> = {
  Coffer: withMenu,
  'Coffer before': withMenu,
  'File Browser': withInput,
}

// Code that runs in the page is a string, because these scripts are compiled without DOM types.
const addInput = `document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'bare' }))`
const sendFile = `(() => {
  const [file] = document.getElementById('bare').files
  const request = new XMLHttpRequest()
  request.open('POST', '/api/resources' + location.pathname.replace('/files', '') + file.name)
  request.setRequestHeader('X-Auth', localStorage.getItem('jwt'))
  request.send(file)
})()`

/** One request with the whole file, without the code of a page: what the browser and the server can do. */
const inOneRequest: Prepare = async (page) => {
  await page.evaluate(addInput)
  return async (paths) => {
    await page.locator('#bare').setInputFiles(paths)
    await page.evaluate(sendFile)
  }
}

/**
 * Measures uploads with the page in a real browser: from the choice of the files until all of them are whole on the disk
 * under their names. Beside the page of File Browser, if its program is on this machine and contains its page, and an older
 * Coffer.
 */
export async function benchPage(bench: Bench): Promise<ResultLine[]> {
  const root = join(bench.folder, 'page')
  await mkdir(root)
  const { programs } = await findPrograms(root, bench)
  const browser = await launchCompleteBrowser()
  try {
    const servers: Server[] = []
    for (const program of programs.filter(({ name }) => preparations[name])) {
      const server = await startServer(program, bench)
      if (await hasPage(server)) servers.push(server)
      else console.error(`  ${program.is} has no page`)
    }
    const lines: ResultLine[] = []
    for (const choice of (await choices(bench)).filter(({ what }) => what.includes(bench.lines)))
      lines.push(...(await linesOf({ bench, root, browser, servers, choice })))
    return lines
  } finally {
    await browser.close()
  }
}

/** Whether a program contains its page. File Browser can be compiled without it. */
async function hasPage({ program: { port } }: Server): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/`)
  return response.ok && (await response.text()).includes('<script')
}

async function choices(bench: Bench): Promise<Choice[]> {
  const source = join(bench.folder, 'source')
  await mkdir(source)
  const large = join(source, 'large.bin')
  await writeLarge(large, bench.size)
  const paths = Array.from({ length: count }, (_, n) => join(source, `file ${n}.bin`))
  for (const path of paths) await writeFile(path, piece.subarray(0, bytes))
  return [
    { what: `${count} files of 10 KiB with the page`, paths, size: bytes },
    { what: 'the large file with the page', paths: [large], size: bench.size },
  ]
}

interface Contest {
  bench: Bench
  root: string
  browser: Browser
  servers: readonly Server[]
  choice: Choice
}

async function linesOf({ bench, root, browser, servers, choice }: Contest): Promise<ResultLine[]> {
  const contestants: Record<string, () => Promise<number>> = {}
  for (const server of servers) {
    const prepare = preparations[server.program.name]
    if (prepare)
      contestants[server.program.name] = () => uploadOnce({ server, prepare, root, browser, choice })
  }
  const [server] = servers
  if (server && choice.paths.length === 1)
    contestants['one request'] = () => uploadOnce({ server, prepare: inOneRequest, root, browser, choice })
  const seconds = await runAlternating(contestants, bench.runs)
  const own = seconds.Coffer ?? Number.NaN
  const peers = Object.entries(seconds).filter(([name]) => name !== 'Coffer')
  return (peers.length > 0 ? peers : [['-', Number.NaN] as const]).map(([name, peer = Number.NaN]) => ({
    what: choice.what,
    ours: `${own.toFixed(2)} s`,
    peer: `${name} ${peer.toFixed(2)} s`,
    // Of the rates, so that more is better.
    ratio: peer / own,
    how: `from the choice until the last file is on the disk, median of ${bench.runs}; the ratio is that of the rates`,
  }))
}

let folders = 0
/** What a page does after it is shown, in milliseconds. */
const settleMs = 1000
const maxMs = 10 * 60_000

interface Upload extends Pick<Contest, 'root' | 'browser' | 'choice'> {
  server: Server
  prepare: Prepare
}

/** Uploads the files into a new folder. Returns the seconds from the choice of the files on. */
async function uploadOnce({ server, prepare, root, browser, choice }: Upload): Promise<number> {
  const name = `folder-${folders++}`
  const folder = join(root, name)
  await mkdir(folder)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const token = server.headers['X-Auth'] ?? ''
    await context.addInitScript(`localStorage.setItem('jwt', ${JSON.stringify(token)})`)
    const page = await context.newPage()
    await page.goto(`http://127.0.0.1:${server.program.port}/files/${name}/`)
    const give = await prepare(page)
    await page.waitForTimeout(settleMs)
    const start = performance.now()
    await Promise.all([give([...choice.paths]), untilWhole(folder, choice)])
    return (performance.now() - start) / 1000
  } finally {
    await context.close()
    // Small files stay: ext4 searches for other inodes than those of files that were deleted just before.
    if (choice.paths.length === 1) await rm(folder, { recursive: true })
  }
}

/** Waits until every file is there under its name with its whole size. @throws Error after ten minutes. */
async function untilWhole(folder: string, { paths, size }: Choice): Promise<void> {
  const names = paths.map((path) => basename(path))
  const sizeOf = (name: string) =>
    stat(join(folder, name)).then(
      (entry) => entry.size,
      () => -1,
    )
  const deadline = performance.now() + maxMs
  while (performance.now() < deadline) {
    const isThere = (await readdir(folder)).length >= names.length
    if (isThere && (await Promise.all(names.map(sizeOf))).every((each) => each === size)) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error('the upload did not end')
}
