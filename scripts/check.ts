// Runs all static checks, two in parallel, and prints the time of each. `check.mjs` starts it for npm run check.
import { spawn } from 'node:child_process'
import path from 'node:path'

const lingui = ['--config', 'locales/lingui.config.ts']

const checks: readonly (readonly string[])[] = [
  ['knip'],
  ['tsc', '-p', 'src'],
  ['tsc', '-p', 'web'],
  ['biome', 'check', '.'],
  ['lingui', 'check', 'sync', ...lingui],
  ['lingui', 'check', 'missing', '--mode', 'catalog', ...lingui],
  ['size-limit', '--config', 'scripts/size-limit.json'],
]

const waiting = [...checks]
const results: boolean[] = []
await Promise.all([work(), work()])
const failed = results.filter((passed) => !passed).length
console.log(`${results.length - failed} checks passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

async function work(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await check(next))
}

async function check([tool = '', ...args]: readonly string[]): Promise<boolean> {
  const start = performance.now()
  const { code, output } = await outcome(path.resolve('node_modules/.bin', tool), args)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${seconds.padStart(5)} s  ${[tool, ...args].join(' ')}`)
  if (code !== 0) console.log(output)
  return code === 0
}

/** Runs a tool with our own Node. */
function outcome(script: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, output })))
}
