import type { Stats } from 'node:fs'
import type { UserPath } from './user-path.ts'

declare const checked: unique symbol

/** An absolute path on the disk that was proven to be inside a jail. Only `jail/jail.ts` creates one. */
export type SafePath = string & { readonly [checked]: true }

/** The part of the disk that one user may access: a folder, without what rules deny and without Coffer's own files. */
export interface Jail {
  /** Absolute path of the scope, symbolic links resolved. */
  readonly root: SafePath
  /** Whether the rules let this user access `path`; `folds` means that names on it have several spellings. */
  allows(path: UserPath, folds?: boolean): boolean
  /** Real paths that are never accessible, nor anything below them: the state, its folder, keys, logs, silent disks. */
  readonly secret: readonly string[]
}

/** An entry on the disk that is held open, so that it cannot be replaced between the check and its use. */
export interface OpenPath extends AsyncDisposable {
  /** The real path. */
  readonly real: SafePath
  /** The same place as a path inside the jail, symbolic links resolved. For rules; an error names `asked`. */
  readonly path: UserPath
  /** The requested path: the only one that an error may name. */
  readonly asked: UserPath
  /** The requested path, each name as its folder spells it: for rules and for responses. */
  readonly spelled: UserPath
  /** Whether names on the path have several spellings. */
  readonly folds: boolean
  readonly stats: Stats
  /**
   * The path for system calls. On Linux it leads through the open descriptor, so replacing a folder by a symbolic
   * link in the meantime has no effect. Other systems have no such path: there it is the real path, and a race
   * between check and call remains for those who can write to the served folder by other means.
   */
  readonly address: string
  close(): Promise<void>
}

/** A real path in which each name is as its folder spells it. */
export interface TruePlace {
  real: string
  /** Whether any of these names has other spellings. */
  folds: boolean
}
