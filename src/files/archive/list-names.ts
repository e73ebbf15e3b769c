import { closeSync, constants, type Dirent, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSecret, virtual } from '../reach.ts'
import { isTemporary } from '../temporary.ts'
import { childOf, type UserPath } from '../user-path.ts'
import type { Bounds, Fault, Limited } from './entry.ts'
import { entryName, freeName } from './entry-name.ts'

/** Opens a folder and tells what is in it. */
export interface ListNames {
  kind: 'list'
  /** The folder's name for system calls, and where it really is. */
  address: string
  real: string
  /** As it was asked for. */
  path: UserPath
  /** The address is a held thing's own and may be followed; else a link there is refused. */
  isHeld: boolean
  bounds: Bounds
  hideDotfiles: boolean
}

/** A name on the disk and as it stands in the archive. */
export type Name = readonly [onDisk: string, inArchive: string]

export interface Names {
  /** A descriptor of the folder, for the asker to close; undefined where descriptors are no names. */
  fd: number | undefined
  files: Name[]
  folders: Name[]
  links: Name[]
  faults: Fault[]
}

/** Deny rules and secrets leave no trace; what is neither file, folder nor link is told as a fault and never opened. */
export function listNames(task: Limited<ListNames>): Names {
  const fd = openFolder(task)
  try {
    const address = fd === undefined ? task.address : `/proc/self/fd/${fd}`
    return { fd, ...sort(task, readdirSync(address, { withFileTypes: true })) }
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw error
  }
}

function openFolder({ address, isHeld }: ListNames): number | undefined {
  if (process.platform !== 'linux') return undefined
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
  return openSync(address, O_RDONLY | O_DIRECTORY | (isHeld ? 0 : O_NOFOLLOW))
}

function sort(task: Limited<ListNames>, entries: Dirent[]): Omit<Names, 'fd'> {
  const names: Omit<Names, 'fd'> = { files: [], folders: [], links: [], faults: [] }
  const visible = visibleNames(task, entries)
  const taken = new Set(visible.map(({ name }) => name))
  for (const entry of visible) {
    const { name } = entry
    const plain = entryName(name)
    const inArchive = plain === name ? name : freeName(plain, (free) => taken.has(free))
    taken.add(inArchive)
    if (entry.isFile()) names.files.push([name, inArchive])
    else if (entry.isDirectory()) names.folders.push([name, inArchive])
    else if (entry.isSymbolicLink()) names.links.push([name, inArchive])
    else names.faults.push({ entry: inArchive, reason: 'neither a file nor a folder' })
  }
  return names
}

function visibleNames({ bounds, real, path, hideDotfiles }: Limited<ListNames>, entries: Dirent[]): Dirent[] {
  const inside = virtual(bounds, real)
  return entries.filter(
    ({ name }) =>
      !isTemporary(name) &&
      !(hideDotfiles && name.startsWith('.')) &&
      !isSecret(bounds, join(real, name)) &&
      bounds.allows(childOf(path, name)) &&
      (path === inside || bounds.allows(childOf(inside, name))),
  )
}
