import type { Config } from '#src/config/config.ts'
import type { State } from '#src/state/state.ts'
import type { CheckFinding } from './finding.ts'

/** What the checks examine: an instance, whether its server runs or not. */
export interface Subject {
  config: Config
  /** Paths of the state file, of the folder beside it, and of the cache. */
  file: string
  folder: string
  cacheFolder: string
  /** Undefined: there is no readable state. */
  state: State | undefined
  /** Why the state file cannot be used; undefined: it can. */
  stateFault: string | undefined
  /** Real paths that no user may reach. */
  secret: readonly string[]
  /** The time of day, in milliseconds since 1970. */
  wall: () => number
  /** Undefined: no server runs. */
  server: RunningServer | undefined
  /** Splits a command line into words; undefined if it is malformed. */
  splitWords: (line: string) => string[] | undefined
  /** Finds a program in the folders of PATH. Undefined: there is none. */
  findProgram: (name: string) => Promise<string | undefined>
  /** Says why commands cannot run in a sandbox. Undefined: they can. */
  sandboxFault: () => Promise<string | undefined>
  /** Whether the operator may see a real path in the served folder. */
  shows: (path: string) => boolean
}

/** What only a running server knows. */
export interface RunningServer {
  /** The peer that last sent forwarding headers without being trusted; undefined: there was none. */
  untrustedPeer: () => string | undefined
  /** The last verification of the audit log; undefined: there was none. */
  lastVerification: () => Promise<{ time: number; isFine: boolean } | undefined>
}

/** A check. Aborts its work when `signal` does. */
export type Check = (subject: Subject, signal: AbortSignal) => Promise<readonly CheckFinding[]>
