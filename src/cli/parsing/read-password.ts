import { createInterface } from 'node:readline/promises'
import { StartupProblem } from '#src/core/problem.ts'

/**
 * Returns a password: the argument, or the first line of the input.
 *
 * @throws StartupProblem when there is none.
 */
export async function readPassword(
  argument: string | undefined,
  input: NodeJS.ReadStream,
  prompt = 'Password: ',
): Promise<string> {
  const password = argument ?? (await firstLine(input, prompt))
  if (!password)
    throw new StartupProblem(
      'There is no password: write it at the end of the command, or enter it on standard input.',
    )
  return password
}

async function firstLine(input: NodeJS.ReadStream, prompt: string): Promise<string> {
  // On a terminal, the prompt goes to standard error, so that the output contains only the result. Readline echoes to
  // its output and has none, so that the password stays off the screen.
  if (input.isTTY) process.stderr.write(prompt)
  const lines = createInterface({ input, terminal: Boolean(input.isTTY) })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (input.isTTY) process.stderr.write('\n')
  }
}
