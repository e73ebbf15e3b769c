import { join } from 'node:path'
import { pathOfDeleted } from '#src/files/paths/path-access.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { type CheckContext, checkRules, type NamedPath } from '#src/files/trees/tree-context.ts'

// The only checks of access to kept items. An item belongs to the store where it was: users who may not read that
// store must not list, open, restore or delete the item, wherever it would go.

/**
 * The path of a kept item in the scope of a user. Undefined: it was outside, or the rules deny it. Then the item does not
 * exist for this user.
 *
 * @param was where the item was, relative to the served folder `root`
 */
export function pathOfKept(
  jail: Pick<Jail, 'root' | 'allows'>,
  { root, was }: { root: string; was: string },
): UserPath | undefined {
  return pathOfDeleted(jail, join(root, was))
}

/** A kept item that will be moved or deleted. */
export interface MovedItem {
  /** Its path for system calls. */
  address: string
  /** Where it was: from `pathOfKept`. */
  was: UserPath
  /** Where it goes. Undefined: it is deleted permanently. */
  to?: NamedPath | undefined
}

/**
 * Checks the rules for an item and everything in it, as if it were where it was, and as if it were where it goes. Another
 * user may have deleted a folder that contains something which rules deny this user.
 *
 * @throws Problem `path.forbidden`.
 */
export async function checkKept(context: CheckContext, { address, was, to }: MovedItem): Promise<void> {
  await checkRules(context, { address, place: { path: was, asked: was } })
  if (to) await checkRules(context, { address, place: to })
}
