import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'

/** How a program has ended. `code` is undefined if it was killed. */
interface Ending {
  code: number | undefined
  output: string
}

const running = new Set<ChildProcess>()
let isOver = false

/** Ends all programs that run, with the programs that they have started. No others start from now on. */
export function endAll(): void {
  isOver = true
  for (const child of running) end(child)
}

/** Each program runs in a process group of its own, so that its children end with it. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/**
 * Runs a script with our own Node.
 *
 * @param options.limitMs it is killed after this time, in milliseconds
 * @param options.isEnough it is killed after a line of output for which this returns true
 * @throws after `endAll`.
 */
export async function run(
  folder: string,
  args: readonly string[],
  options: { limitMs: number; isEnough?: (line: string) => boolean },
): Promise<Ending> {
  if (isOver) throw new Error('interrupted')
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${path.join(folder, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}`,
      NODE_COMPILE_CACHE: path.join(folder, 'node_modules/.cache/compiled'),
    },
  })
  running.add(child)
  const lines: string[] = []
  let wasEnough = false
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (wasEnough || !options.isEnough?.(line)) return
      wasEnough = true
      end(child)
    })
  }
  const timer = setTimeout(() => end(child), options.limitMs)
  const code = await new Promise<number | undefined>((resolve) =>
    child.on('close', (code) => resolve(code ?? undefined)),
  )
  clearTimeout(timer)
  running.delete(child)
  if (isOver) throw new Error('interrupted')
  return { code: wasEnough ? 1 : code, output: lines.join('\n') }
}

/**
 * Starts the browser that all page tests share. It is closed when the result is disposed.
 *
 * @param folder the tree whose script starts it
 */
export async function startBrowser(folder: string): Promise<Disposable> {
  const child = spawn(process.execPath, ['scripts/test-browser.ts'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for await (const address of createInterface({ input: child.stdout })) {
    process.env.TEST_BROWSER = address
    break
  }
  return { [Symbol.dispose]: () => void child.stdin.end() }
}

// A fault may make a test wait for ever.
const runLimitMs = 180_000
const fileLimitMs = 120_000

/** A test file that failed, and the titles of its tests that failed. */
export interface Failure {
  file: string
  titles: readonly string[]
}

/**
 * Runs test files until one fails or does not end.
 *
 * @param folder the tree with the files
 * @returns the file that failed; undefined: all passed
 * @throws when the tests could not be run.
 */
export async function firstFailed(folder: string, files: readonly string[]): Promise<Failure | undefined> {
  const limitMs = runLimitMs + fileLimitMs * files.length
  // The last line about a file that failed.
  const isEnough = (line: string) => line.startsWith('Run it alone: ')
  const { code, output } = await run(folder, ['scripts/test/run.ts', ...files], { limitMs, isEnough })
  if (code === 0) return undefined
  const [, file] = /^FAIL {2}(\S.*)$/m.exec(output) ?? []
  if (file) return { file, titles: titlesIn(output) }
  if (code !== undefined) throw new Error(`the tests could not be run:\n${output}`)
  const [first] = files
  if (first && files.length === 1) return { file: first, titles: ['it does not end'] }
  for (const one of files) {
    const found = await firstFailed(folder, [one])
    if (found) return found
  }
  return undefined
}

/** The lines about tests have no indentation, those about their assertions have. */
function titlesIn(output: string): string[] {
  return [...output.matchAll(/^not ok \d+ - (.*?)(?: # time=.*)?$/gm)].map(([, title = '']) => title)
}
