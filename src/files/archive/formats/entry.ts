import type { Rule } from '#contract/users.ts'
import type { SafePath } from '#src/files/paths/scope.ts'

/** The part of a jail that can be sent to a worker thread. */
export interface Bounds {
  root: SafePath
  secret: readonly string[]
  rules: readonly Rule[]
  /** Whether dotfiles are hidden, and so also symbolic links to dotfiles. */
  hideDotfiles?: boolean
}

/** `Bounds` in a worker thread, with compiled rules. */
export interface CompiledBounds extends Bounds {
  allows(path: string, folds?: boolean): boolean
}

/** A task with compiled rules. */
export type WithCompiledBounds<Task> = Task & { bounds: CompiledBounds }

/** Whether a symbolic link at an item's address may be followed. */
export type Follow =
  /** The address is the path of an open descriptor. */
  | 'held'
  /** A name in an open folder that was not a link. If it is a link now, it is not followed. */
  | 'never'
  /** A symbolic link in an open folder. It is followed only to a file inside the scope. */
  | 'inside'

/** A file or folder on the disk to be added to an archive. */
export interface Item {
  /** The path for system calls. */
  address: string
  /** The path in the archive: relative, `/`-separated, with a slash at the end for a folder. */
  entry: string
  follow: Follow
}

/** The metadata in the header of an entry. */
export interface EntryHeader {
  entry: string
  /** The size of the content, in bytes. */
  size: number
  mtimeMs: number
  /** Permission bits. */
  mode: number
}

/** The metadata of a large file. */
export interface LargeHeader extends EntryHeader {
  /** For a zip: whether to store it uncompressed. */
  isStored: boolean
}

/** Why an entry is missing from the archive or differs from the file. One line of `_errors.txt`. */
export interface ArchiveFault {
  entry: string
  reason: string
}

/** Whether an entry is a folder. */
export function isFolder(entry: string): boolean {
  return entry.endsWith('/')
}
