import { posix } from 'node:path'
import type { Allows } from '#src/core/access/rules.ts'
import { everyEntry } from '#src/files/paths/read-folder.ts'
import { childOf, type UserPath } from '#src/files/paths/user-path.ts'

/** The number of entries that are compared with the rules. */
const mostEntries = 50_000

/**
 * Whether rules allow everything below a folder. Also false when the folder has too many entries to tell.
 *
 * @param real real path of the folder
 * @param path the same place in the scope, for the rules
 */
export async function isAllAllowed(real: string, path: UserPath, allows: Allows): Promise<boolean> {
  const folders: [real: string, path: UserPath][] = [[real, path]]
  let count = 0
  for (let next = folders.pop(); next; next = folders.pop()) {
    const [here, inScope] = next
    for (const entry of await everyEntry(here)) {
      const own = childOf(inScope, entry.name)
      if (++count > mostEntries || !allows(own, true)) return false
      if (entry.isDirectory()) folders.push([posix.join(here, entry.name), own])
    }
  }
  return true
}
