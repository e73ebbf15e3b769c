import { dirname } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { compileRules } from '#src/core/access/rules.ts'
import { asText } from '#src/files/paths/byte-names.ts'
import { realpathSync } from '#src/files/paths/disk.ts'
import { foldingMatters, foldsHere, foldsNow } from '#src/files/paths/folding.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Address } from './descent.ts'

/**
 * Rules that are asked about everything in a tree, folder by folder. In folders that take a name in several spellings, a
 * rule that denies denies them all. Synchronous: for workers.
 *
 * @param top the name of the tree for system calls
 */
export function createTreeRules(rules: readonly Rule[], top: string) {
  const allows = compileRules(rules)
  const mayFold = foldingMatters(rules)
  const around = mayFold && foldsAround(top)
  const levels: boolean[] = []
  const here = () => levels.at(-1) ?? around
  return {
    /** Whether rules allow the path of a name in the folder that was entered last; before the first, of the tree. */
    allows: (path: UserPath) => allows(path, here()),
    /** A folder is entered that has these names. Answers them. */
    enter<Name extends string | Buffer>(folder: Address, names: Name[]): Name[] {
      levels.push(here() || (mayFold && foldsHere(asText(folder), names.map(asText))))
      return names
    },
    /** It is left. */
    leave: () => void levels.pop(),
  }
}

function foldsAround(top: string): boolean {
  try {
    return foldsNow(realpathSync(dirname(top)))
  } catch {
    return false // it has gone: the task itself fails over that
  }
}
