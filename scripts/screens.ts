// npm run screens: photographs every screen in all sizes, themes and languages, and finds accessibility violations.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchCompleteBrowser } from '#web/testing/chromium.ts'
import { translatorFor } from '#web/testing/words.ts'
import { startCoffer } from './bench/coffer.ts'
import { stopAll } from './bench/run.ts'
import { fillFolder } from './screens/content.ts'
import { type Scene, type Stage, scenes } from './screens/scenes.ts'

const usage = `npm run screens -- [options]
  --only WORDS      only screens whose name contains one of these words, separated by commas
  --sizes LIST      window widths (390,834,1280,1920)
  --themes LIST     light,dark
  --languages LIST  en,ar,de,ja
  --zoom            200 %: half of the width, two pixels for one
  --forced          with forced colours
  --axe             reports accessibility violations, and fails if there are any
  --out FOLDER      where the pictures go (node_modules/.cache/screens)`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sizes: { type: 'string', default: '390,834,1280,1920' },
    themes: { type: 'string', default: 'light,dark' },
    languages: { type: 'string', default: 'en,ar,de,ja' },
    zoom: { type: 'boolean', default: false },
    forced: { type: 'boolean', default: false },
    axe: { type: 'boolean', default: false },
    out: { type: 'string', default: 'node_modules/.cache/screens' },
    help: { type: 'boolean', default: false },
  },
})

interface View {
  readonly width: number
  readonly theme: 'light' | 'dark'
  readonly language: string
}

const heights: Record<number, number> = { 390: 844, 834: 1112, 1280: 800, 1920: 1080 }
const found: string[] = []
const words = values.only.split(',')

/** Opens a window like the one of a device. 390 and 834 pixels are touch screens. */
async function openWindow(browser: Browser, { width, theme, language }: View): Promise<BrowserContext> {
  const scale = values.zoom ? 2 : 1
  const height = heights[width] ?? 800
  const context = await browser.newContext({
    viewport: { width: width / scale, height: Math.round(height / scale) },
    deviceScaleFactor: scale,
    hasTouch: width < 1000,
    locale: language,
    colorScheme: theme,
    reducedMotion: 'reduce',
    ...(values.forced && { forcedColors: 'active' }),
  })
  // The instance follows each device, as an administrator can choose.
  await context.addInitScript(`new MutationObserver((_, observer) => {
    const settings = document.getElementById('settings')
    if (!settings?.textContent) return
    observer.disconnect()
    settings.textContent = JSON.stringify({ ...JSON.parse(settings.textContent), FollowDevice: true })
    document.documentElement.dataset.theme = ''
  }).observe(document, { childList: true, subtree: true })`)
  return context
}

/** Waits until nothing moves and all pictures in the window have arrived. */
async function settle(page: Page): Promise<void> {
  // `waitForFunction` would need `eval`, which the page forbids.
  await page.evaluate(`new Promise((resolve) => {
    const isStill = () => document.fonts.status === 'loaded'
      && document.getAnimations().every(({ playState, effect }) =>
        playState !== 'running' || effect?.getComputedTiming().iterations === Infinity)
      && [...document.querySelectorAll('[role=dialog]')].every((one) => one.checkVisibility({ opacityProperty: true }))
      && [...document.images].every((one) => one.complete || one.loading === 'lazy')
    const look = () => isStill() ? resolve() : requestAnimationFrame(look)
    look()
  })`)
}

async function show(stage: Stage, scene: Scene): Promise<void> {
  const { page, address, share } = stage
  await page.goto('about:blank')
  await page.goto(address + (scene.path === 'SHARE' ? share : scene.path))
  await page.locator(scene.ready).filter({ visible: true }).first().waitFor()
  await scene.steps?.(stage)
  if (scene.shows) await page.locator(scene.shows).filter({ visible: true }).first().waitFor()
  await settle(page)
}

/** The violations that axe finds, one line each. */
async function violations(page: Page): Promise<string[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  await page.evaluate(axe)
  return page.evaluate(`axe.run('html', { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`)
}

