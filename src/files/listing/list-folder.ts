import { constants, type Stats } from 'node:fs'
import type { ResourceType } from '#contract/resources.ts'
import type { Rule, Sorting } from '#contract/users.ts'
import { type Allows, compileRules, hiding } from '#src/core/access/rules.ts'
import { targetOf } from '#src/files/jail/link-target.ts'
import { foldingMatters, foldsNow } from '#src/files/paths/folding.ts'
import { virtual } from '#src/files/paths/reach.ts'
import { allowsIn, type Sight, secretsIn, shownNames } from '#src/files/paths/read-folder.ts'
import type { SafePath } from '#src/files/paths/scope.ts'
import { goMode, kindOf } from './entry.ts'
import { type Columns, orderOf } from './list-order.ts'
import { mostText, typeByName } from './media-type.ts'
import { absent, type StatTask, statNames } from './stat-names.ts'

const { S_IFDIR, S_IFLNK, S_IFREG } = constants

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
  /** A tag as in `sv-se`: names are in the order of this language. Undefined: English. */
  language?: string
  /** Address of the page that shows the entries; undefined: `/files`. */
  page?: string
}

/** `items` is the JSON text of the array, UTF-8, ready for the wire. */
export interface ListResult {
  items: Uint8Array<ArrayBuffer>
  numDirs: number
  numFiles: number
}

/** Writes the entries of a listing, in `order`, as the JSON text of an array, UTF-8. */
export type WriteEntries = (task: ListTask, entries: Columns, order: Uint32Array) => Uint8Array<ArrayBuffer>

/** What was found out about one entry. */
interface Found extends Pick<Stats, 'size' | 'mtimeMs' | 'mode'> {
  isSymlink: boolean
  /** Undefined: not known before its first bytes are read. */
  type: ResourceType | undefined
}

/**
 * Reads, checks, types and sorts the entries of a folder and writes them as JSON. Synchronous on purpose: in a worker,
 * plain system calls are three times quicker than a promise for each file. Of a large folder `share` gets a part of the
 * work for another thread, if there is one.
 *
 * @throws the system's error when the folder cannot be read.
 */
export function listFolder(
  task: ListTask,
  write: WriteEntries,
  share?: (task: StatTask) => void,
): ListResult {
  const allows = hiding(compileRules(task.rules), task.hideDotfiles)
  const names = shownNames(task.address, sightOf(task))
  const { sizes, times, modes } = statNames(task.address, names, share)
  const entries = emptyColumns(names.length)
  names.forEach((name, at) => {
    const [size = 0, mtimeMs = 0, mode = absent] = [sizes[at], times[at], modes[at]]
    if (mode === absent) return
    const found = read(task, { name, size, mtimeMs, mode, allows })
    if (found) add(entries, name, found)
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

function add(entries: Columns, name: string, { size, mtimeMs, mode, isSymlink, type }: Found): void {
  const at = entries.names.push(name) - 1
  entries.types.push(type)
  entries.sizes[at] = size
  entries.times[at] = mtimeMs
  entries.modes[at] = goMode({ mode })
  entries.isDir[at] = Number(kindOf(mode) === S_IFDIR)
  entries.isSymlink[at] = Number(isSymlink)
}

function sightOf({ real, secret, hideDotfiles, rules, path, ...task }: ListTask): Sight {
  const folds = foldingMatters(rules) && foldsNow(real)
  const allows = allowsIn(compileRules(rules), { path, inside: virtual(task, real), folds })
  return { secrets: secretsIn(real, secret), hideDotfiles, allows: rules.length > 0 ? allows : () => true }
}

interface Asked extends Pick<Stats, 'size' | 'mtimeMs' | 'mode'> {
  name: string
  allows: Allows
}

function read(task: ListTask, { name, size, mtimeMs, mode, allows }: Asked): Found | undefined {
  if (kindOf(mode) === S_IFLNK) return readLink(task, { name, size, mtimeMs, mode, allows })
  return { size, mtimeMs, mode, isSymlink: false, type: typeOf(name, { mode, size }) }
}

function typeOf(name: string, { mode, size }: Pick<Stats, 'mode' | 'size'>): ResourceType | undefined {
  const kind = kindOf(mode)
  if (kind !== S_IFREG) return kind === S_IFDIR ? '' : 'blob'
  const type = typeByName(name)
  return size > mostText && (type ?? 'text') === 'text' ? 'blob' : type
}

/** A link shows what it leads to, if that is inside the scope; else only that it is a link that leads nowhere. */
function readLink(task: ListTask, { name, allows, ...link }: Asked): Found | undefined {
  const target = targetOf(`${task.address}/${name}`, { ...task, allows })
  if (target === 'broken') return { ...link, isSymlink: true, type: 'invalid_link' }
  if (!target) return undefined
  const { size, mtimeMs, mode } = target
  return { size, mtimeMs, mode, isSymlink: true, type: typeOf(name, target) }
}
