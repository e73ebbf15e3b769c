import { Readable } from 'node:stream'
import { run } from '#src/cli/cli.ts'
import { loadConfig } from '#src/config/load.ts'
import { createLog } from '#src/core/log/log.ts'
import { start } from '#src/start/main.ts'

/**
 * Starts the program in this process. It serves the folder `root`, and its state is beside it.
 *
 * @param password of the first user, or its hash
 */
export async function startInstance(root: string, password: string) {
  const config = await loadConfig(['--root', root, '--port', '0', '--password', password], {})
  const log = createLog({ target: '', format: 'text' })
  return start({ ...config, stopTimeoutMs: 0 }, { log, print: () => {} })
}

/**
 * Runs a command for the instance of `root` in this process. Returns what it prints.
 *
 * @param input the standard input
 */
export async function runCommand(
  root: string,
  words: readonly string[],
  input: Readable = Readable.from(['\n']),
  warn: (line: string) => void = () => {},
): Promise<string> {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const stdin = input as NodeJS.ReadStream
  await run([...words, '--root', root], { command: ['coffer'], env: {}, stdin, print, warn })
  return printed.join('\n')
}
