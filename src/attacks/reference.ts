import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** An entry of a disk, in the model. */
export type Entry = File | Link | Folder
interface File {
  kind: 'file'
  text: string
}
interface Link {
  kind: 'link'
  /** Relative to the folder of the link; absolute from the top of the model if it starts with a slash. */
  to: string
}
export interface Folder {
  kind: 'folder'
  entries: Map<string, Entry>
}

export const file = (text: string): File => ({ kind: 'file', text })
export const folder = (entries: Iterable<[string, Entry]> = []): Folder => ({
  kind: 'folder',
  entries: new Map(entries),
})

export const namesOf = (path: string) => path.split('/').filter((name) => name !== '' && name !== '.')
export const isWithin = (path: string, above: string) =>
  path === above || path.startsWith(above === '/' ? '/' : `${above}/`)
export const childOf = (path: string, name: string) => (path === '/' ? `/${name}` : `${path}/${name}`)
export const parentOf = (path: string) => `/${namesOf(path).slice(0, -1).join('/')}`
export const nameOf = (path: string) => namesOf(path).at(-1) ?? ''

/** Returns the entry at a path of the model, without following symbolic links; undefined if there is none. */
export function entryAt(disk: Entry, path: string): Entry | undefined {
  let current: Entry | undefined = disk
  for (const name of namesOf(path))
    current = current?.kind === 'folder' ? current.entries.get(name) : undefined
  return current
}

/** Resolves a path of the model as path_resolution(7) describes; undefined if it leads nowhere. */
export function resolveLinks(disk: Folder, path: string): { real: string; entry: File | Folder } | undefined {
  let place: Place | undefined = { real: '/', todo: namesOf(path) }
  for (let steps = 0; place && steps < 1000; steps++) {
    const current = entryAt(disk, place.real)
    if (!current || current.kind === 'link') return undefined
    if (place.todo.length === 0) return { real: place.real, entry: current }
    place = current.kind === 'folder' ? step(current, place) : undefined
  }
  return undefined // also for a loop of links
}

interface Place {
  real: string
  todo: string[]
}

function step(current: Folder, { real, todo: [name = '', ...todo] }: Place): Place | undefined {
  // The model contains nothing above its top.
  if (name === '..') return real === '/' ? undefined : { real: parentOf(real), todo }
  const entry = current.entries.get(name)
  if (entry?.kind !== 'link') return { real: childOf(real, name), todo }
  return { real: entry.to.startsWith('/') ? '/' : real, todo: [...namesOf(entry.to), ...todo] }
}

/** A rule in the model: about a path and everything below it, or about a pattern. */
export interface ModelRule {
  allow: boolean
  about: string | RegExp
}

/** The last matching rule decides. A path that no rule matches is allowed. */
export function allowedBy(rules: readonly ModelRule[]): (path: string) => boolean {
  const matches = ({ about }: ModelRule, path: string) =>
    typeof about === 'string' ? isWithin(path, about) : about.test(path) || about.test(`${path}/`)
  return (path) => rules.findLast((rule) => matches(rule, path))?.allow ?? true
}

/** A user's view of a disk from one of its folders. */
export interface View {
  disk: Folder
  /** The user's scope. No symbolic link is on the path to it. */
  top: string
  allows(path: string): boolean
  hideDotfiles: boolean
}

/** An entry that can be reached. */
export interface Reached {
  real: string
  /** The same place as a path in the scope. */
  pathInScope: string
  entry: File | Folder
}

/** What can a user reach at a path? `denied` by a rule, or `missing`, which also means outside the scope. */
export function reach(view: View, path: string): Reached | 'denied' | 'missing' {
  if (!view.allows(path)) return 'denied'
  const found = resolveLinks(view.disk, view.top + path)
  if (!found || !isWithin(found.real, view.top)) return 'missing'
  const pathInScope = insideOf(view, found.real)
  return view.allows(pathInScope) ? { ...found, pathInScope } : 'denied'
}

