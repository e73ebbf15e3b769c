import { dirname } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { asText } from '#src/files/paths/byte-names.ts'
import { realpathSync } from '#src/files/paths/disk.ts'
import { foldingMatters, foldsHere, foldsSync } from '#src/files/paths/folding.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Address } from './descent.ts'

/**
 * Checks the rules for every path in a tree, folder by folder. In folders that accept several spellings of a name, a
 * rule that denies one spelling denies all of them. Synchronous, for worker threads.
 *
 * @param top the path of the tree for system calls
 */
export function createTreeRules(rules: readonly Rule[], top: string) {
  const allows = compileRules(rules)
  const mayFold = foldingMatters(rules)
  const around = mayFold && foldsAround(top)
  const levels: boolean[] = []
  const here = () => levels.at(-1) ?? around
  return {
    /** Whether the rules allow an entry of the current folder; before the first `enter`, the tree itself. */
    allows: (path: UserPath) => allows(path, here()),
    /** Enters a folder that has these names. Returns the names. */
    enter<Name extends string | Buffer>(folder: Address, names: Name[]): Name[] {
      levels.push(here() || (mayFold && foldsHere(asText(folder), names.map(asText))))
      return names
    },
    /** Leaves the current folder. */
    leave: () => void levels.pop(),
  }
}

function foldsAround(top: string): boolean {
  try {
    return foldsSync(realpathSync(dirname(top)))
  } catch {
    return false // the folder does not exist: the task itself then fails
  }
}
