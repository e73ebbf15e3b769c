import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Test } from 'tap'
import { listening, main, placeOf } from './program.ts'
import { systemTool } from './system-tool.ts'
import { until } from './wire.ts'

/** A process of the program whose output is a terminal. */
export interface TerminalProgram {
  /** All output so far, of both streams. */
  said(): string
  /** Sends a signal to the program itself. */
  kill(signal: NodeJS.Signals): void
  /** Resolves when the program and its terminal have ended. */
  ended: Promise<number | string>
}

/** Whether this system can run a program in a terminal of its own. */
export const hasTerminal =
  process.platform === 'linux' &&
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'script')))

/** Starts the program with these arguments in a terminal. Needs `hasTerminal`. */
export async function runInTerminal(t: Test, ...words: string[]): Promise<TerminalProgram> {
  const { cwd, env } = placeOf(t)
  const pidFile = join(t.testdirName, 'pid')
  writeFileSync(pidFile, '')
  const command = [process.execPath, main, ...words].map(quoted).join(' ')
  const child: ChildProcess = spawn(
    systemTool('script'),
    ['-qec', `echo $$ > ${quoted(pidFile)}; exec ${command}`, '/dev/null'],
    { cwd, stdio: ['pipe', 'pipe', 'pipe'], env: { ...env, SHELL: '/bin/sh' } },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      // A terminal ends lines with CR LF.
      said += String(chunk).replaceAll('\r', '')
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
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
  return listening(await runInTerminal(t, '--root', root, '--port', '0', ...words))
}

/** One word of a shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
