import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { FileResult } from './worker.ts'

const worker = new URL('worker.ts', import.meta.url)
const hooks = new URL('../test-hooks.mjs', import.meta.url)

// A test file itself ends after ten minutes. Only a worker that hangs needs longer.
const limitMs = 660_000
// A worker keeps all modules and the compiled code of its files.
const maximumKiB = 1_000_000

/** A process that runs test files, one after another. */
export interface WorkerProcess {
  /** Runs a file. If the process ends meanwhile, the file has failed. */
  run(file: string): Promise<FileResult>
  /** Whether it can run another file. */
  isUsable(): boolean
  end(): void
}

export function startWorker(): WorkerProcess {
  const execArgv = ['--enable-source-maps', '--disable-warning=ExperimentalWarning', `--import=${hooks}`]
  const child = fork(worker, { execArgv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      printed += text
    })
  }
  let hasFailed = false
  return {
    async run(file) {
      printed = ''
      const result = await resultOf(child, file)
      // What a failed test left behind must not make others fail.
      if (!result.ok) hasFailed = true
      return result.ok ? result : { ...result, text: result.text + comments(printed) }
    },
    isUsable: () => !hasFailed && child.connected && memory(child) < maximumKiB,
    end: () => child.kill('SIGKILL'),
  }
}

async function resultOf(child: ChildProcess, file: string): Promise<FileResult> {
  const start = performance.now()
  const { promise, resolve } = Promise.withResolvers<FileResult>()
  const fail = (why: string) => {
    const seconds = (performance.now() - start) / 1000
    const text = `not ok 1 - ${file} ${why}\n`
    resolve({ file, ok: false, seconds, processor: 0, pass: 0, fail: 1, skip: 0, text })
  }
  // What it has printed arrives a little later.
  const ended = (code: number | null, signal: string | null) =>
    setTimeout(() => fail(`ended its process with ${signal ?? `the exit code ${code}`}`), 200)
  const timer = setTimeout(() => fail(`did not end within ${limitMs / 1000} s`), limitMs)
  // tap sends messages of its own.
  const receive = (message: Partial<FileResult>) => message.file === file && resolve(message as FileResult)
  child.on('message', receive)
  child.once('exit', ended)
  child.send(file)
  const result = await promise
  clearTimeout(timer)
  child.off('message', receive)
  child.off('exit', ended)
  return result
}

/** The resident memory of a process, in KiB; 0 where the system has no `/proc`. */
function memory({ pid }: ChildProcess): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** Text as comments of the Test Anything Protocol. */
const comments = (text: string) => text.replace(/^(?=.)/gm, '# ')
