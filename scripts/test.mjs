// npm test: installs, builds, runs the checks and all tests. The last line of output is `N passed, N failed`.
// npm test -- FILE… or FOLDER…: runs only these tests. npm test -- --changed: those that import what has changed since
// the last commit. Both build only what they need and what has changed, and run no checks.
// npm run nightly: everything at full length (`src/testing/long.ts`), and then the scripts that search for faults.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { builtPage, isStale } from './built.mjs'
import { install, ourNode, run } from './install.mjs'

const result = path.resolve('.tap/result.json')
const total = { pass: 0, fail: 0, skip: 0 }
const given = process.argv.slice(2).filter((word) => word !== '--long')
const isLong = process.argv.includes('--long')
if (isLong) process.env.TEST_LONG = '1'
const isAll = given.length === 0

// The tests start many processes. With a compile cache each starts in half the time. Coverage is not exact with cached
// code, so it is disabled here. `npx tap run` measures coverage.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/compiled')

await install()
const node = ourNode()
const files = given.includes('--changed')
  ? await changedTests()
  : testFiles(isAll ? ['src', 'web', 'bin'] : given)
await build()
if (isAll) await checks()
if (!existsSync('.tap/plugins')) await step('tap build', () => run(node, ['node_modules/.bin/tap', 'build']))
await tests()
if (isLong) {
  await step('fuzz', () => run(node, ['scripts/fuzz.ts', '--seconds', '300']))
  await step('faults', () => run(node, ['scripts/faults.ts', '--times', '100']))
  await step('screens', () => run(node, ['scripts/screens.ts', '--axe']))
}
console.log(`\n${total.pass} passed, ${total.fail} failed${total.skip ? `, ${total.skip} skipped` : ''}`)
process.exitCode = total.fail ? 1 : 0

/** Returns the test files among these files, and in these folders. Ends the process if there are none. */
function testFiles(places) {
  const unknown = places.find((place) => !existsSync(place))
  if (unknown) {
    console.error(`${unknown} does not exist. Usage: npm test [-- FILE… | FOLDER… | --changed]`)
    process.exit(2)
  }
  const all = places.flatMap((place) =>
    statSync(place).isDirectory()
      ? readdirSync(place, { recursive: true }).map((file) => path.join(place, file))
      : [place],
  )
  const tests = all
    .map((file) => path.relative('.', file))
    .filter((file) => /^(src|web|bin)\b.*\.test\.tsx?$/.test(file))
  if (tests.length === 0) {
    console.error(`There are no tests in ${places.join(', ')}.`)
    process.exit(2)
  }
  return [...new Set(tests)]
}

/** Returns the tests that import what has changed. Ends the process if there are none. */
async function changedTests() {
  let output = ''
  const code = await run(node, ['scripts/test/changed.ts'], (text) => {
    output += text
  })
  const tests = output.split('\n').filter(Boolean)
  if (code !== 0 || tests.length === 0) {
    if (code === 0) console.log('No test imports what has changed since the last commit.')
    process.exit(code)
  }
  return tests
}

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
  rmSync(result, { force: true })
  process.env.TEST_RESULT = result
  const browser = files.some((file) => file.startsWith('web')) ? await startBrowser() : undefined
  const code = await run(node, ['scripts/test/run.ts', ...files])
  browser?.stdin.end()
  count(existsSync(result) ? JSON.parse(readFileSync(result, 'utf8')) : { pass: 0, fail: 0 }, code)
}

/** Starts one browser for all page tests. Without it, each process of the tests starts its own. */
async function startBrowser() {
  const child = spawn(node, ['scripts/test-browser.ts'], { stdio: ['pipe', 'pipe', 'inherit'] })
  for await (const address of createInterface({ input: child.stdout })) {
    process.env.TEST_BROWSER = address
    return child
  }
}

/** Adds results to the total. A run with an error code but no failures, or without any results, counts as a failure. */
function count({ pass, fail, skip = 0 }, code) {
  const isSilent = (code !== 0 && fail === 0) || pass + fail === 0
  total.pass += pass
  total.fail += isSilent ? fail + 1 : fail
  total.skip += skip
}
