import { createInterface } from 'node:readline/promises'
import { StartupProblem } from '#src/core/problem.ts'

/**
 * Returns the password to hash: the only argument, or the first line of the input.
 *
 * @throws StartupProblem when there is none, or more than one argument.
 */
export async function readPassword(args: readonly string[], input: NodeJS.ReadStream): Promise<string> {
  if (args.length > 1)
    throw new StartupProblem('coffer hash takes one password: put it in quotes if it contains spaces.')
  const [argument] = args
  const password = argument ?? (await firstLine(input))
  if (!password)
    throw new StartupProblem(
      'There is no password to hash: write it after coffer hash, or enter it on standard input.',
    )
  return password
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  // On a terminal, the prompt goes to standard error, so that the output contains only the hash. Readline echoes to its
  // output and has none, so that the password stays off the screen.
  if (input.isTTY) process.stderr.write('Password: ')
  const lines = createInterface({ input, terminal: Boolean(input.isTTY) })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (input.isTTY) process.stderr.write('\n')
  }
}
