import path from 'node:path'
import { isExecutable } from '#src/core/embedded.ts'
import { CommandProblem, Problem, StartupProblem } from '#src/core/problem.ts'
import { run } from './cli.ts'

// Set before the first thread starts. A call to a slow or silent disk blocks one of these threads.
process.env.UV_THREADPOOL_SIZE ??= '16'

// The reader of a pipe may close it early, as in `coffer licences | head -1`. The rest of the output is dropped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

run(process.argv.slice(2), {
  command: isExecutable ? [process.execPath] : [process.execPath, path.resolve(process.argv[1] ?? '')],
  env: process.env,
  stdin: process.stdin,
  isTerminal: process.stdout.isTTY === true,
  print: (line) => process.stdout.write(`${line}\n`),
  warn: (line) => process.stderr.write(`${line}\n`),
}).catch((error) => {
  // A problem is one sentence that says what to do. Any other error is a bug, and its stack trace helps to find it.
  const isExpected = [StartupProblem, CommandProblem, Problem].some((kind) => error instanceof kind)
  process.stderr.write(`${isExpected ? error.message : (error as Error).stack}\n`)
  process.exit(error instanceof StartupProblem ? 2 : 1)
})
