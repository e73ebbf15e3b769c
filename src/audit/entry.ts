import type { ChangedPath } from '#contract/history/operations.ts'
import { type OperationKind, operationKinds } from '#contract/schema/operation-kind.ts'
import type { LinkPart } from './links/link-rows.ts'

/** What a record is about: an operation, or an event. */
export type AuditKind =
  | OperationKind
  /** A sign-in, also a failed one. */
  | 'login'
  /** A wrong password of a shared link. */
  | 'visit'
  /** A shared link was opened. */
  | 'open'
  /** A file or an archive was downloaded, through a shared link or by a user. */
  | 'download'
  /** A visitor has sent a file through a shared link. */
  | 'receive'
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
  /** The shared link through which it was done. Missing: none. */
  link?: LinkPart | undefined
  /** Bytes that were sent or received. Missing: nothing to add. */
  bytes?: number | undefined
}

/** The detail of a record, with what is known about a shared link. */
export function detailOf({ detail = '', link, bytes }: AuditEntry): string {
  const facts = [
    detail,
    bytes === undefined ? '' : `${bytes} bytes`,
    link && `link ${link.hash} of ${link.owner.name}`,
    link?.sender && `from ${link.sender}`,
  ]
  return facts.filter(Boolean).join(', ')
}

/** The server itself. */
export const serverItself: AuditWho = { userId: null, userName: '', session: null, address: '' }

/** A command on the machine, such as `coffer users add`. */
export const command: AuditWho = { ...serverItself, userName: 'command' }

const otherKinds: readonly OperationKind[] = ['users', 'settings', 'session']

/** The kinds that only the owner of the link and administrators see, and of downloads without a link their user. */
export const privateKinds: readonly AuditKind[] = ['open', 'download']

/** The kinds that concern files. All users may see the other ones of these records, as far as they may see the files. */
export const fileKinds: readonly AuditKind[] = [
  ...operationKinds.filter((kind) => !otherKinds.includes(kind)),
  ...privateKinds,
  'receive',
]