const insideOf = ({ top }: View, real: string) => real.slice(top.length) || '/'

/** The content of a listing: each name, and whether it is a broken symbolic link. */
export function listing(view: View, path: string, folder: Reached): Map<string, boolean> {
  const listed = new Map<string, boolean>()
  for (const [name, child] of shown(view, path, folder)) {
    const target = child.kind === 'link' ? resolveLinks(view.disk, childOf(folder.real, name)) : undefined
    const isBroken = child.kind === 'link' && !(target && isWithin(target.real, view.top))
    if (!target || isBroken || view.allows(insideOf(view, target.real))) listed.set(name, isBroken)
  }
  return listed
}

/** The entries of a folder that are neither hidden nor denied, at the real path and at the requested one. */
function shown(view: View, path: string, { pathInScope, entry }: Pick<Reached, 'pathInScope' | 'entry'>) {
  return [...(entry.kind === 'folder' ? entry.entries : [])].filter(
    ([name]) =>
      !isHidden(view, name) && view.allows(childOf(path, name)) && view.allows(childOf(pathInScope, name)),
  )
}

const isHidden = ({ hideDotfiles }: View, name: string) => hideDotfiles && name.startsWith('.')

/** An entry below a reachable folder. `isReachable` is true if every folder on the path to it may be reached, too. */
export interface Descendant {
  /** Relative to the folder. */
  path: string
  entry: Entry
  real: string
  isReachable: boolean
}

/** Everything below a folder that may be shown. Symbolic links are not followed. */
export function descendantsOf(view: View, path: string, top: Reached): Descendant[] {
  const walk = (entry: Entry, above: string, isReachable: boolean): Descendant[] => {
    if (entry.kind !== 'folder') return []
    const visible = [...entry.entries].filter(([name]) => !isHidden(view, name))
    return visible.flatMap(([name, child]) => {
      const next = above + name
      const isAllowed = view.allows(childOf(path, next)) && view.allows(childOf(top.pathInScope, next))
      const own = { path: next, entry: child, real: childOf(top.real, next), isReachable }
      const isShown = isAllowed && !leadsToDenied(view, own)
      return [...(isShown ? [own] : []), ...walk(child, `${next}/`, isReachable && isAllowed)]
    })
  }
  return walk(top.entry, '', true)
}

/** Whether a link leads to an entry that a rule denies. Neither the link nor its target may be shown then. */
function leadsToDenied(view: View, { entry, real }: Pick<Descendant, 'entry' | 'real'>): boolean {
  const target = entry.kind === 'link' ? resolveLinks(view.disk, real) : undefined
  return target !== undefined && isWithin(target.real, view.top) && !view.allows(insideOf(view, target.real))
}

/** The content of an archive of a folder: its files, the files that links lead to, and folders as null. */
export function archiveContent(view: View, path: string, top: Reached): Map<string, string | null> {
  const entries = descendantsOf(view, path, top).flatMap(
    ({ path, entry, real, isReachable }): [string, string | null][] => {
      if (!isReachable) return []
      if (entry.kind === 'folder') return [[path, null]]
      if (entry.kind === 'file') return [[path, entry.text]]
      const target = resolveLinks(view.disk, real)
      const isGood = target?.entry.kind === 'file' && isWithin(target.real, view.top)
      return isGood && view.allows(insideOf(view, target.real)) ? [[path, (target.entry as File).text]] : []
    },
  )
  return new Map(entries)
}

/** The path where a new entry would be created, with missing parent folders; undefined if that is impossible. */
export function destinationOf(view: View, path: string): string | undefined {
  if (path === '/' || !view.allows(path)) return undefined
  const above = parentOf(path)
  const found = resolveLinks(view.disk, view.top + above)
  if (found && !(isWithin(found.real, view.top) && found.entry.kind === 'folder')) return undefined
  const into = found ? insideOf(view, found.real) : missing(view, above)
  if (into === undefined) return undefined
  const place = childOf(into, nameOf(path))
  return view.allows(place) ? place : undefined
}

