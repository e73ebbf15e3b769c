// npm run mutations -- [--only TEXT] [--most 25]: puts small faults into a copy of the code, one at a time, and runs the
// tests of the changed file, the nearest first, until one fails. Each fault must make a test fail: code whose faults no
// test notices is not tested. `--only` takes the faults in files whose paths contain the text. `--most` is the number of
// test files that run for each fault. A test file that also fails without the fault does not count.
import { parseArgs } from 'node:util'
import { type Copy, copyCheckout } from './mutations/copy.ts'
import { mutations, problemsOf } from './mutations/list.ts'
import type { Mutation } from './mutations/mutation.ts'
import { endAll, type Failure, firstFailed, startBrowser } from './mutations/run-tests.ts'
import { testsOf } from './test/import-graph.ts'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, most: { type: 'string', default: '25' } },
})
const most = Number(values.most)
if (!Number.isInteger(most) || most < 1) throw new Error('--most must be a whole number above 0')
const chosen = mutations.filter(({ file }) => file.includes(values.only))
const unusable = chosen.flatMap(problemsOf)
if (chosen.length === 0 || unusable.length > 0) {
  console.error(unusable.join('\n') || `no fault is in a file whose path contains ${values.only}`)
  process.exit(1)
}

let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    isInterrupted = true
    endAll()
  })
}
try {
  console.log('Copying the code and building the page.')
  const copy = await copyCheckout()
  const caught = await runAll(copy).finally(() => copy.remove())
  console.log(`${caught} of ${chosen.length} caught`)
  process.exitCode = caught === chosen.length ? 0 : 1
} catch (error) {
  if (!isInterrupted) throw error
  process.exitCode = 1
}

/** Puts one fault after the other into the copy. Returns how many were caught. */
async function runAll(copy: Copy): Promise<number> {
  using _browser = await startBrowser(copy.folder)
  let caught = 0
  for (const [at, mutation] of chosen.entries()) {
    const start = performance.now()
    const { failure, tests } = await firstToFail(copy, mutation)
    const seconds = Math.round((performance.now() - start) / 1000)
    console.log(`${at + 1}. ${mutation.file}: ${mutation.what}`)
    if (!failure) console.log(`   NOT CAUGHT (${tests} files green)`)
    else {
      caught++
      console.log(`   caught by ${failure.file} in ${seconds} s: ${failure.titles.join('; ')}`)
    }
  }
  return caught
}

/** Runs the tests of a fault until one fails that passes without the fault. */
async function firstToFail(copy: Copy, mutation: Mutation): Promise<{ failure?: Failure; tests: number }> {
  let waiting = testsOf([mutation.file])
    .map(({ file }) => file)
    .filter((file) => !file.startsWith('bin/'))
    .slice(0, most)
  const tests = waiting.length
  try {
    await copy.apply(mutation)
    // The nearest tests fail most often, so that few of them run first.
    for (let size = 2; waiting.length > 0; size *= 2) {
      const batch = waiting.slice(0, size)
      const failure = await firstFailed(copy.folder, batch)
      if (failure) {
        await copy.restore()
        if (!(await firstFailed(copy.folder, [failure.file]))) return { failure, tests }
        console.log(`${failure.file} also fails without the fault and is left out`)
        await copy.apply(mutation)
      }
      waiting = waiting.filter((each) => (failure ? each !== failure.file : !batch.includes(each)))
    }
    return { tests }
  } finally {
    await copy.restore()
  }
}
