import type { Rule } from '#contract/users.ts'
import type { SafePath } from '#src/files/paths/scope.ts'

/** The part of a jail that can travel to a thread. */
export interface Bounds {
  root: SafePath
  secret: readonly string[]
  rules: readonly Rule[]
  /** Whether links to dotfiles are hidden as those are. */
  hideDotfiles?: boolean
}

/** The same in a thread, with its rules ready to be asked. */
export interface Limits extends Bounds {
  allows(path: string, folds?: boolean): boolean
}

/** A task whose rules are ready to be asked. */
export type Limited<Task> = Task & { bounds: Limits }

/** How an item's address may be followed when it is opened. */
export type Follow =
  /** The address is a held thing itself. */
  | 'held'
  /** A name inside a held folder that was no link: should it be one now, it is not followed. */
  | 'never'
  /** A link inside a held folder: followed to a file inside the scope, and nowhere else. */
  | 'inside'

/** Something on the disk that is to be put into an archive. */
export interface Item {
  /** The name for system calls. */
  address: string
  /** Its name in the archive, `/`-separated, relative; a folder's ends with a slash. */
  entry: string
  follow: Follow
}

/** What the head of an entry says. */
export interface Facts {
  entry: string
  /** Bytes of content. */
  size: number
  mtimeMs: number
  /** Permission bits. */
  mode: number
}

/** Why something is missing from an archive or not what it was; one line of `_errors.txt`. */
export interface Fault {
  entry: string
  reason: string
}

/** Whether an entry is a folder. */
export function isFolder(entry: string): boolean {
  return entry.endsWith('/')
}
