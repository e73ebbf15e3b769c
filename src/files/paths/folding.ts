import { dirname, join, sep } from 'node:path'
import type { Rule } from '#contract/users.ts'
import { type DiskTask, fewCount, runTaskSync } from './ask-disk.ts'
import { mountAt, mountsVersion, remoteMountOf } from './remote-mounts.ts'

/** Whether a disk accepts several spellings of one name, such as `a.txt` and `A.TXT`. */
export interface Folding {
  /** Whether names in the folder itself have several spellings. */
  own: boolean
  /** Whether names in the folder or in any folder above it have several spellings. */
  any: boolean
  /** Whether a probe showed it. A folder without names cannot be probed. */
  isSure: boolean
  /** The folder is too deep to be probed. Rules are as strict as if its names had several spellings. */
  isAssumed?: boolean
}

/**
 * File systems that accept several spellings of one name, or that accept short names and streams beside the names that
 * they list. Mount options may turn this off for some of them; then rules that deny are only stricter than necessary.
 */
const foldingTypes =
  /^(v?fat|u?msdos|exfat|ntfs3?|fuseblk|fuse\.(lowntfs.*|ntfs.*|exfat.*)|hfs(plus)?|apfs|cifs|smb3|smbfs|vboxsf|prl_fs|(fuse\.)?vmhgfs.*|iso9660)$/

// A folder of ext4 can become case-insensitive only while it is empty. So a result stays true until another folder
// takes the name.
const cacheForMs = 60_000
/** The limit for the total length of all cached paths, in characters. */
export const maxCachedChars = 2 * 1024 * 1024
// Coffer creates folders at most 255 levels deep. Other programs may create deeper ones. Probing each level of those
// would take seconds for one path.
const maxProbedLevels = 300
// Linux rejects longer paths (PATH_MAX).
const longestPath = 4096

const cache = new Map<string, Folding & { until: number; version: number }>()
let cachedLength = 0

/** Returns the cached result for a folder if it is sure, without a query to the disk. */
export function cachedFolding(folder: string): Folding | undefined {
  const found = validEntry(folder)
  return found?.isSure ? found : undefined
}

// No disk has another spelling for these names, such as those of a folder for each day.
const oneSpelling = /^[\d_-]+$/

/**
 * Whether the cache says that `name` has one spelling in `folder`, as have all names on the path to it. An unsure result
 * is used only for a name that has no other spelling: the next name in the folder may show that it has several.
 */
export function isPlain(folder: string, name: string): boolean {
  const found = validEntry(folder)
  return found?.any === false && (found.isSure || oneSpelling.test(name))
}

function validEntry(folder: string) {
  const found = cache.get(folder)
  return found && found.until > performance.now() && found.version === mountsVersion() ? found : undefined
}

/**
 * Caches the result for an existing folder, under its real path or another address that leads to it.
 *
 * @param version the mounts for which the result was found: another disk may have been mounted since
 */
export function cacheFolding(folder: string, folding: Folding, version: number): void {
  evict(folder)
  cache.set(folder, { ...folding, until: performance.now() + cacheForMs, version })
  cachedLength += folder.length
  for (const oldest of cache.keys()) {
    if (cachedLength <= maxCachedChars) break
    evict(oldest)
  }
}

function evict(folder: string): void {
  if (cache.delete(folder)) cachedLength -= folder.length
}

/**
 * Whether names in `folder`, a real path, have several spellings. Probes each folder on the path, because on ext4,
 * tmpfs and others each folder has its own setting. Sure results are cached for a minute. Levels below the 300th are not
 * probed.
 */
export function* foldingIn(folder: string): DiskTask<Folding> {
  const top = firstFolders(folder, maxProbedLevels)
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

function* probeAll(folder: string): DiskTask<Folding> {
  const version = mountsVersion()
  const unknown: string[] = []
  let place = folder
  // Read once: an entry may expire between two reads.
  let known = cachedFolding(place)
  while (!known && unknown.at(-1) !== place) {
    unknown.push(place)
    place = dirname(place)
    known = cachedFolding(place)
  }
  let folding: Folding = known ?? { own: false, any: false, isSure: true }
  for (const place of unknown.reverse()) {
    const seen = yield* probe(place)
    // A new folder inherits the setting of the folder that contains it.
    const own = seen ?? folding.own
    folding = { own, any: own || folding.any, isSure: seen !== undefined }
    cacheFolding(place, folding, version)
  }
  return folding
}

/**
 * Like `foldingIn`, synchronous, for worker threads. Returns whether any name on the path has several spellings.
 *
 * @param address the path for system calls. If `folder` is too long for them, only the folder itself is probed.
 */
export function foldsSync(folder: string, address = folder): boolean {
  if (folder.length < longestPath) return (cachedFolding(folder) ?? runTaskSync(foldingIn(folder))).any
  return runTaskSync(probe(address, folder)) === true
}

/** Whether a folder with these names accepts several spellings, as far as its names show. Synchronous, for walks. */
export function foldsHere(address: string, names: readonly string[]): boolean {
  return runTaskSync(probeNames(address, names.slice(0, fewCount), false)) === true
}

/** Whether rules depend on several spellings of names: only rules that deny do. */
export function foldingMatters(rules: readonly Rule[]): boolean {
  return rules.some((rule) => !rule.allow)
}

/** Returns undefined when the folder has no name that shows it. */
function* probe(address: string, real = address): DiskTask<boolean | undefined> {
  const mount = mountAt(real)
  if (mount && foldingTypes.test(mount.type)) return true
  // A remote disk that is mounted below this folder may never respond.
  const isHere = (name: string) => remoteMountOf(join(real, name)) === remoteMountOf(real)
  const names = (yield ['some', address]).filter(isHere)
  return yield* probeNames(address, names, mount?.isRemote !== false)
}

function* probeNames(
  folder: string,
  names: readonly string[],
  isForeign: boolean,
): DiskTask<boolean | undefined> {
  const tried = new Set<number>()
  for (const { name, spelling, kind } of names.flatMap((name) => trialsOf(name, isForeign))) {
    if (tried.has(kind)) continue
    const folds = yield* accepts(folder, name, spelling)
    if (folds) return true
    if (folds === false) tried.add(kind)
  }
  // A disk that only equates Unicode forms shows it with a name that has two forms. Such a name may be created later.
  return tried.has(0) || tried.has(1) ? false : undefined
}

function trialsOf(name: string, isForeign: boolean) {
  const trials = spellingsOf(name, isForeign).map((spelling, kind) => ({ name, spelling, kind }))
  return trials.filter(({ spelling }) => spelling !== name)
}

/** Whether the folder accepts `spelling` for the entry `name`. Undefined: both exist, or neither exists any more. */
function* accepts(folder: string, name: string, spelling: string): DiskTask<boolean | undefined> {
  const [isThere] = yield ['has', `${folder}/${spelling}`]
  if (isThere) return (yield ['names', folder]).includes(spelling) ? undefined : true
  // The entry may have been removed in the meantime.
  const [isStill] = yield ['has', `${folder}/${name}`]
  return isStill ? false : undefined
}

/**
 * Other spellings of a name: with the case of Latin letters swapped, with the case of all letters changed, in other
 * Unicode forms; and, where another system may serve the disk, the spellings that Windows accepts.
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
