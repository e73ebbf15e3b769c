import type { Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { identityOf } from '#src/files/changes/change.ts'
import { lstatSync } from '#src/files/paths/disk.ts'
import { ownNamesSync } from '#src/files/paths/read-folder.ts'
import { remoteMountOf } from '#src/files/paths/remote-mounts.ts'

// A hard link is another name of the same file, and a check of paths does not find it. Coffer's own files are
// recognized by device and inode too.

/** How long the identities of Coffer's own files are remembered, in milliseconds: some are replaced by each write. */
const rememberedMs = 1000
/** Entries that are examined at most, those of the upper levels first, and names in each folder. */
const most = { entries: 2000, names: 500 }
/** Folders of Coffer that hold contents of users: they may have other names among the files of users. */
const contentFolders = ['kept', 'cache']

const remembered = new WeakMap<readonly string[], { at: number; identities: ReadonlySet<string> }>()
/** Own files that had a name elsewhere when they were seen. They still exist after Coffer has replaced them. */
const linked = new Set<string>()
const mostLinked = 10_000

/**
 * Whether a file is one of Coffer's own, by another name, or was one until Coffer has replaced it. Costs nothing for files
 * with one name. Synchronous, also for worker threads.
 *
 * @param secret as in a jail
 */
export function isOwnFile(stats: Stats, secret: readonly string[]): boolean {
  if (!stats.isFile() || (stats.nlink < 2 && linked.size === 0)) return false
  return linked.has(originOf(stats)) || (stats.nlink > 1 && ownIdentities(secret).has(identityOf(stats)))
}

/** Unlike the inode alone, it is never that of a later file. */
const originOf = (stats: Stats) => `${identityOf(stats)} ${stats.birthtimeMs}`

function ownIdentities(secret: readonly string[]): ReadonlySet<string> {
  const known = remembered.get(secret)
  if (known && performance.now() - known.at < rememberedMs) return known.identities
  const identities = identitiesOf(secret)
  remembered.set(secret, { at: performance.now(), identities })
  return identities
}

function identitiesOf(secret: readonly string[]): ReadonlySet<string> {
  const found = new Map<string, { names: number; stats: Stats }>()
  const paths = [...new Set(secret)]
  // The loop also reaches what is added to the list.
  for (const path of paths) {
    const stats = statOwn(path)
    if (!stats) continue
    if (stats.isFile()) {
      const identity = identityOf(stats)
      found.set(identity, { names: (found.get(identity)?.names ?? 0) + 1, stats })
    }
    if (stats.isDirectory()) paths.push(...namesIn(path, most.entries - paths.length))
  }
  for (const { names, stats } of found.values())
    if (stats.nlink > names && linked.size < mostLinked) linked.add(originOf(stats))
  return new Set(found.keys())
}

/** The paths in a folder of Coffer, at most `room`. */
function namesIn(folder: string, room: number): string[] {
  if (contentFolders.includes(basename(folder))) return []
  return ownNamesSync(folder, Math.max(0, Math.min(most.names, room))).map((name) => join(folder, name))
}

/** Undefined also on a remote disk: it may not respond, and these calls cannot be cancelled. */
function statOwn(path: string): Stats | undefined {
  if (remoteMountOf(path) !== undefined) return undefined
  try {
    return lstatSync(path)
  } catch {
    return undefined // most of the paths are those of files that do not exist yet
  }
}
