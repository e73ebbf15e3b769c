// npm test: installs, builds, runs the checks and all tests. The last line of output is `N passed, N failed`.
// npm test -- FILE…: runs only these test files. Builds only what they need and what has changed; runs no checks.
// Other arguments are passed to tap.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { builtPage, isStale } from './built.mjs'
import { install, ourNode, run } from './install.mjs'

const raw = '.tap/all.tap'
// Uncaught errors of test processes, written by `test-hooks.mjs`.
const uncaught = path.resolve('.tap/uncaught.txt')
process.env.COFFER_TEST_UNCAUGHT = uncaught
const total = { pass: 0, fail: 0, skip: 0, todo: 0 }
const given = process.argv.slice(2)
const files = given.filter((word) => /\.test\.tsx?$/.test(word)).map((file) => path.relative('.', file))
const isAll = files.length === 0

// The tests start hundreds of servers. With a compile cache each starts in half the time. Coverage is not exact with
// cached code, so it is disabled here. `npx tap run` measures coverage.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/compiled')

await install()
const node = ourNode()
await build()
if (isAll) await checks()
if (!existsSync('.tap/plugins')) await step('tap build', () => run(node, ['node_modules/.bin/tap', 'build']))
await tests()
const skipped = total.skip + total.todo
console.log(`\n${total.pass} passed, ${total.fail} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = total.fail ? 1 : 0

/** Builds the page and the executable. For single test files, builds only what is missing or what they need anew. */
async function build() {
  const program = process.platform === 'win32' ? 'bin/coffer.exe' : 'bin/coffer'
  const folders = ['src', 'web']
  const needs = (folder, result) =>
    !existsSync(result) || (files.some((file) => file.startsWith(folder)) && isStale(result, folders))
  if (isAll || needs('bin', program)) await step('build', () => run(node, ['build.ts']))
  else if (needs('web', builtPage)) await step('build', () => run(node, ['build.ts', '--web']))
}

/** Runs one step and counts it as passed or failed. */
async function step(name, work) {
  const code = await work()
  if (code === 0) total.pass++
  else {
    total.fail++
    console.error(`${name} failed`)
  }
}

async function checks() {
  let output = ''
  const code = await run(node, ['scripts/check.ts'], (text) => {
    output += text
  })
  const [, pass, fail] = /^(\d+) checks passed, (\d+) failed$/m.exec(output) ?? []
  count({ pass: Number(pass ?? 0), fail: Number(fail ?? 0) }, code)
}

async function tests() {
  // On a terminal, tap shows its progress. In a log, only the failures are printed.
  const reporter = process.stdout.isTTY ? 'base' : 'silent'
  for (const file of [raw, uncaught]) rmSync(file, { force: true })
  const args = [
    'node_modules/.bin/tap',
    'run',
    '--disable-coverage',
    `--reporter=${reporter}`,
    `--output-file=${raw}`,
  ]
  const browser = isAll || files.some((file) => file.startsWith('web')) ? await startBrowser() : undefined
  const code = await run(node, [...args, ...given])
  browser?.stdin.end()
  const text = existsSync(raw) ? readFileSync(raw, 'utf8') : ''
  if (!process.stdout.isTTY) console.log(failures(text))
  if (code !== 0 && existsSync(uncaught)) console.log(`Uncaught errors:\n${readFileSync(uncaught, 'utf8')}`)
  count(summary(text), code)
}

/** Starts one browser for all page tests. Without it, each test file starts its own. */
async function startBrowser() {
  const child = spawn(node, ['scripts/test-browser.ts'], { stdio: ['pipe', 'pipe', 'inherit'] })
  for await (const address of createInterface({ input: child.stdout })) {
    process.env.COFFER_TEST_BROWSER = address
    return child
  }
}

/** Returns each failed test with its diagnostics: from `not ok` to the end of its YAML block. */
function failures(text) {
  return [...text.matchAll(/^ *not ok (?!.*# (?:TODO|SKIP)).*\n(?: *---\n[\s\S]*?\n *\.\.\.\n)?/gm)].join(
    '\n',
  )
}

/**
 * Parses the summary of tap, the last comment of this form without indentation: `# { total: 15, pass: 14, fail: 1 }`.
 */
function summary(text) {
  const found = [...text.matchAll(/^# \{ total: [^}]*\}/gm)].at(-1)?.[0] ?? ''
  const number = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(found)?.[1] ?? 0)
  return { pass: number('pass'), fail: number('fail'), skip: number('skip'), todo: number('todo') }
}

/** Adds results to the total. A run with an error code but no failures, or without any results, counts as a failure. */
function count({ pass, fail, skip = 0, todo = 0 }, code) {
  const isSilent = (code !== 0 && fail === 0) || pass + fail === 0
  total.pass += pass
  total.fail += isSilent ? fail + 1 : fail
  total.skip += skip
  total.todo += todo
}
