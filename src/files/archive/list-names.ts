import { closeSync, constants, type Dirent } from 'node:fs'
import { openSync } from '#src/files/paths/disk.ts'
import { foldingMatters, foldsSync } from '#src/files/paths/folding.ts'
import { pathInJail } from '#src/files/paths/path-access.ts'
import { allowsIn, secretsIn, shownEntries } from '#src/files/paths/read-folder.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ArchiveFault, Bounds, WithCompiledBounds } from './formats/entry.ts'
import { changedNames, changedReason } from './formats/entry-name.ts'

/** A task to open a folder and list its entries. */
export interface ListTask {
  kind: 'list'
  /** The path of the folder for system calls. `real` is its real path. */
  address: string
  real: string
  /** The path that the user requested. */
  path: UserPath
  /** Whether the address is the path of an open descriptor, which may be followed. Otherwise a link is refused. */
  isHeld: boolean
  bounds: Bounds
  hideDotfiles: boolean
  /** Whether Windows must be able to create all names. */
  forWindows: boolean
}

/** The entries of a folder. Strings are passed between threads faster than objects. */
export interface Names {
  /** The open descriptor of the folder. The caller closes it. Undefined on systems without `/proc/self/fd`. */
  fd: number | undefined
  /** Names on the disk. */
  files: string[]
  folders: string[]
  links: string[]
  /** The names in the archive of those entries that have another name there. */
  renamed: Map<string, string>
  faults: ArchiveFault[]
}

/**
 * Lists a folder. Denied and secret entries are left out silently. Special files become faults and are never opened.
 */
export function listNames(task: WithCompiledBounds<ListTask>): Names {
  const fd = openFolder(task)
  try {
    const address = fd === undefined ? task.address : `/proc/self/fd/${fd}`
    return { fd, ...sort(visibleNames(task, address), task.forWindows) }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw error
  }
}

function openFolder({ address, isHeld }: ListTask): number | undefined {
  if (process.platform !== 'linux') return undefined
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  return openSync(address, O_RDONLY | O_DIRECTORY | (isHeld ? 0 : O_NOFOLLOW))
}

function sort(visible: Dirent[], forWindows: boolean): Omit<Names, 'fd'> {
  const renamed = changedNames(
    visible.map(({ name }) => name),
    forWindows,
  )
  const faults = [...renamed].map(([name, entry]) => ({ entry, reason: changedReason(name) }))
  const names: Omit<Names, 'fd'> = { files: [], folders: [], links: [], renamed, faults }
  const { files, folders, links } = names
  for (const entry of visible) {
    const { name } = entry
    if (entry.isFile()) files.push(name)
    else if (entry.isDirectory()) folders.push(name)
    else if (entry.isSymbolicLink()) links.push(name)
    else faults.push({ entry: renamed.get(name) ?? name, reason: 'neither a file nor a folder' })
  }
  return names
}

function visibleNames(task: WithCompiledBounds<ListTask>, address: string): Dirent[] {
  const { bounds, real, path, hideDotfiles } = task
  const folds = foldingMatters(bounds.rules) && foldsSync(real, address)
  const allows = allowsIn(bounds.allows, { path, inside: pathInJail(bounds, real), folds })
  const sight = { secrets: secretsIn(real, bounds.secret), hideDotfiles, allows }
  return shownEntries(address, sight)
}
