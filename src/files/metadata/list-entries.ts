import { constants, type Stats } from 'node:fs'
import { compileRules, withoutDotfiles } from '#src/core/access/rules.ts'
import { type Reach, targetOf } from '#src/files/jail/link-target.ts'
import { kindOf, typeByName } from '#src/files/listing/entry.ts'
import { sightOf } from '#src/files/listing/folder-entries.ts'
import type { ShownFolder } from '#src/files/listing/list-task.ts'
import { lstatSync } from '#src/files/paths/disk.ts'
import { shownNames } from '#src/files/paths/read-folder.ts'
import { stateKey } from './state-key.ts'

const { S_IFLNK, S_IFREG } = constants

/** The entries of a folder about which something may be known; one array for each property. */
export interface ShownEntries {
  names: string[]
  /** The key of the state of each picture; empty for other entries. */
  keys: string[]
  /** The number of the owner of each entry. */
  owners: number[]
}

/** What decides which symbolic links of a folder the user may follow. */
export function reachOf({ root, secret, rules, hideDotfiles }: ShownFolder): Reach {
  return { root, secret, allows: withoutDotfiles(compileRules(rules), hideDotfiles) }
}

/**
 * Lists the pictures of a folder, or with `isAll` every entry. Synchronous, for worker threads.
 *
 * @throws the error of the system when the folder cannot be read.
 */
export function listEntries(folder: ShownFolder, { isAll }: { isAll: boolean }): ShownEntries {
  const reach = reachOf(folder)
  const entries: ShownEntries = { names: [], keys: [], owners: [] }
  for (const name of shownNames(folder.address, sightOf(folder))) {
    const isPicture = typeByName(name) === 'image'
    const stats = isPicture || isAll ? statsOf(`${folder.address}/${name}`, reach) : undefined
    if (!stats) continue
    const isFile = kindOf(stats.mode) === S_IFREG
    if (!isFile && !isAll) continue
    entries.names.push(name)
    entries.keys.push(isFile && isPicture ? stateKey(stats) : '')
    entries.owners.push(stats.uid)
  }
  return entries
}

/** The stats of an entry, or of the target of a symbolic link if the user may see it. */
function statsOf(address: string, reach: Reach): Stats | undefined {
  const stats = lstatSync(address, { throwIfNoEntry: false })
  if (!stats || kindOf(stats.mode) !== S_IFLNK) return stats
  const target = targetOf(address, reach)
  return target === 'broken' ? undefined : target
}
