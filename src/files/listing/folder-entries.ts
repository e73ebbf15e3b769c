import { constants, type Stats } from 'node:fs'
import type { ResourceType } from '#contract/schema/resource-path.ts'
import { type Allows, compileRules, withoutDotfiles } from '#src/core/access/rules.ts'
import { targetOf } from '#src/files/jail/link-target.ts'
import { foldingMatters, foldsSync } from '#src/files/paths/folding.ts'
import { pathInJail } from '#src/files/paths/path-access.ts'
import { allowsIn, type NameFilter, secretsIn, shownEntries } from '#src/files/paths/read-folder.ts'
import { goMode, kindOf, maxTextBytes, typeByName } from './entry.ts'
import type { ListTask, ShownFolder } from './list-task.ts'

const { S_IFDIR, S_IFLNK, S_IFREG } = constants

/**
 * The entries of a folder, one column for each property. With 100,000 entries as objects, the garbage collector would
 * need more time than the disk.
 */
export interface Columns {
  names: string[]
  /** Undefined: the type depends on the first bytes of the file. */
  types: (ResourceType | undefined)[]
  sizes: Float64Array
  /** Modification times, in milliseconds. */
  times: Float64Array
  /** Modes as in the API. */
  modes: Uint32Array
  isDir: Uint8Array
  isSymlink: Uint8Array
  /** Whether the listing contains the entry: it still exists, and the user may see it. */
  isListed: Uint8Array
}

type LinkStats = Pick<Stats, 'size' | 'mtimeMs' | 'mode'>

/** The names in a folder, and their properties as far as they are known. */
export type FolderEntries = ReturnType<typeof readEntries>

/** Reads the names that may be shown. @throws the error of the system when the folder cannot be read. */
export function readEntries(task: ListTask) {
  const found = shownEntries(task.address, sightOf(task))
  const allows = withoutDotfiles(compileRules(task.rules), task.hideDotfiles)
  const columns = emptyColumns(found.map(({ name }) => name))
  const links: number[] = []
  let hasKinds = true
  found.forEach((entry, at) => {
    columns.isDir[at] = Number(entry.isDirectory())
    if (entry.isSymbolicLink()) links.push(at)
    else hasKinds &&= entry.isDirectory() || entry.isFile() || isSpecial(entry)
  })
  return {
    columns,
    /** The indices of symbolic links. */
    links,
    /** Whether the disk returned the kind of each name, so that `isDir` is known except for the symbolic links. */
    hasKinds,
    /** Fills in the properties of an entry from its lstat result; undefined: it is gone. */
    fill: (at: number, stats: LinkStats | undefined) => fill(task, columns, { at, stats, allows }),
  }
}

function isSpecial(entry: Pick<Stats, 'isFIFO' | 'isSocket' | 'isCharacterDevice' | 'isBlockDevice'>) {
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice()
}

function emptyColumns(names: string[]): Columns {
  const most = names.length
  return {
    names,
    types: new Array<ResourceType | undefined>(most),
    sizes: new Float64Array(most),
    times: new Float64Array(most),
    modes: new Uint32Array(most),
    isDir: new Uint8Array(most),
    isSymlink: new Uint8Array(most),
    isListed: new Uint8Array(most).fill(1),
  }
}

/** Returns what decides which names of a folder the user may see. */
export function sightOf({ real, secret, hideDotfiles, rules, path, ...task }: ShownFolder): NameFilter {
  const folds = foldingMatters(rules) && foldsSync(real)
  const allows = allowsIn(compileRules(rules), { path, inside: pathInJail(task, real), folds })
  return { secrets: secretsIn(real, secret), hideDotfiles, allows: rules.length > 0 ? allows : () => true }
}

function fill(
  task: ListTask,
  entries: Columns,
  { at, stats: own, allows }: { at: number; stats: LinkStats | undefined; allows: Allows },
): void {
  const name = entries.names[at] ?? ''
  const isLink = own !== undefined && kindOf(own.mode) === S_IFLNK
  const target = isLink ? targetOf(`${task.address}/${name}`, { ...task, allows }) : own
  if (!own || !target) {
    entries.isListed[at] = 0
    return
  }
  // A link whose target is missing or outside the scope has its own properties.
  const stats = target === 'broken' ? own : target
  entries.types[at] = target === 'broken' ? 'invalid_link' : typeOf(name, stats)
  entries.sizes[at] = stats.size
  entries.times[at] = stats.mtimeMs
  entries.modes[at] = goMode(stats)
  entries.isDir[at] = Number(kindOf(stats.mode) === S_IFDIR)
  entries.isSymlink[at] = Number(isLink)
}

function typeOf(name: string, { mode, size }: Pick<Stats, 'mode' | 'size'>): ResourceType | undefined {
  const kind = kindOf(mode)
  if (kind !== S_IFREG) return kind === S_IFDIR ? '' : 'blob'
  const type = typeByName(name)
  return size > maxTextBytes && (type ?? 'text') === 'text' ? 'blob' : type
}
