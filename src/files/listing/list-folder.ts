import { constants, type Stats } from 'node:fs'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import type { Rule, Sorting } from '#contract/users.ts'
import { type Allows, compileRules, withoutDotfiles } from '#src/core/access/rules.ts'
import { targetOf } from '#src/files/jail/link-target.ts'
import { foldingMatters, foldsSync } from '#src/files/paths/folding.ts'
import { pathInJail } from '#src/files/paths/reach.ts'
import { allowsIn, type NameFilter, secretsIn, shownNames } from '#src/files/paths/read-folder.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { goMode, kindOf } from './entry.ts'
import { type Columns, orderOf } from './list-order.ts'
import { maxTextBytes, typeByName } from './media-type.ts'
import { absentMode, type StatTask, statNames } from './stat-names.ts'

const { S_IFDIR, S_IFLNK, S_IFREG } = constants

/** The data for listing one folder. Plain data, so that it can be sent to a worker thread. */
export interface ListTask {
  /** The path of the open folder for system calls, and its real path. */
  address: string
  real: string
  /** Real path of the scope, and the secret paths in it. */
  root: SafePath
  secret: readonly string[]
  /** The path of the folder as requested. */
  path: string
  rules: readonly Rule[]
  hideDotfiles: boolean
  sorting: Sorting
  /** A language tag such as `sv-se`: names are sorted in the order of this language. Undefined: English. */
  language?: string
  /** The URL path of the page that shows the entries; undefined: `/files`. */
  page?: string
}

/** `items` is the JSON text of the array in UTF-8, ready to send. */
export interface ListResult {
  items: Uint8Array<ArrayBuffer>
  numDirs: number
  numFiles: number
}

/** Writes the entries of a listing, in `order`, as the JSON text of an array in UTF-8. */
export type WriteEntries = (task: ListTask, entries: Columns, order: Uint32Array) => Uint8Array<ArrayBuffer>

/** The metadata of one entry. */
interface EntryStats extends Pick<Stats, 'size' | 'mtimeMs' | 'mode'> {
  isSymlink: boolean
  /** Undefined: the type depends on the first bytes of the file. */
  type: ResourceType | undefined
}

/**
 * Reads, checks, types and sorts the entries of a folder and writes them as JSON. Synchronous on purpose: in a worker
 * thread, plain system calls are three times faster than a promise for each file. For a large folder, `share`
 * receives a part of the work for another thread, if there is one.
 *
 * @throws the error of the system when the folder cannot be read.
 */
export function listFolder(
  task: ListTask,
  write: WriteEntries,
  share?: (task: StatTask) => void,
): ListResult {
  const allows = withoutDotfiles(compileRules(task.rules), task.hideDotfiles)
  const names = shownNames(task.address, sightOf(task))
  const { sizes, times, modes } = statNames(task.address, names, share)
  const entries = emptyColumns(names.length)
  names.forEach((name, at) => {
    const [size = 0, mtimeMs = 0, mode = absentMode] = [sizes[at], times[at], modes[at]]
    if (mode === absentMode) return
    const entry = read(task, { name, size, mtimeMs, mode, allows })
    if (entry) add(entries, name, entry)
  })
  const { order, numDirs } = orderOf(entries, { ...task.sorting, language: task.language ?? 'en' })
  return { items: write(task, entries, order), numDirs, numFiles: order.length - numDirs }
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

function add(entries: Columns, name: string, { size, mtimeMs, mode, isSymlink, type }: EntryStats): void {
  const at = entries.names.push(name) - 1
  entries.types.push(type)
  entries.sizes[at] = size
  entries.times[at] = mtimeMs
  entries.modes[at] = goMode({ mode })
  entries.isDir[at] = Number(kindOf(mode) === S_IFDIR)
  entries.isSymlink[at] = Number(isSymlink)
}

function sightOf({ real, secret, hideDotfiles, rules, path, ...task }: ListTask): NameFilter {
  const folds = foldingMatters(rules) && foldsSync(real)
  const allows = allowsIn(compileRules(rules), { path, inside: pathInJail(task, real), folds })
  return { secrets: secretsIn(real, secret), hideDotfiles, allows: rules.length > 0 ? allows : () => true }
}

interface NamedStats extends Pick<Stats, 'size' | 'mtimeMs' | 'mode'> {
  name: string
  allows: Allows
}

function read(task: ListTask, { name, size, mtimeMs, mode, allows }: NamedStats): EntryStats | undefined {
  if (kindOf(mode) === S_IFLNK) return readLink(task, { name, size, mtimeMs, mode, allows })
  return { size, mtimeMs, mode, isSymlink: false, type: typeOf(name, { mode, size }) }
}

function typeOf(name: string, { mode, size }: Pick<Stats, 'mode' | 'size'>): ResourceType | undefined {
  const kind = kindOf(mode)
  if (kind !== S_IFREG) return kind === S_IFDIR ? '' : 'blob'
  const type = typeByName(name)
  return size > maxTextBytes && (type ?? 'text') === 'text' ? 'blob' : type
}

/** Returns the metadata of the target of a symbolic link inside the scope; otherwise marks the link as invalid. */
function readLink(task: ListTask, { name, allows, ...link }: NamedStats): EntryStats | undefined {
  const target = targetOf(`${task.address}/${name}`, { ...task, allows })
  if (target === 'broken') return { ...link, isSymlink: true, type: 'invalid_link' }
  if (!target) return undefined
  const { size, mtimeMs, mode } = target
  return { size, mtimeMs, mode, isSymlink: true, type: typeOf(name, target) }
}
