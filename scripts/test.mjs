// npm test: set-up, builds, checks, every test; closes with `N passed, N failed` alone on a line.
// Words after `npm test --` go to tap, such as the path of one test file.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { install, ourNode, run } from './install.mjs'

const raw = '.tap/all.tap'
const total = { pass: 0, fail: 0, skip: 0, todo: 0 }

// Hundreds of servers are started: each takes half the time when its code was compiled before. With code from there the
// account of what ran is not exact, so none is kept; `npx tap run` keeps one.
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

/** One thing that either goes well or not. */
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
  // The lively reporter is for people who watch; a log gets the failures alone.
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

/** Each test that failed, with what tap knows of it: from `not ok` to the end of its YAML block. */
function failures(text) {
  return [...text.matchAll(/^ *not ok (?!.*# (?:TODO|SKIP)).*\n(?: *---\n[\s\S]*?\n *\.\.\.\n)?/gm)].join(
    '\n',
  )
}

/** tap's own account, the last such comment that is not indented: `# { total: 15, pass: 14, fail: 1 }`. */
function summary(text) {
  const found = [...text.matchAll(/^# \{ total: [^}]*\}/gm)].at(-1)?.[0] ?? ''
  const number = (key) => Number(new RegExp(`\\b${key}: (\\d+)`).exec(found)?.[1] ?? 0)
  return { pass: number('pass'), fail: number('fail'), skip: number('skip'), todo: number('todo') }
}

/** A run that ended badly without telling of a failure, or told of nothing at all, is one. */
function count({ pass, fail, skip = 0, todo = 0 }, code) {
  const isSilent = (code !== 0 && fail === 0) || pass + fail === 0
  total.pass += pass
  total.fail += isSilent ? fail + 1 : fail
  total.skip += skip
  total.todo += todo
}
