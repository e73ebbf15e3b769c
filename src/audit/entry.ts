import type { ChangedPath } from '#contract/history/operations.ts'
import { type OperationKind, operationKinds } from '#contract/schema/operation-kind.ts'

/** What a record is about: an operation, or an event. */
export type AuditKind =
  | OperationKind
  /** A sign-in, also a failed one. */
  | 'login'
  /** A wrong password of a shared link. */
  | 'visit'
  /** A wrong password of a signed-in user who had to confirm a request with it. */
  | 'confirm'
  /** A session was ended by its user. */
  | 'logout'
  /** A user has run a program in the shell panel. */
  | 'command'
  /** The virus scanner has found something in a received file. */
  | 'scan'
  /** A request was refused (403). */
  | 'refusal'
  /** The server has started or stopped. */
  | 'start'
  | 'stop'
  /** The oldest records were removed. */
  | 'cut'
  /** The records were verified. */
  | 'verify'
  /** Records could not be written, for example because the disk was full. */
  | 'gap'

/** Who does something. */
export interface AuditWho {
  /** The id of the user; null: the request has no session. */
  userId: number | null
  /** The present name of the user; empty: the request has no session; `command`: a command on the machine. */
  userName: string
  /** The id of the session; null: there is none. */
  session: string | null
  /** The address of the client; empty: the server itself, or a command. */
  address: string
}

/** What is recorded. Never contents, passwords or tokens. */
export interface AuditEntry {
  kind: AuditKind
  outcome: 'done' | 'failed' | 'refused' | 'interrupted'
  who: AuditWho
  /** The id of the operation; missing: there is none. */
  operation?: string | undefined
  /** Paths relative to the served folder. The first 20 are stored. Missing: none. */
  paths?: readonly ChangedPath[]
  /** Number of all paths, or of equal events. Missing: the number of `paths`. */
  count?: number
  /** The code of a problem, the names of what was changed, or the line of a command. Missing: nothing to add. */
  detail?: string | undefined
}

/** The server itself. */
export const serverItself: AuditWho = { userId: null, userName: '', session: null, address: '' }

/** A command on the machine, such as `coffer users add`. */
export const command: AuditWho = { ...serverItself, userName: 'command' }

const otherKinds: readonly OperationKind[] = ['users', 'settings', 'session']

/** The kinds that concern files. All users may see these records, as far as they may see the files. */
export const fileKinds = operationKinds.filter((kind) => !otherKinds.includes(kind))
