import type { Dirent } from 'node:fs'
import { relative, sep } from 'node:path'
import type { Allows } from '#src/core/access/rules.ts'
import { textOf } from './byte-names.ts'
import { opendir, opendirSync, readdir, readdirSync } from './disk.ts'
import { isInside } from './reach.ts'
import { isTemporary } from './temporary.ts'
import { childOf } from './user-path.ts'

// The only file that reads what is in a folder. Whoever reads a folder of people says by the function that they choose what
// the names are for, and gets no others.

/** What Coffer keeps for itself below one folder: relative paths. An empty one is the folder itself. */
export type SecretsBelow = readonly string[]

/** What somebody may know of the names in one folder. */
export interface Sight {
  secrets: SecretsBelow
  hideDotfiles: boolean
  /** Whether rules allow the name in this folder. */
  allows(name: string): boolean
}

/** The secrets, given as real paths, that lie in or below the real folder `real`. */
export function secretsIn(real: string, secret: readonly string[]): SecretsBelow {
  return secret.flatMap((each) => {
    if (isInside(real, each)) return ['']
    return isInside(each, real) ? [relative(real, each).split(sep).join('/')] : []
  })
}

/** The same for the folder `name` in it. */
export function secretsUnder(secrets: SecretsBelow, name: string): SecretsBelow {
  if (secrets.length === 0) return secrets
  return secrets.flatMap((each) => {
    if (each === '' || each === name) return ['']
    return each.startsWith(`${name}/`) ? [each.slice(name.length + 1)] : []
  })
}

/** Whether a name stands for something that nobody reads: an unfinished part, or what Coffer keeps for itself. */
function isOwn(secrets: SecretsBelow, name: string): boolean {
  return isTemporary(name) || secrets.some((each) => each === '' || each === name)
}

function isShown({ secrets, hideDotfiles, allows }: Sight): (name: string) => boolean {
  return (name) => !isOwn(secrets, name) && !(hideDotfiles && name.startsWith('.')) && allows(name)
}

/**
 * For `Sight`: asks rules about a name below the folder as it was asked for and as it is with links resolved.
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

/** The names in a folder that may be shown. Synchronous: for workers. */
export function shownNames(address: string, sight: Sight): string[] {
  return everySpellingNow(address).filter(isShown(sight))
}

/** The same, for one small folder on the main thread. */
export async function readShownNames(address: string, sight: Sight): Promise<string[]> {
  const names = await readdir(address, 'buffer')
  return names.map(textOf).filter(isShown(sight))
}

/** What may be shown in a folder, with its kinds. @see shownNames */
export function shownEntries(address: string, sight: Sight): Dirent[] {
  const isThere = isShown(sight)
  return entriesOf(address).filter(({ name }) => isThere(name))
}

function entriesOf(address: string): Dirent[] {
  const entries = readdirSync(address, { withFileTypes: true })
  if (!entries.some(({ name }) => isDoubtful(name))) return entries
  const raw = readdirSync(address, { withFileTypes: true, encoding: 'buffer' })
  return raw.map((entry) => Object.assign(entry, { name: textOf(entry.name) }) as unknown as Dirent)
}

/** Whether a name may have been made of one that is no UTF-8, or looks like the spelling of one. */
function isDoubtful(name: string): boolean {
  return name.includes('\ufffd')
}

/**
 * What a copy takes of a folder: every name, also hidden ones and such that are no UTF-8, but nothing that is Coffer's own.
 * Rules are the copy's business: what they deny refuses it.
 */
export function copiedNames(address: string | Buffer, secrets: SecretsBelow): Buffer[] {
  return readdirSync(address, 'buffer').filter((name) => !isOwn(secrets, textOf(name)))
}

/** Every name in a folder, for what happens to the folder as a whole: moving, deleting. Never for showing. */
export function everyName(address: string | Buffer): Buffer[] {
  return readdirSync(address, 'buffer')
}

/** Every entry of a folder, for finding out which of them a sandbox must not show. */
export function everyEntry(address: string): Promise<Dirent[]> {
  return readdir(address, { withFileTypes: true })
}

/** How a folder spells its names, for finding out what a name opens. Never for showing. */
export async function everySpelling(address: string): Promise<string[]> {
  const names = await readdir(address)
  return names.some(isDoubtful) ? (await readdir(address, 'buffer')).map(textOf) : names
}

/** As `everySpelling`, at once. For threads. */
export function everySpellingNow(address: string): string[] {
  const names = readdirSync(address)
  return names.some(isDoubtful) ? readdirSync(address, 'buffer').map(textOf) : names
}

/** As `everySpelling`, of the first `most` names that are UTF-8: enough to try how the disk takes them. */
export async function fewSpellings(address: string, most: number): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(address)) {
    if (!isDoubtful(name) && names.push(name) >= most) break
  }
  return names
}

/** As `fewSpellings`, at once. For threads. */
export function fewSpellingsNow(address: string, most: number): string[] {
  const names: string[] = []
  const folder = opendirSync(address)
  try {
    for (let entry = folder.readSync(); entry && names.length < most; entry = folder.readSync()) {
      if (!isDoubtful(entry.name)) names.push(entry.name)
    }
    return names
  } finally {
    folder.closeSync()
  }
}

/** The names in a folder that is Coffer's own and nobody else's. */
export function ownNames(folder: string): Promise<string[]> {
  return readdir(folder)
}
