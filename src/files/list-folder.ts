import { isUtf8 } from 'node:buffer'
import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceType } from '#contract/resources.ts'
import type { Rule, Sorting } from '#contract/users.ts'
import { compileRules } from '#src/core/rules.ts'
import { goMode } from './entry.ts'
import { hasTemporary, isSecret, type SafePath, virtual } from './jail.ts'
import { entriesJson } from './list-json.ts'
import { type Columns, orderOf } from './list-order.ts'
import { typeByName } from './media-type.ts'
import { isTemporary } from './temporary.ts'
import { childOf, isWithin } from './user-path.ts'

/** All that is needed to list one folder, as plain data, so that it can travel to a worker. */
export interface ListTask {
  /** The name for system calls of the held folder, and where it really is. */
  address: string
  real: string
  /** Real path of the scope, and what is secret in it. */
  root: SafePath
  secret: readonly string[]
  /** The folder's path as the person asked for it. */
  path: string
  rules: readonly Rule[]
  hideDotfiles: boolean
  sorting: Sorting
  /** Address of the page that shows the entries; undefined: `/files`. */
  page?: string
}

/** `items` is the JSON text of the array, UTF-8, ready for the wire. */
export interface ListResult {
  items: Uint8Array<ArrayBuffer>
  numDirs: number
  numFiles: number
}

/** What was found out about one entry. */
interface Found {
  stats: Stats
  isDir: boolean
  isSymlink: boolean
  /** Undefined: not known before its first bytes are read. */
  type: ResourceType | undefined
}

/**
 * Reads, checks, types and sorts the entries of a folder and writes them as JSON. Synchronous on purpose: in a worker,
 * plain system calls are three times quicker than a promise for each file.
 *
 * @throws the system's error when the folder cannot be read.
 */
export function listFolder(task: ListTask): ListResult {
  const allows = compileRules(task.rules)
  const isShown = shownIn(task, allows)
  const names = namesIn(task.address).filter(isShown)
  const entries = emptyColumns(names.length)
  for (const name of names) {
    const found = read(task, name, allows)
    if (found) add(entries, name, found)
  }
  const { order, numDirs } = orderOf(entries, task.sorting)
  return { items: entriesJson(task, entries, order), numDirs, numFiles: order.length - numDirs }
}

function emptyColumns(most: number): Columns {
  return {
    names: [],
    types: [],
    sizes: new Float64Array(most),
    times: new Float64Array(most),
    modes: new Uint32Array(most),
    isDir: new Uint8Array(most),
    isSymlink: new Uint8Array(most),
  }
}

function add(entries: Columns, name: string, { stats, isDir, isSymlink, type }: Found): void {
  const at = entries.names.push(name) - 1
  entries.types.push(type)
  entries.sizes[at] = stats.size
  entries.times[at] = stats.mtimeMs
  entries.modes[at] = goMode(stats)
  entries.isDir[at] = Number(isDir)
  entries.isSymlink[at] = Number(isSymlink)
}

/** Whether a name is there for this person at all. */
function shownIn(task: ListTask, allows: (path: string) => boolean): (name: string) => boolean {
  // Asked for through a link, the folder is elsewhere as well, and rules hold there too.
  const here = virtual(task, task.real)
  const paths = here === task.path ? [here] : [task.path, here]
  const mayHoldSecret = task.secret.some(
    (secret) => isWithin(secret, task.real) || isWithin(task.real, secret),
  )
  const hasRules = task.rules.length > 0
  return (name) =>
    !(isTemporary(name) || (task.hideDotfiles && name.startsWith('.'))) &&
    !(mayHoldSecret && isSecret(task, join(task.real, name))) &&
    (!hasRules || paths.every((path) => allows(childOf(path, name))))
}

/** A name that is no UTF-8 cannot travel, and what it is turned into may be another file's: such names are left out. */
function namesIn(address: string): string[] {
  const names = readdirSync(address)
  if (!names.some((name) => name.includes('\ufffd'))) return names
  return readdirSync(address, 'buffer').filter(isUtf8).map(String)
}

const noThrow = { throwIfNoEntry: false } as const

function read(task: ListTask, name: string, allows: (path: string) => boolean): Found | undefined {
  const stats = lstatSync(`${task.address}/${name}`, noThrow)
  if (!stats) return undefined // it went away between the two calls
  if (stats.isSymbolicLink()) return readLink(task, name, { link: stats, allows })
  const isDir = stats.isDirectory()
  return { stats, isDir, isSymlink: false, type: isDir ? '' : typeOf(name, stats) }
}

function typeOf(name: string, stats: Stats): ResourceType | undefined {
  return stats.isFile() ? typeByName(name) : 'blob'
}

/** A link shows what it leads to, if that is inside the scope; else only that it is a link that leads nowhere. */
function readLink(
  task: ListTask,
  name: string,
  { link, allows }: { link: Stats; allows: (path: string) => boolean },
): Found | undefined {
  const broken = { stats: link, isDir: false, isSymlink: true, type: 'invalid_link' } as const
  try {
    const real = realpathSync(`${task.address}/${name}`)
    if (!isWithin(real, task.root)) return broken
    const inside = virtual(task, real)
    if (isSecret(task, real) || hasTemporary(inside) || !allows(inside)) return undefined
    const stats = statSync(real)
    const isDir = stats.isDirectory()
    return { stats, isDir, isSymlink: true, type: isDir ? '' : typeOf(name, stats) }
  } catch {
    return broken // a loop, a missing target, a folder that may not be entered: all lead nowhere
  }
}
