import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ResourceType } from '#contract/resources.ts'
import type { Rule, Sorting } from '#contract/users.ts'
import { compileRules } from '#src/core/rules.ts'
import { extensionOf, goMode, modifiedOf, pageUrl } from './entry.ts'
import { hasTemporary, isSecret, type SafePath, virtual } from './jail.ts'
import { looksBinary, sampleSize, subtitleName, typeByName } from './media-type.ts'
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

interface Entry {
  name: string
  stats: Stats
  isDir: boolean
  isSymlink: boolean
  /** Undefined: not known before its first bytes are read. */
  type: ResourceType | undefined
}

// Beyond these many files of unknown extension in one folder, a listing no longer opens each to see what it is; the
// file itself, once asked for, tells exactly.
const mostSamples = 2000

/**
 * Reads, checks, types and sorts the entries of a folder and writes them as JSON. Synchronous on purpose: in a worker,
 * plain system calls are three times quicker than a promise for each file.
 *
 * @throws the system's error when the folder cannot be read.
 */
export function listFolder(task: ListTask): ListResult {
  const allows = compileRules(task.rules)
  const isShown = shownIn(task, allows)
  const entries: Entry[] = []
  for (const name of namesIn(task.address)) {
    const entry = isShown(name) ? read(task, name, allows) : undefined
    if (entry) entries.push(entry)
  }
  entries.sort(order(task.sorting))
  const numDirs = entries.reduce((sum, entry) => sum + Number(entry.isDir), 0)
  return { items: toJson(task, entries), numDirs, numFiles: entries.length - numDirs }
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

function read(task: ListTask, name: string, allows: (path: string) => boolean): Entry | undefined {
  const stats = lstatSync(`${task.address}/${name}`, { throwIfNoEntry: false })
  if (!stats) return undefined // it went away between the two calls
  if (stats.isSymbolicLink()) return readLink(task, name, { link: stats, allows })
  const isDir = stats.isDirectory()
  return { name, stats, isDir, isSymlink: false, type: isDir ? '' : typeOf(name, stats) }
}

function typeOf(name: string, stats: Stats): ResourceType | undefined {
  return stats.isFile() ? typeByName(name) : 'blob'
}

/** A link shows what it leads to, if that is inside the scope; else only that it is a link that leads nowhere. */
function readLink(
  task: ListTask,
  name: string,
  { link, allows }: { link: Stats; allows: (path: string) => boolean },
): Entry | undefined {
  const broken = { name, stats: link, isDir: false, isSymlink: true, type: 'invalid_link' } as const
  try {
    const real = realpathSync(`${task.address}/${name}`)
    if (!isWithin(real, task.root)) return broken
    const inside = virtual(task, real)
    if (isSecret(task, real) || hasTemporary(inside) || !allows(inside)) return undefined
    const stats = statSync(real)
    const isDir = stats.isDirectory()
    return { name, stats, isDir, isSymlink: true, type: isDir ? '' : typeOf(name, stats) }
  } catch {
    return broken // a loop, a missing target, a folder that may not be entered: all lead nowhere
  }
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Folders first in every order; for names `asc: false` is A to Z (reference 3.2). Equal keys go by name. */
function order({ by, asc }: Sorting): (a: Entry, b: Entry) => number {
  const byName = (a: Entry, b: Entry) => collator.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  const bySize = (a: Entry, b: Entry) => (a.isDir ? 0 : a.stats.size - b.stats.size)
  const byTime = (a: Entry, b: Entry) => a.stats.mtimeMs - b.stats.mtimeMs
  const key = { name: byName, size: bySize, modified: byTime }[by]
  const sign = asc === (by === 'name') ? -1 : 1
  return (a, b) => Number(b.isDir) - Number(a.isDir) || sign * key(a, b) || byName(a, b)
}

function toJson(task: ListTask, entries: Entry[]): Uint8Array<ArrayBuffer> {
  let samples = mostSamples
  const folder = task.path === '/' ? '/' : `${task.path}/`
  const pathStart = JSON.stringify(folder).slice(0, -1)
  const urlStart = pageUrl(folder, false, task.page)
  const subtitles = entries.filter(({ name }) => subtitleName.test(name)).map(({ name }) => name)
  // Written by hand: a hundred thousand objects made only to be turned into text cost more than all the rest.
  const parts = entries.map(({ name, stats, isDir, isSymlink, type }, index) => {
    const quoted = JSON.stringify(name)
    const known = type ?? (samples-- > 0 ? sniff(task, { name, isSymlink }) : 'blob')
    return (
      `{"index":${index},"name":${quoted},"path":${pathStart}${quoted.slice(1)}` +
      `,"url":"${urlStart}${encodeURIComponent(name)}${isDir ? '/' : ''}","size":${stats.size}` +
      `,"extension":${isDir ? '""' : JSON.stringify(extensionOf(name))},"modified":"${modifiedOf(stats)}"` +
      `,"mode":${goMode(stats)},"isDir":${isDir},"isSymlink":${isSymlink},"type":"${known}"` +
      `${known === 'video' ? subtitlesOf(name, subtitles, folder) : ''}}`
    )
  })
  return new TextEncoder().encode(`[${parts.join(',')}]`)
}

/** The subtitles beside a film, as the end of its JSON; a film that is asked for itself tells of more (reference 3.1). */
function subtitlesOf(film: string, subtitles: string[], folder: string): string {
  const stem = film.replace(/\.[^.]*$/, '')
  const found = subtitles.filter((name) => name.startsWith(stem)).map((name) => folder + name)
  return found.length > 0 ? `,"subtitles":${JSON.stringify(found)}` : ''
}

function sniff(task: ListTask, { name, isSymlink }: Pick<Entry, 'name' | 'isSymlink'>): ResourceType {
  try {
    // What was a regular file a moment ago may be a pipe or a link by now: neither is waited for or followed.
    const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants
    const file = openSync(`${task.address}/${name}`, O_RDONLY | O_NONBLOCK | (isSymlink ? 0 : O_NOFOLLOW))
    try {
      if (!fstatSync(file).isFile() || (isSymlink && !isInScope(task, file))) return 'blob'
      const sample = Buffer.allocUnsafe(sampleSize)
      return looksBinary(sample.subarray(0, readSync(file, sample, 0, sampleSize, 0))) ? 'blob' : 'text'
    } finally {
      closeSync(file)
    }
  } catch {
    return 'blob' // a file that cannot be read is shown as one (reference 3.1)
  }
}

/** Whether an open file is still inside, whoever changed links meanwhile; other systems than Linux cannot tell. */
function isInScope(task: ListTask, file: number): boolean {
  return process.platform !== 'linux' || isWithin(readlinkSync(`/proc/self/fd/${file}`), task.root)
}
