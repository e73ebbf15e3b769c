// npm test: installs, builds, runs the checks and all tests. The last line of output is `N passed, N failed`.
// Arguments after `npm test --`, such as the path of a test file, are passed to tap.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { install, ourNode, run } from './install.mjs'

const raw = '.tap/all.tap'
const total = { pass: 0, fail: 0, skip: 0, todo: 0 }

// The tests start hundreds of servers. With a compile cache each starts in half the time. Coverage is not exact with
// cached code, so it is disabled here. `npx tap run` measures coverage.
process.env.NODE_COMPILE_CACHE ??= path.resolve('node_modules/.cache/compiled')

await install()
const node = ourNode()
await step('build', () => run(node, ['build.ts']))
await checks()
if (!existsSync('.tap/plugins')) await step('tap build', () => run(node, ['node_modules/.bin/tap', 'build']))
await tests()
const skipped = total.skip + total.todo
console.log(`\n${total.pass} passed, ${total.fail} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = total.fail ? 1 : 0

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
  rmSync(raw, { force: true })
  const args = [
    'node_modules/.bin/tap',
    'run',
    '--disable-coverage',
    `--reporter=${reporter}`,
    `--output-file=${raw}`,
  ]
  const code = await run(node, [...args, ...process.argv.slice(2)])
  const text = existsSync(raw) ? readFileSync(raw, 'utf8') : ''
  if (!process.stdout.isTTY) console.log(failures(text))
  count(summary(text), code)
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