/** A screen may have changed the view, which is saved with the user. */
async function showLists(address: string, token: string): Promise<void> {
  const data = { id: 1, viewMode: 'list' }
  const body = JSON.stringify({ what: 'user', which: ['viewMode'], data })
  await fetch(`${address}/api/users/1`, { method: 'PUT', headers: { 'X-Auth': token }, body })
}

/** Photographs the screens in one view. A screen that does not appear is reported, and the others go on. */
async function photograph(browser: Browser, view: View, stage: Omit<Stage, 'page' | 'say'>, token: string) {
  const context = await openWindow(browser, view)
  const folder = join(values.out, `${view.width}-${view.theme}-${view.language}`)
  await mkdir(folder, { recursive: true })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.on('pageerror', (error) => found.push(`${folder}: the page threw ${error.message}`))
  const say = await translatorFor(view.language)
  await page.goto(`${stage.address}/api/docs`)
  for (const scene of scenes) {
    if (!words.some((word) => scene.name.includes(word))) continue
    const name = join(folder, `${scene.name}.png`)
    try {
      await showLists(stage.address, token)
      await page.goto(`${stage.address}/api/docs`)
      await page.evaluate(
        `localStorage.clear()${scene.isPublic ? '' : `; localStorage.setItem('jwt', ${JSON.stringify(token)})`}`,
      )
      await show({ ...stage, page, say }, scene)
    } catch (error) {
      found.push(`${name}: did not appear: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
    }
    await page.screenshot({ path: name })
    if (values.axe) found.push(...(await violations(page)).map((line) => `${name}: ${line}`))
  }
  await context.close()
}

/** One page with all pictures, so that the same screen can be compared in all views. */
async function writeOverview(views: readonly View[]): Promise<void> {
  const shown = scenes.filter(({ name }) => words.some((word) => name.includes(word)))
  const sections = shown.map(({ name }) => {
    const pictures = views.map(({ width, theme, language }) => {
      const source = `${width}-${theme}-${language}/${encodeURIComponent(name)}.png`
      const title = `${name}, ${width}, ${theme}, ${language}`
      return `<a href="${source}"><img loading="lazy" width="${Math.round(width / 3)}" src="${source}" alt="${title}" title="${title}"></a>`
    })
    return `<h2>${name}</h2>\n${pictures.join('\n')}`
  })
  const page = `<!doctype html><meta charset="utf-8"><title>Screens</title>\n${sections.join('\n')}\n`
  await writeFile(join(values.out, 'index.html'), page)
}

/** Creates a link to the folder with the pictures. Returns its path on the page. */
async function createShare(address: string, headers: { 'X-Auth': string }): Promise<string> {
  const made = await fetch(`${address}/api/share/Photos`, { method: 'POST', headers, body: '{}' })
  if (!made.ok) throw new Error(`the share was refused with status ${made.status}`)
  const { hash } = (await made.json()) as { hash: string }
  return `/share/${hash}`
}

const list = (text: string) => text.split(',').filter(Boolean)

async function run(folder: string): Promise<void> {
  const root = join(folder, 'root')
  await fillFolder(root)
  const { port, headers } = await startCoffer(root, undefined, ['--database', join(folder, 'state.json')])
  const address = `http://127.0.0.1:${port}`
  const share = await createShare(address, headers)
  const browser = await launchCompleteBrowser()
  const views = list(values.languages).flatMap((language) =>
    (['light', 'dark'] as const)
      .filter((theme) => list(values.themes).includes(theme))
      .flatMap((theme) => list(values.sizes).map((width) => ({ width: Number(width), theme, language }))),
  )
  for (const view of views) await photograph(browser, view, { address, share }, headers['X-Auth'])
  await browser.close()
  await writeOverview(views)
  for (const line of found) console.log(line)
  console.log(`${views.length} views, ${found.length} findings: ${join(values.out, 'index.html')}`)
  if (found.length > 0) process.exitCode = 1
}

if (values.help) console.log(usage)
else {
  const folder = await mkdtemp(join(tmpdir(), 'coffer-screens-'))
  try {
    await run(folder)
  } finally {
    await stopAll()
    await rm(folder, { recursive: true })
  }
}
