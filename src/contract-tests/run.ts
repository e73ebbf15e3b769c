import { openPlace, type Where } from './place.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'

/** The numbers of kept and broken rules. */
export interface Outcome {
  kept: number
  broken: number
}

/**
 * Checks every rule on a server, one after another, and prints each result in TAP. Removes everything that the run
 * has created.
 *
 * @throws Error if the server cannot be reached or the user is not an administrator
 */
export async function tryRules(where: Where, print: (line: string) => void): Promise<Outcome> {
  const place = await openPlace(where)
  const outcome = { kept: 0, broken: 0 }
  print('TAP version 14')
  print(`1..${rules.length}`)
  try {
    for (const [at, one] of rules.entries()) {
      const fault = await faultOf(one.holds(place))
      print(`${fault ? 'not ok' : 'ok'} ${at + 1} - ${nameOf(one)}`)
      if (fault) print(`  ---\n${fault.replace(/^/gm, '    ').replace('    ', '  message: |\n    ')}\n  ...`)
      outcome[fault ? 'broken' : 'kept']++
    }
  } finally {
    await place.close()
  }
  return outcome
}

/** A rule in one line. `#` starts a directive in TAP. */
export function nameOf({ of, says }: Rule): string {
  return `${of}: ${says}`.replaceAll('#', '\\#')
}

async function faultOf(holds: Promise<void>): Promise<string | undefined> {
  try {
    await holds
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return undefined
}
