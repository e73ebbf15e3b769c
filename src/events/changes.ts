import { runTask } from '#src/files/paths/ask-disk.ts'
import { cachedFolding, foldingIn } from '#src/files/paths/folding.ts'
import { remoteMountOf } from '#src/files/paths/remote-mounts.ts'
import type { ChangedNames } from '#src/files/watching/folder-watch.ts'

/** Changes that all connections receive together, as far as their users may see them. */
export interface ChangeBatch {
  /** The changed names of folders, by the real path of the folder. */
  folders: ReadonlyMap<string, ChangedNames>
  /** The real paths of entries that were moved to the trash or have left it. */
  trash: ReadonlySet<string>
  /** Whether there were too many changes: everything may have changed. */
  isLost: boolean
  /** Whether names in a folder have several spellings. */
  folds(folder: string): Promise<boolean>
}

// Above this, checking each name costs more than reading the folder again.
const mostNames = 500
const mostEntries = 2000

/** Collects changes until the next batch. */
export function createPendingChanges() {
  let folders = new Map<string, Set<string> | undefined>()
  let trash = new Set<string>()
  let entries = 0

  function add(folder: string, name: string | undefined): void {
    const names = folders.get(folder)
    if (isKnown(names, name, folders.has(folder)) || entries > mostEntries) return
    entries++
    if (name === undefined || (names && names.size >= mostNames)) folders.set(folder, undefined)
    else if (names) names.add(name)
    else folders.set(folder, new Set([name]))
  }

  return {
    add,

    /** Adds changed names of one folder. */
    addNames(folder: string, names: ChangedNames): void {
      if (!names) add(folder, undefined)
      else for (const name of names) add(folder, name)
    },

    /** Adds an entry that was moved to the trash or has left it. */
    addTrash(real: string): void {
      if (trash.has(real) || entries > mostEntries) return
      entries++
      trash.add(real)
    },

    /** The changes so far, which are then forgotten. Undefined: there are none. */
    take(): ChangeBatch | undefined {
      if (folders.size + trash.size === 0) return undefined
      const isLost = entries > mostEntries
      const all = isLost ? { folders: new Map(), trash: new Set<string>() } : { folders, trash }
      const batch = { ...all, isLost, folds: createFoldingCheck() }
      folders = new Map()
      trash = new Set()
      entries = 0
      return batch
    },
  }
}

function isKnown(names: ChangedNames, name: string | undefined, hasFolder: boolean): boolean {
  return names ? name !== undefined && names.has(name) : hasFolder
}

/** Checks each folder once for a batch. A folder of a remote disk is not probed: it may not respond. */
function createFoldingCheck(): ChangeBatch['folds'] {
  const known = new Map<string, Promise<boolean>>()
  const check = async (folder: string) => {
    const cached = cachedFolding(folder)
    if (cached) return cached.any
    // Rules that deny are then only stricter than necessary.
    return remoteMountOf(folder) !== undefined || (await runTask(foldingIn(folder))).any
  }
  return (folder) => {
    const result = known.get(folder) ?? check(folder)
    known.set(folder, result)
    return result
  }
}
