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

/** What may lie on a disk, as a model of it. */
export type Thing = File | Link | Folder
interface File {
  kind: 'file'
  text: string
}
interface Link {
  kind: 'link'
  /** Relative to the folder of the link; with a slash first, from the top of the model. */
  to: string
}
export interface Folder {
  kind: 'folder'
  things: Map<string, Thing>
}

export const file = (text: string): File => ({ kind: 'file', text })
export const folder = (things: Iterable<[string, Thing]> = []): Folder => ({
  kind: 'folder',
  things: new Map(things),
})

export const namesOf = (path: string) => path.split('/').filter((name) => name !== '' && name !== '.')
export const within = (path: string, above: string) =>
  path === above || path.startsWith(above === '/' ? '/' : `${above}/`)
export const childOf = (path: string, name: string) => (path === '/' ? `/${name}` : `${path}/${name}`)
export const parentOf = (path: string) => `/${namesOf(path).slice(0, -1).join('/')}`
export const nameOf = (path: string) => namesOf(path).at(-1) ?? ''

/** What is at a path of the model when no link on it is followed; undefined: nothing. */
export function at(disk: Thing, path: string): Thing | undefined {
  let here: Thing | undefined = disk
  for (const name of namesOf(path)) here = here?.kind === 'folder' ? here.things.get(name) : undefined
  return here
}

/** Where a path of the model leads, as path_resolution(7) tells; undefined: nowhere. */
export function follow(disk: Folder, path: string): { real: string; thing: File | Folder } | undefined {
  let place: Place | undefined = { real: '/', todo: namesOf(path) }
  for (let steps = 0; place && steps < 1000; steps++) {
    const here = at(disk, place.real)
    if (!here || here.kind === 'link') return undefined
    if (place.todo.length === 0) return { real: place.real, thing: here }
    place = here.kind === 'folder' ? step(here, place) : undefined
  }
  return undefined // also a loop
}

interface Place {
  real: string
  todo: string[]
}

function step(here: Folder, { real, todo: [name = '', ...todo] }: Place): Place | undefined {
  // Above its top, the model knows nothing.
  if (name === '..') return real === '/' ? undefined : { real: parentOf(real), todo }
  const thing = here.things.get(name)
  if (thing?.kind !== 'link') return { real: childOf(real, name), todo }
  return { real: thing.to.startsWith('/') ? '/' : real, todo: [...namesOf(thing.to), ...todo] }
}

/** A rule as the model knows it: about a path and all below it, or a pattern. */
export interface ModelRule {
  allow: boolean
  about: string | RegExp
}

/** The last rule that matches decides; what none matches is allowed. */
export function allowedBy(rules: readonly ModelRule[]): (path: string) => boolean {
  const matches = ({ about }: ModelRule, path: string) =>
    typeof about === 'string' ? within(path, about) : about.test(path) || about.test(`${path}/`)
  return (path) => rules.findLast((rule) => matches(rule, path))?.allow ?? true
}

/** Somebody who looks at a disk from a folder of it. */
export interface View {
  disk: Folder
  /** The folder that is their whole world; no link is on the way to it. */
  top: string
  allows(path: string): boolean
  hideDotfiles: boolean
}

/** Something that may be reached. */
export interface Reached {
  real: string
  /** The same place as the viewer would write it. */
  inside: string
  thing: File | Folder
}

/** The one question: what does a person reach at a path? `denied` by a rule, or `missing`, which is also outside. */
export function reach(view: View, path: string): Reached | 'denied' | 'missing' {
  if (!view.allows(path)) return 'denied'
  const found = follow(view.disk, view.top + path)
  if (!found || !within(found.real, view.top)) return 'missing'
  const inside = insideOf(view, found.real)
  return view.allows(inside) ? { ...found, inside } : 'denied'
}

const insideOf = ({ top }: View, real: string) => real.slice(top.length) || '/'

/** What a listing tells: each name, and whether it is a link that leads nowhere. */
export function listing(view: View, path: string, folder: Reached): Map<string, boolean> {
  const told = new Map<string, boolean>()
  for (const [name, child] of shown(view, path, folder)) {
    const leads = child.kind === 'link' ? follow(view.disk, childOf(folder.real, name)) : undefined
    const isBroken = child.kind === 'link' && !(leads && within(leads.real, view.top))
    if (!leads || isBroken || view.allows(insideOf(view, leads.real))) told.set(name, isBroken)
  }
  return told
}

/** What is in a folder and neither hidden nor denied, where it is nor as it was asked for. */
function shown(view: View, path: string, { inside, thing }: Pick<Reached, 'inside' | 'thing'>) {
  return [...(thing.kind === 'folder' ? thing.things : [])].filter(
    ([name]) =>
      !isHidden(view, name) && view.allows(childOf(path, name)) && view.allows(childOf(inside, name)),
  )
}

const isHidden = ({ hideDotfiles }: View, name: string) => hideDotfiles && name.startsWith('.')

/** Something below a folder that may be reached; `openly` when every folder on the way to it may be, too. */
export interface Below {
  /** Relative to the folder. */
  path: string
  thing: Thing
  real: string
  openly: boolean
}

