import { parseArguments } from './arguments.ts'
import type { Arguments, Flags } from './subcommand.ts'

/**
 * Separates the flags of a subcommand from the options of `serve`, which it also takes.
 *
 * @returns the parsed flags, and the remaining arguments for `loadConfig`
 * @throws StartupProblem for a flag without its value.
 */
export function splitOwnFlags(
  all: readonly string[],
  { name, flags }: { name: string; flags: Flags },
): { own: Arguments; rest: string[] } {
  const mine: string[] = []
  const rest: string[] = []
  const left = [...all]
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    const [, written = '', inline] = /^--([^=]+)(=.*)?$/s.exec(argument) ?? []
    const flag = Object.entries(flags).find(([each]) => each === written.toLowerCase())?.[1]
    if (!flag) {
      rest.push(argument)
      continue
    }
    mine.push(argument)
    const [next] = left
    if (flag.value !== undefined && inline === undefined && next !== undefined)
      mine.push(left.shift() ?? next)
  }
  return { own: parseArguments(mine, { name, flags }), rest }
}
