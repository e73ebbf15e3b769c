// Runs test files one after another, as the run asks for them. Importing the application costs two seconds and its first
// requests run slowly, so a process of its own for each file would need most of the processor for that.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The result of one test file. `text` is its output in the Test Anything Protocol. */
export interface FileResult {
  file: string
  ok: boolean
  seconds: number
  /** Seconds of processor of this process. The browser and started programs are not counted. */
  processor: number
  pass: number
  fail: number
  skip: number
  text: string
}

const timeout = 600_000
const roots: Record<string, unknown> = {}
Object.assign(globalThis, { cofferTestRoots: roots })

// What a test file imports as `t` is a test of its own, so that its hooks and teardowns are only those of this file.
const scheme = 'test-root:'
// tap uses async hooks to find the test that caused an uncaught error. These hooks take a tenth of the time of all tests.
// Here an uncaught error ends the process, and the test file fails.
const noDomain = 'test-domain:'
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'async-hook-domain') return { url: noDomain, format: 'module', shortCircuit: true }
    const parent = context.parentURL ?? ''
    if (specifier !== 'tap' || !(parent in roots)) return next(specifier, context)
    return { url: scheme + parent, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    if (url === noDomain) {
      return { format: 'module', source: 'export class Domain { destroy() {} }', shortCircuit: true }
    }
    if (!url.startsWith(scheme)) return next(url, context)
    const parent = JSON.stringify(url.slice(scheme.length))
    const source = `export default globalThis.cofferTestRoots[${parent}]`
    return { format: 'module', source, shortCircuit: true }
  },
})

const { t: processRoot, Test } = await import('tap')
// Nothing runs in the root of the process itself, which would end it after 30 s.
processRoot.setTimeout(0)

process.on('uncaughtExceptionMonitor', (error) => {
  appendFileSync(2, `Uncaught: ${error?.stack ?? error}\n`)
})

process.on('message', async (file: string) => {
  process.send?.(await runFile(file))
})

function runFile(file: string): Promise<FileResult> {
  const url = pathToFileURL(file).href
  const root = new Test({
    name: file,
    timeout,
    testdir: path.resolve('.tap/fixtures', file.replaceAll(path.sep, '-')),
    cb: () => import(url),
  })
  roots[url] = root
  // tap removes the folder of a test before the teardown functions run, unless a teardown function was there first. Then
  // a server would still write into the folder, the removal could fail, and tap would wait for the server forever.
  root.beforeEach((test) => test.teardown(() => {}))
  const usedBefore = usedSeconds()
  let text = ''
  root.on('data', (part) => {
    text += part
  })
  return new Promise((resolve) => {
    root.on('end', () => {
      root.setTimeout(0)
      const { pass, fail, skip, todo } = root.counts
      const ok = root.results?.ok ?? false
      const processor = usedSeconds() - usedBefore
      resolve({ file, ok, seconds: root.time / 1000, processor, pass, fail, skip: skip + todo, text })
    })
    root.runMain(() => {})
  })
}

function usedSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
