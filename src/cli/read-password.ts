import { createInterface } from 'node:readline/promises'
import { StartupProblem } from '#src/core/problem.ts'

/**
 * The password to hash: the only word, or the first line of the input.
 *
 * @throws StartupProblem when there is none, or more than one word.
 */
export async function readPassword(words: readonly string[], input: NodeJS.ReadStream): Promise<string> {
  if (words.length > 1) throw new StartupProblem('coffer hash takes one password: put quotes around it.')
  const [word] = words
  const password = word ?? (await firstLine(input))
  if (!password)
    throw new StartupProblem('There is no password to hash: write one after coffer hash, or type it.')
  return password
}

async function firstLine(input: NodeJS.ReadStream): Promise<string> {
  // On a terminal the question goes to the error stream, so that the output holds the hash alone. Raw mode keeps the
  // password off the screen: readline echoes to its output, and it has none.
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
