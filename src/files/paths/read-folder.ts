import type { Dirent } from 'node:fs'
import { relative, sep } from 'node:path'
import type { Allows } from '#src/core/access/rules.ts'
import { decodeName } from './byte-names.ts'
import { opendir, opendirSync, readdir, readdirSync } from './disk.ts'
import { isInside } from './path-access.ts'
import { childOf, isReserved } from './user-path.ts'

// The only file that reads the entries of a folder. Each function serves one purpose and returns only the names that
// are allowed for this purpose.

/** The relative paths of Coffer's own files below one folder. An empty one is the folder itself. */
export type SecretsBelow = readonly string[]

/** The names in one folder that a user may see. */
export interface NameFilter {
  secrets: SecretsBelow
  hideDotfiles: boolean
  /** Whether rules allow the name in this folder. */
  allows(name: string): boolean
}

/** The secrets, given as real paths, that are in or below the real folder `real`. */
export function secretsIn(real: string, secret: readonly string[]): SecretsBelow {
  return secret.flatMap((each) => {
    if (isInside(real, each)) return ['']
    return isInside(each, real) ? [relative(real, each).split(sep).join('/')] : []
  })
}

/** The secrets for the folder `name` in it. */
export function secretsUnder(secrets: SecretsBelow, name: string): SecretsBelow {
  if (secrets.length === 0) return secrets
  return secrets.flatMap((each) => {
    if (each === '' || each === name) return ['']
    return each.startsWith(`${name}/`) ? [each.slice(name.length + 1)] : []
  })
}

/** Whether a name is hidden from all users: it is reserved, or belongs to a file of Coffer itself. */
function isOwn(secrets: SecretsBelow, name: string): boolean {
  return isReserved(name) || secrets.some((each) => each === '' || each === name)
}

function isShown({ secrets, hideDotfiles, allows }: NameFilter): (name: string) => boolean {
  return (name) => !isOwn(secrets, name) && !(hideDotfiles && name.startsWith('.')) && allows(name)
}

/**
 * For `Sight`: checks the rules for a name below the folder, both for the requested path and for the path with symbolic
 * links resolved.
 *
 * @param place.folds whether names in it have several spellings
 */
export function allowsIn(
  allows: Allows,
  { path, inside, folds }: { path: string; inside: string; folds: boolean },
): (name: string) => boolean {
  if (path === inside) return (name) => allows(childOf(path, name), folds)
  return (name) => allows(childOf(path, name), folds) && allows(childOf(inside, name), folds)
}

/** The names in a folder that may be shown. Synchronous, for worker threads. */
export function shownNames(address: string, sight: NameFilter): string[] {
  return everySpellingSync(address).filter(isShown(sight))
}

/** Like `shownNames`, for one small folder on the main thread. */
export async function readShownNames(address: string, sight: NameFilter): Promise<string[]> {
  const names = await readdir(address, 'buffer')
  return names.map(decodeName).filter(isShown(sight))
}

/** The entries of a folder that may be shown, with their kinds. @see shownNames */
export function shownEntries(address: string, sight: NameFilter): Dirent[] {
  const isVisible = isShown(sight)
  return entriesOf(address).filter(({ name }) => isVisible(name))
}

function entriesOf(address: string): Dirent[] {
  const entries = readdirSync(address, { withFileTypes: true })
  if (!entries.some(({ name }) => mayBeEscaped(name))) return entries
  const raw = readdirSync(address, { withFileTypes: true, encoding: 'buffer' })
  return raw.map((entry) => Object.assign(entry, { name: decodeName(entry.name) }) as unknown as Dirent)
}

/** Whether a name may come from one that is not UTF-8, or may look like the spelling of one. */
function mayBeEscaped(name: string): boolean {
  return name.includes('\ufffd')
}

/**
 * The names that a copy of a folder includes: every name, also hidden ones and those that are not UTF-8, except
 * Coffer's own. The copy itself checks the rules: a denied name makes it fail.
 */
export function copiedNames(address: string | Buffer, secrets: SecretsBelow): Buffer[] {
  return readdirSync(address, 'buffer').filter((name) => !isOwn(secrets, decodeName(name)))
}

/** Every name in a folder, for operations on the whole folder: moving, deleting. Never for display. */
export function everyName(address: string | Buffer): Buffer[] {
  return readdirSync(address, 'buffer')
}

/** Every entry of a folder, for finding the entries that a sandbox must not show. */
export function everyEntry(address: string): Promise<Dirent[]> {
  return readdir(address, { withFileTypes: true })
}

/** The names as the folder spells them, for finding the entry that a name opens. Never for display. */
export async function everySpelling(address: string): Promise<string[]> {
  const names = await readdir(address)
  return names.some(mayBeEscaped) ? (await readdir(address, 'buffer')).map(decodeName) : names
}

/** Like `everySpelling`, synchronous. For worker threads. */
export function everySpellingSync(address: string): string[] {
  const names = readdirSync(address)
  return names.some(mayBeEscaped) ? readdirSync(address, 'buffer').map(decodeName) : names
}

/** Like `everySpelling`, for the first `most` names that are UTF-8: enough to probe how the disk treats spellings. */
export async function fewSpellings(address: string, most: number): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(address)) {
    if (!mayBeEscaped(name) && names.push(name) >= most) break
  }
  return names
}

/**
 * The names of the folders in a folder that may be shown, without links and without names that are not UTF-8. Reads at
 * most `most` folders and 100 times as many entries.
 */
export async function fewFolders(
  address: string,
  sight: NameFilter,
  most: number,
): Promise<{ names: string[]; hasMore: boolean }> {
  const isVisible = isShown(sight)
  const names: string[] = []
  let read = 0
  for await (const entry of await opendir(address)) {
    const isFolder = entry.isDirectory() && !mayBeEscaped(entry.name) && isVisible(entry.name)
    if ((isFolder && names.length >= most) || ++read > 100 * most) return { names, hasMore: true }
    if (isFolder) names.push(entry.name)
  }
  return { names, hasMore: false }
}

/** Like `fewSpellings`, synchronous. For worker threads. */
export function fewSpellingsSync(address: string, most: number): string[] {
  const names: string[] = []
  const folder = opendirSync(address)
  try {
    for (let entry = folder.readSync(); entry && names.length < most; entry = folder.readSync()) {
      if (!mayBeEscaped(entry.name)) names.push(entry.name)
    }
    return names
  } finally {
    folder.closeSync()
  }
}

/** Whether a folder has no entries at all. False for anything that is not a folder. */
export async function isEmptyFolder(address: string): Promise<boolean> {
  try {
    const folder = await opendir(address)
    try {
      return (await folder.read()) === null
    } finally {
      await folder.close()
    }
  } catch {
    return false
  }
}

/**
 * The first `most` entries of a folder, and whether these are all. Skips names that are not UTF-8. For a check of the
 * whole tree that must end, also in a folder with millions of entries.
 */
export async function firstEntries(
  address: string,
  most: number,
): Promise<{ entries: Dirent[]; isComplete: boolean }> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(address)) {
    if (entries.length >= most) return { entries, isComplete: false }
    if (!mayBeEscaped(entry.name)) entries.push(entry)
  }
  return { entries, isComplete: true }
}

/** The first `most` names in a folder of Coffer's own, for finding other names of its files. None if it cannot be read. */
export function ownNamesSync(folder: string, most: number): string[] {
  try {
    return readdirSync(folder).slice(0, most)
  } catch {
    return []
  }
}

/** The names in a folder that only Coffer uses. */
export function privateNames(folder: string): Promise<string[]> {
  return readdir(folder)
}