function missing(view: View, path: string): string | undefined {
  const place = destinationOf(view, path)
  // The name of a broken symbolic link is not free.
  return place !== undefined && !entryAt(view.disk, view.top + place) ? place : undefined
}

/** The entry that a rename acts on: the symbolic link itself, not its target, which must not be denied. */
export function entryToRename(view: View, path: string): { pathInScope: string; entry: Entry } | undefined {
  if (path === '/' || !view.allows(path)) return undefined
  const above = resolveLinks(view.disk, view.top + parentOf(path))
  if (!above || !isWithin(above.real, view.top)) return undefined
  const pathInScope = childOf(insideOf(view, above.real), nameOf(path))
  const entry = entryAt(view.disk, view.top + pathInScope)
  if (!entry || !view.allows(pathInScope)) return undefined
  return leadsToDenied(view, { entry, real: view.top + pathInScope }) ? undefined : { pathInScope, entry }
}

/** Whether rules allow an entry, with everything in it, at a place. */
export function allAllowed(view: View, entry: Entry, place: string): boolean {
  if (!view.allows(place)) return false
  if (entry.kind !== 'folder') return true
  return [...entry.entries].every(([name, child]) => allAllowed(view, child, childOf(place, name)))
}

/** Puts an entry at a place of the model and creates the folders above it. */
export function put(disk: Folder, path: string, entry: Entry): void {
  let current = disk
  for (const name of namesOf(parentOf(path))) {
    const next = current.entries.get(name) ?? folder()
    current.entries.set(name, next)
    if (next.kind !== 'folder') throw new Error(`${path} is below a file`)
    current = next
  }
  current.entries.set(nameOf(path), entry)
}

/** Removes the entry at a place of the model. */
export function removeEntry(disk: Folder, path: string): void {
  const above = entryAt(disk, parentOf(path))
  if (above?.kind === 'folder') above.entries.delete(nameOf(path))
}

/** Creates the content of a model folder on the disk. Absolute links are relative to `base`. */
export function build(place: string, { entries }: Folder, base = place): void {
  for (const [name, entry] of entries) {
    const path = join(place, name)
    if (entry.kind === 'file') writeFileSync(path, entry.text)
    else if (entry.kind === 'link') symlinkSync(entry.to.startsWith('/') ? base + entry.to : entry.to, path)
    else {
      mkdirSync(path)
      build(path, entry, base)
    }
  }
}

/** Lists a folder of the disk without the trash, one sorted line per entry. `linesOfModel` does the same for a model, from its top. */
export function linesOfDisk(place: string, base = place): string[] {
  return readdirSync(place, { withFileTypes: true })
    .filter(({ name }) => name !== '.coffer-kept')
    .flatMap((entry) => {
      const path = join(place, entry.name)
      const name = JSON.stringify(path.slice(base.length))
      if (entry.isDirectory()) return [`${name} folder`, ...linesOfDisk(path, base)]
      if (entry.isSymbolicLink()) return `${name} -> ${readlinkSync(path).replace(base, '')}`
      return `${name}${lstatSync(path).isFile() ? '' : ' special'} ${readFileSync(path, 'utf8')}`
    })
    .sort()
}

/** @see linesOfDisk */
export function linesOfModel({ entries }: Folder, above = '/'): string[] {
  return [...entries]
    .flatMap(([name, entry]) => {
      const path = childOf(above, name)
      if (entry.kind === 'folder') return [`${JSON.stringify(path)} folder`, ...linesOfModel(entry, path)]
      if (entry.kind === 'link') return `${JSON.stringify(path)} -> ${entry.to}`
      return `${JSON.stringify(path)} ${entry.text}`
    })
    .sort()
}

/** A deep copy. */
export const copyOf = <T extends Entry>(entry: T): T => structuredClone(entry)
