import { close } from 'node:fs'
import { join } from 'node:path'
import type { Held } from '../jail.ts'
import { childOf, type UserPath } from '../user-path.ts'
import type { Bounds, Fault, Item } from './entry.ts'
import { isFolder } from './entry.ts'
import type { ListNames, Names } from './list-names.ts'
import { faultOf } from './open-item.ts'

/** Something asked for, and its name in the archive. */
export interface Root {
  /** Holds it when its turn comes: of thousands, only a few are open. Throws `hidden`, or an error whose message says why. */
  hold(): Promise<Held>
  /** As it was asked for: through a link, rules hold there as well as where it is. */
  path: UserPath
  /** Ends with a slash for a folder. */
  entry: string
}

/** How a folder on the way stays open as long as somebody needs names in it. */
export interface Lease {
  keep(): void
  release(): void
}

/** An item and what keeps its address valid; released by whoever is done with it. */
export interface Found {
  item: Item
  lease: Lease
}

export interface WalkOptions {
  bounds: Bounds
  hideDotfiles: boolean
  list(task: ListNames): Promise<Names>
  fault(fault: Fault): void
}

// Each level holds a descriptor.
const deepest = 400

/**
 * Tells the things below `roots` one by one, a folder before what is in it. Links are never walked into, so there are no
 * loops; rules, secrets and, if wished, dotfiles are left out.
 */
export async function* walk(roots: readonly Root[], options: WalkOptions): AsyncGenerator<Found> {
  for (const root of roots) {
    const held = await holdRoot(root, options)
    if (!held) continue
    const { path, entry } = root
    const lease = leaseOn(() => void held.close())
    try {
      const item: Item = { address: held.address, entry, follow: 'held' }
      if (isFolder(entry)) yield* walkFolder({ item, real: held.real, path, lease, depth: 0 }, options)
      else {
        lease.keep()
        yield { item, lease }
      }
    } finally {
      lease.release()
    }
  }
}

async function holdRoot(root: Root, { fault }: WalkOptions): Promise<Held | undefined> {
  try {
    return await root.hold()
  } catch (error) {
    const reason = faultOf(error)
    if (reason) fault({ entry: root.entry, reason })
    return undefined
  }
}

interface Folder {
  item: Item
  real: string
  path: UserPath
  /** Of the folder that holds it. */
  lease: Lease
  depth: number
}

async function* walkFolder(folder: Folder, options: WalkOptions): AsyncGenerator<Found> {
  const { item, real, path, lease, depth } = folder
  const { bounds, hideDotfiles, fault } = options
  lease.keep()
  yield { item, lease }
  const isHeld = item.follow === 'held'
  const { address, entry } = item
  const names = await listed(folder, options, {
    kind: 'list',
    address,
    real,
    path,
    isHeld,
    bounds,
    hideDotfiles,
  })
  if (!names) return
  const own = leaseOf(names.fd)
  try {
    const inside = names.fd === undefined ? address : `/proc/self/fd/${names.fd}`
    for (const each of names.faults) fault({ ...each, entry: entry + each.entry })
    for (const [kind, follow] of [
      ['files', 'never'],
      ['links', 'inside'],
    ] as const) {
      for (const [name, plain] of names[kind]) {
        own.keep()
        yield { item: { address: join(inside, name), entry: entry + plain, follow }, lease: own }
      }
    }
    for (const [name, plain] of names.folders) {
      const child: Item = { address: join(inside, name), entry: `${entry}${plain}/`, follow: 'never' }
      const below = { real: join(real, name), path: childOf(path, name), depth: depth + 1 }
      yield* walkFolder({ item: child, lease: own, ...below }, options)
    }
  } finally {
    own.release()
  }
}

async function listed(folder: Folder, options: WalkOptions, task: ListNames): Promise<Names | undefined> {
  const { entry } = folder.item
  try {
    if (folder.depth > deepest) throw new Error('too many folders in one another')
    return await options.list(task)
  } catch (error) {
    const reason = faultOf(error)
    if (reason) options.fault({ entry, reason })
    return undefined
  }
}

/** Begins with one user; closes the descriptor after the last. */
function leaseOf(fd: number | undefined): Lease {
  return leaseOn(() => fd !== undefined && close(fd))
}

/** Begins with one user; calls `end` after the last. */
function leaseOn(end: () => void): Lease {
  let users = 1
  return {
    keep() {
      users++
    },
    release() {
      users--
      if (users === 0) end()
    },
  }
}
