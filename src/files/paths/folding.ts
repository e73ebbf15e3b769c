import { dirname, sep } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { type Asking, askNow, few } from './ask-disk.ts'
import { mountAt, mountsVersion } from './remote-mounts.ts'

/** Whether names have several spellings, such as `a.txt` and `A.TXT`. */
export interface Folding {
  /** Whether names in the folder itself have. */
  own: boolean
  /** Whether names in the folder or in any folder above it have. */
  any: boolean
  /** Whether the disk has shown it; a folder without names shows nothing. */
  isSure: boolean
  /** The folder is so deep that the disk was not asked: rules are as strict as if its names had several spellings. */
  isAssumed?: boolean
}

/**
 * File systems that take one name in several spellings, or know short names and streams beside the names that they list.
 * Some of them may be mounted otherwise; then rules that deny are only stricter than they need be.
 */
const foldingTypes =
  /^(v?fat|u?msdos|exfat|ntfs3?|fuseblk|fuse\.(lowntfs.*|ntfs.*|exfat.*)|hfs(plus)?|apfs|cifs|smb3|smbfs|vboxsf|prl_fs|(fuse\.)?vmhgfs.*|iso9660)$/

// A folder of ext4 begins to fold only while it is empty, so what was seen stays true until another takes its name.
const goodForMs = 60_000
const unsureForMs = 1000
/** All that is known takes so many characters of paths at most. */
export const mostKnown = 2 * 1024 * 1024
// Coffer makes folders at most 255 levels deep. Other programs may make deeper ones. Probing each level of those would take
// seconds for one path.
const mostProbed = 300
// Linux takes no longer path (PATH_MAX).
const longestPath = 4096

const known = new Map<string, Folding & { until: number; version: number }>()
let knownLength = 0

/** What is known of a folder without asking the disk. */
export function recall(folder: string): Folding | undefined {
  const found = known.get(folder)
  if (found && found.until > performance.now() && found.version === mountsVersion()) return found
  return undefined
}

/** Keeps for a while what is known of a folder, under its real path or another address that leads to it. */
export function remember(folder: string, folding: Folding): void {
  const until = performance.now() + (folding.isSure ? goodForMs : unsureForMs)
  forget(folder)
  known.set(folder, { ...folding, until, version: mountsVersion() })
  knownLength += folder.length
  for (const oldest of known.keys()) {
    if (knownLength <= mostKnown) break
    forget(oldest)
  }
}

function forget(folder: string): void {
  if (known.delete(folder)) knownLength -= folder.length
}

/**
 * Whether names in `folder`, a real path, have several spellings. Folders are probed one by one, for on ext4, tmpfs and
 * others each has a choice of its own; what was seen is remembered for a minute. Below 300 names, no more are probed.
 */
export function* foldingIn(folder: string): Asking<Folding> {
  const top = firstFolders(folder, mostProbed)
  if (top === folder) return yield* probeAll(folder)
  const { own, any } = yield* probeAll(top)
  return { own, any: true, isSure: true, isAssumed: !any }
}

/** The part of a real path that has at most `count` names. */
function firstFolders(path: string, count: number): string {
  let end = 0
  for (let names = 0; names < count && end !== -1; names++) end = path.indexOf(sep, end + 1)
  return end === -1 ? path : path.slice(0, end)
}

function* probeAll(folder: string): Asking<Folding> {
  const unknown: string[] = []
  let place = folder
  while (!recall(place) && unknown.at(-1) !== place) {
    unknown.push(place)
    place = dirname(place)
  }
  let folding = recall(place) ?? { own: false, any: false, isSure: true }
  for (const place of unknown.reverse()) {
    const seen = yield* probe(place)
    // What is made in a folder that folds does so as well.
    const own = seen ?? folding.own
    folding = { own, any: own || folding.any, isSure: seen !== undefined }
    remember(place, folding)
  }
  return folding
}

/**
 * As `foldingIn`, at once, whether any name on the way has several spellings. For threads.
 *
 * @param address its name for system calls: a path that is too long for them is not asked about, but the folder itself
 */
export function foldsNow(folder: string, address = folder): boolean {
  if (folder.length < longestPath) return (recall(folder) ?? askNow(foldingIn(folder))).any
  return askNow(probe(address, folder)) === true
}

/** Whether a folder with these names takes them in several spellings, as far as they tell. At once, for walks. */
export function foldsHere(address: string, names: readonly string[]): boolean {
  return askNow(tryNames(address, names.slice(0, few), false)) === true
}

/** Whether it makes a difference to rules that names have several spellings. */
export function foldingMatters(rules: readonly Rule[]): boolean {
  return rules.some((rule) => !rule.allow)
}

/** Undefined: the folder holds no name that tells. */
function* probe(address: string, real = address): Asking<boolean | undefined> {
  const mount = mountAt(real)
  if (mount && foldingTypes.test(mount.type)) return true
  return yield* tryNames(address, yield ['some', address], mount?.isFar !== false)
}

function* tryNames(
  folder: string,
  names: readonly string[],
  isForeign: boolean,
): Asking<boolean | undefined> {
  const tried = new Set<number>()
  for (const { name, spelling, kind } of names.flatMap((name) => trialsOf(name, isForeign))) {
    if (tried.has(kind)) continue
    const folds = yield* takesAlso(folder, name, spelling)
    if (folds) return true
    if (folds === false) tried.add(kind)
  }
  // A disk that joins Unicode forms alone shows it by a name that has two of them, so these may come later.
  return tried.has(0) || tried.has(1) ? false : undefined
}

function trialsOf(name: string, isForeign: boolean) {
  const trials = spellingsOf(name, isForeign).map((spelling, kind) => ({ name, spelling, kind }))
  return trials.filter(({ spelling }) => spelling !== name)
}

/** Whether the folder takes `spelling` for the entry `name`; undefined: both are there, or neither is any more. */
function* takesAlso(folder: string, name: string, spelling: string): Asking<boolean | undefined> {
  const [isThere] = yield ['has', `${folder}/${spelling}`]
  if (isThere) return (yield ['names', folder]).includes(spelling) ? undefined : true
  // It may have gone while we asked.
  const [isStill] = yield ['has', `${folder}/${name}`]
  return isStill ? false : undefined
}

/**
 * Other spellings of a name: of its Latin letters, of all letters, in Unicode forms; and, where another system may answer
 * for the disk, those that Windows takes for it.
 */
function spellingsOf(name: string, isForeign: boolean): string[] {
  const swapped = name.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  const upper = name.toUpperCase()
  const cased = upper === name ? name.toLowerCase() : upper
  const isAscii = /^[\x20-\x7e]*$/.test(name)
  const forms = isAscii ? [name, name, name] : [cased, name.normalize('NFC'), name.normalize('NFD')]
  return [swapped, ...forms, ...(isForeign ? [`${name}.`, `${name}:`] : [])]
}
