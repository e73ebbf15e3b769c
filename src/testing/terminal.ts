import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Test } from 'tap'
import { main } from './program.ts'
import { systemTool } from './system-tool.ts'
import { until } from './wire.ts'

/** A process of the program whose output is a terminal. */
export interface TerminalProgram {
  /** All output so far, of both streams. */
  said(): string
  /** Sends a signal to the program itself. */
  kill(signal: NodeJS.Signals): void
  /** Resolves when the program and its terminal have ended. */
  ended: Promise<unknown>
}

/** Whether this system can run a program in a terminal of its own. */
export const hasTerminal =
  process.platform === 'linux' &&
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'script')))

/** Starts the program with these arguments in a terminal. Needs `hasTerminal`. */
export async function runInTerminal(t: Test, ...words: string[]): Promise<TerminalProgram> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const dist = join(t.testdirName, 'web', 'dist')
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'index.html'), '<title>%TITLE%</title>')
  const pidFile = join(t.testdirName, 'pid')
  writeFileSync(pidFile, '')
  const command = [process.execPath, main, ...words].map(quoted).join(' ')
  const child: ChildProcess = spawn(
    systemTool('script'),
    ['-qec', `echo $$ > ${quoted(pidFile)}; exec ${command}`, '/dev/null'],
    {
      cwd: t.testdirName,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH,
        HOME,
        SHELL: '/bin/sh',
        ...(TMPDIR && { TMPDIR }),
        ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
      },
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      // A terminal ends lines with CR LF.
      said += String(chunk).replaceAll('\r', '')
    })
  }
  const ended = once(child, 'close')
  const [pid] = await until(() => /^\d+(?=\n)/.exec(readFileSync(pidFile, 'utf8')))
  const kill = (signal: NodeJS.Signals) => {
    try {
      process.kill(Number(pid), signal)
    } catch {
      // The program has ended already.
    }
  }
  t.teardown(async () => {
    kill('SIGKILL')
    await ended
  })
  return { said: () => said, kill, ended }
}

/** Starts the program in a terminal, on a free port, and waits until it prints the port. Needs `hasTerminal`. */
export async function serveInTerminal(t: Test, root: string, ...words: string[]) {
  const program = await runInTerminal(t, '--root', root, '--port', '0', ...words)
  let hasEnded = false
  void program.ended.then(() => {
    hasEnded = true
  })
  const [, port] = await until(() => {
    if (hasEnded) throw new Error(program.said())
    return / at https?:\/\/127\.0\.0\.1:(\d+)\//.exec(program.said())
  })
  return { ...program, port: Number(port) }
}

/** One word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
