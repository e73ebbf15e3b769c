// npm run screens: photographs every screen in all sizes, themes and languages, and finds accessibility violations.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchCompleteBrowser } from '#web/testing/chromium.ts'
import { translatorFor } from '#web/testing/words.ts'
import { stopAll } from './bench/run.ts'
import { type Instances, startInstances } from './screens/instance.ts'
import { scenes } from './screens/scenes.ts'
import type { Links, Scene, Stage } from './screens/stage.ts'

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

/** Waits until nothing moves or loads, and all pictures in the window have arrived. */
async function settle(page: Page): Promise<void> {
  // `waitForFunction` would need `eval`, which the page forbids.
  await page.evaluate(`new Promise((resolve) => {
    const isStill = () => document.fonts.status === 'loaded'
      && document.getAnimations().every(({ playState, effect }) =>
        playState !== 'running' || effect?.getComputedTiming().iterations === Infinity)
      && [...document.querySelectorAll('[role=dialog]')].every((one) => one.checkVisibility({ opacityProperty: true }))
      && [...document.images].every((one) => one.complete || !isSeen(one))
      && !document.querySelector('[aria-busy=true]')
      && performance.now() - lastResponse > 300
    const isSeen = (one) => {
      const { top, bottom } = one.getBoundingClientRect()
      return bottom > 0 && top < innerHeight
    }
    let lastResponse = performance.now()
    new PerformanceObserver(() => { lastResponse = performance.now() }).observe({ type: 'resource' })
    // A request that a scene holds back never ends.
    const end = performance.now() + 5000
    const look = () => isStill() || performance.now() > end ? resolve() : requestAnimationFrame(look)
    look()
  })`)
}

/** The scenes that were asked for and exist in this run and at this width, with their addresses. */
function scenesAt({ address, links }: Instances, width: number): { scene: Scene; at: string }[] {
  return scenes
    .filter(({ name }) => words.some((word) => name.includes(word)))
    .filter(({ below }) => width < (below ?? Number.POSITIVE_INFINITY))
    .flatMap((scene) => {
      const [link, rest] = typeof scene.path === 'string' ? [address, scene.path] : linked(links, scene.path)
      return link === undefined ? [] : [{ scene, at: link + rest }]
    })
}

const linked = (links: Links, [name, rest]: readonly [keyof Links, string]) => [links[name], rest] as const

async function show(stage: Stage, scene: Scene, at: string): Promise<void> {
  const { page } = stage
  await page.goto('about:blank')
  await page.goto(at)
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
async function photograph(browser: Browser, view: View, instances: Instances) {
  const { address, links, tokens } = instances
  const context = await openWindow(browser, view)
  const folder = join(values.out, `${view.width}-${view.theme}-${view.language}`)
  await mkdir(folder, { recursive: true })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.on('pageerror', (error) => found.push(`${folder}: the page threw ${error.message}`))
  const stage: Stage = { page, address, links, say: await translatorFor(view.language) }
  const width = page.viewportSize()?.width ?? view.width
  for (const { scene, at } of scenesAt(instances, width)) {
    const name = join(folder, `${scene.name}.png`)
    try {
      await startAnew(page, new URL(at).origin, scene.isPublic ? undefined : tokens)
      await show(stage, scene, at)
    } catch (error) {
      found.push(`${name}: did not appear: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
    }
    await page.screenshot({ path: name })
    if (values.axe) found.push(...(await violations(page)).map((line) => `${name}: ${line}`))
    await scene.undo?.(stage).catch((error) => found.push(`${name}: was not undone: ${error}`))
  }
  await context.close()
}

/** Forgets what earlier screens have left on the device and in the view, and signs in if there are `tokens`. */
async function startAnew(page: Page, origin: string, tokens?: Instances['tokens']): Promise<void> {
  const token = tokens?.get(origin)
  if (token) await showLists(origin, token)
  await page.goto(`${origin}/api/docs`)
  const signIn = token ? `; localStorage.setItem('jwt', ${JSON.stringify(token)})` : ''
  await page.evaluate(`localStorage.clear()${signIn}`)
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

const list = (text: string) => text.split(',').filter(Boolean)

async function run(folder: string): Promise<void> {
  const instances = await startInstances(folder)
  const browser = await launchCompleteBrowser()
  const views = list(values.languages).flatMap((language) =>
    (['light', 'dark'] as const)
      .filter((theme) => list(values.themes).includes(theme))
      .flatMap((theme) => list(values.sizes).map((width) => ({ width: Number(width), theme, language }))),
  )
  for (const view of views) await photograph(browser, view, instances)
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
