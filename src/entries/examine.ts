import type { Stats } from 'node:fs'
import type { Principal } from '#src/access/principal.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'

/** A file that was received completely and does not have its name yet. */
export interface FinishedFile {
  actor: Principal
  event: 'upload' | 'save'
  /** The path of the request. */
  path: UserPath
  /** The real path that the file will have. */
  real: string
  /** The path under its temporary name, for system calls. */
  temporary: string
  /** The file that it will replace. Undefined: there is none. */
  replaces: Stats | undefined
  /** Aborts when the sender has left. */
  signal: AbortSignal
}

/** Examines contents that come from outside, before they become visible (contract/README.md#examined-files). */
export interface Examiner {
  /** Whether the contents of this sender are examined. */
  covers(actor: Principal): boolean
  /**
   * Returns when the file may get its name. Otherwise the file has been moved away, or stays under its temporary name, which
   * the caller removes.
   *
   * @throws Problem `scan.infected`, `scan.held`, `scan.away`; the signal's reason, and what a check of the access throws
   */
  examine(file: FinishedFile): Promise<void>
}
