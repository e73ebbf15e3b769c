// Runs test files. `scripts/test.mjs` starts it after it has installed and built what they need.
// Writes the counts to the file in TEST_RESULT.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { bundleFolder, bundleProgram } from './bundle.ts'
import { runFiles } from './pool.ts'
import { createProgress, failureText } from './progress.ts'
import type { TerminalMessage } from './terminal.ts'
import { longestFirst, readTimes, saveTimes } from './times.ts'

const files = process.argv.slice(2)
const times = readTimes()
const progress = createProgress(files, times)
const reporter = process.stdout.isTTY ? fork(new URL('terminal.ts', import.meta.url)) : undefined
const reporterEnded = reporter && once(reporter, 'exit')
const tell = (message: TerminalMessage) => reporter?.connected && reporter.send(message)
tell({ files: files.length })
const timer = setInterval(() => reporter ?? console.log(progress.line()), 60_000)

await bundleProgram()
process.env.TEST_BUNDLE = bundleFolder

await runFiles(longestFirst(files, times), {
  needsOwn: (file) => /^\/\/ Needs a process of its own/m.test(readFileSync(file, 'utf8')),
  onStart: (file) => tell({ file }),
  onResult(result) {
    progress.add(result)
    times[result.file] = result.seconds
    if (reporter) tell({ file: result.file, text: result.text })
    else if (!result.ok) console.log(failureText(result))
  },
})
clearInterval(timer)
await reporterEnded
saveTimes(times)
console.log(progress.end())
const counts = progress.counts()
if (process.env.TEST_RESULT) writeFileSync(process.env.TEST_RESULT, JSON.stringify(counts))
process.exitCode = counts.fail ? 1 : 0
