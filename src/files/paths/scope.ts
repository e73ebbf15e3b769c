import type { Stats } from 'node:fs'
import type { UserPath } from './user-path.ts'

declare const checked: unique symbol

/** An absolute path on the disk that was proven to lie in a jail. Only `jail/jail.ts` makes one. */
export type SafePath = string & { readonly [checked]: true }

/** What one person may reach: a folder, less what rules deny and what belongs to Coffer itself. */
export interface Jail {
  /** Absolute path of the scope, links resolved. */
  readonly root: SafePath
  /** Whether rules let this person reach `path`; `folds` says that names on it have several spellings. */
  allows(path: UserPath, folds?: boolean): boolean
  /** Real paths that are never reachable, with all below them: the state, its folder, keys, logs, disks that are silent. */
  readonly secret: readonly string[]
}

/** Something on the disk that is held open, so that nobody can put another thing in its place. */
export interface OpenPath extends AsyncDisposable {
  /** Where it really is. */
  readonly real: SafePath
  /** The same place as the jail's owner would write it, links resolved. For rules; a refusal names `asked`. */
  readonly path: UserPath
  /** The path as it was asked for: the only one that a refusal may name. */
  readonly asked: UserPath
  /** The same, each name as its folder spells it: for rules and for answers. */
  readonly spelled: UserPath
  /** Whether names on the way have several spellings. */
  readonly folds: boolean
  readonly stats: Stats
  /**
   * The name to hand to system calls. On Linux it leads through the held descriptor, so a folder that is swapped for a
   * link meanwhile swaps nothing for us. Other systems have no such name: there it is the real path, and between the
   * check and the call a race remains for those who can write to the served folder by other means.
   */
  readonly address: string
  close(): Promise<void>
}

/** A real path as the folders on it spell its names. */
export interface TruePlace {
  real: string
  /** Whether any of these names has other spellings. */
  folds: boolean
}