/** All below a folder that may be told; links are not followed. */
export function below(view: View, path: string, top: Reached): Below[] {
  const walk = (thing: Thing, above: string, openly: boolean): Below[] => {
    if (thing.kind !== 'folder') return []
    const visible = [...thing.things].filter(([name]) => !isHidden(view, name))
    return visible.flatMap(([name, child]) => {
      const next = above + name
      const isAllowed = view.allows(childOf(path, next)) && view.allows(childOf(top.inside, next))
      const own = { path: next, thing: child, real: childOf(top.real, next), openly }
      const isTold = isAllowed && !leadsToDenied(view, own)
      return [...(isTold ? [own] : []), ...walk(child, `${next}/`, openly && isAllowed)]
    })
  }
  return walk(top.thing, '', true)
}

/** Whether a link leads to what a rule denies: where it leads is nobody's business then, nor that it is there. */
function leadsToDenied(view: View, { thing, real }: Pick<Below, 'thing' | 'real'>): boolean {
  const leads = thing.kind === 'link' ? follow(view.disk, real) : undefined
  return leads !== undefined && within(leads.real, view.top) && !view.allows(insideOf(view, leads.real))
}

/** What of a folder an archive holds: its files, those that links lead to, and folders as null. */
export function archived(view: View, path: string, top: Reached): Map<string, string | null> {
  const entries = below(view, path, top).flatMap(
    ({ path, thing, real, openly }): [string, string | null][] => {
      if (!openly) return []
      if (thing.kind === 'folder') return [[path, null]]
      if (thing.kind === 'file') return [[path, thing.text]]
      const leads = follow(view.disk, real)
      const isGood = leads?.thing.kind === 'file' && within(leads.real, view.top)
      return isGood && view.allows(insideOf(view, leads.real)) ? [[path, (leads.thing as File).text]] : []
    },
  )
  return new Map(entries)
}

/** Where something new at a path would be, folders that are missing made on the way; undefined: nowhere. */
export function landing(view: View, path: string): string | undefined {
  if (path === '/' || !view.allows(path)) return undefined
  const above = parentOf(path)
  const found = follow(view.disk, view.top + above)
  if (found && !(within(found.real, view.top) && found.thing.kind === 'folder')) return undefined
  const into = found ? insideOf(view, found.real) : missing(view, above)
  if (into === undefined) return undefined
  const place = childOf(into, nameOf(path))
  return view.allows(place) ? place : undefined
}

function missing(view: View, path: string): string | undefined {
  const place = landing(view, path)
  // A link that leads nowhere is no free name.
  return place !== undefined && !at(view.disk, view.top + place) ? place : undefined
}

/** What a name means to whoever renames: the link itself, not what it leads to. */
export function named(view: View, path: string): { inside: string; thing: Thing } | undefined {
  if (path === '/' || !view.allows(path)) return undefined
  const above = follow(view.disk, view.top + parentOf(path))
  if (!above || !within(above.real, view.top)) return undefined
  const inside = childOf(insideOf(view, above.real), nameOf(path))
  const thing = at(view.disk, view.top + inside)
  return thing && view.allows(inside) ? { inside, thing } : undefined
}

/** Whether rules allow a thing, with all in it, to be at a place. */
export function allAllowed(view: View, thing: Thing, place: string): boolean {
  if (!view.allows(place)) return false
  if (thing.kind !== 'folder') return true
  return [...thing.things].every(([name, child]) => allAllowed(view, child, childOf(place, name)))
}

/** Puts a thing at a place of the model and makes the folders above it. */
export function put(disk: Folder, path: string, thing: Thing): void {
  let here = disk
  for (const name of namesOf(parentOf(path))) {
    const next = here.things.get(name) ?? folder()
    here.things.set(name, next)
    if (next.kind !== 'folder') throw new Error(`${path} is below a file`)
    here = next
  }
  here.things.set(nameOf(path), thing)
}

/** Takes what is at a place of the model away. */
export function take(disk: Folder, path: string): void {
  const above = at(disk, parentOf(path))
  if (above?.kind === 'folder') above.things.delete(nameOf(path))
}

/** Makes on the disk what the model of a folder holds; links from the top lead from `base`. */
export function build(place: string, { things }: Folder, base = place): void {
  for (const [name, thing] of things) {
    const path = join(place, name)
    if (thing.kind === 'file') writeFileSync(path, thing.text)
    else if (thing.kind === 'link') symlinkSync(thing.to.startsWith('/') ? base + thing.to : thing.to, path)
    else {
      mkdirSync(path)
      build(path, thing, base)
    }
  }
}

/** What is below a folder of the disk, a line each, sorted; the same for a model, told from its top. */
export function linesOfDisk(place: string, base = place): string[] {
  return readdirSync(place, { withFileTypes: true })
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
export function linesOfModel({ things }: Folder, above = '/'): string[] {
  return [...things]
    .flatMap(([name, thing]) => {
      const path = childOf(above, name)
      if (thing.kind === 'folder') return [`${JSON.stringify(path)} folder`, ...linesOfModel(thing, path)]
      if (thing.kind === 'link') return `${JSON.stringify(path)} -> ${thing.to}`
      return `${JSON.stringify(path)} ${thing.text}`
    })
    .sort()
}

/** A copy that shares nothing. */
export const copyOf = <T extends Thing>(thing: T): T => structuredClone(thing)
