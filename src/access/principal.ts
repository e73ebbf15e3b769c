import type { TokenUser } from '#contract/users.ts'
import type { ScopedRule } from '#src/core/access/rules.ts'
import type { Pace } from '#src/core/concurrency/pace.ts'
import type { QuotaOwner } from '#src/core/concurrency/semaphore.ts'
import type { Change } from '#src/files/changes/change.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { SessionRecord } from '#src/state/sessions.ts'
import type { UserRecord } from '#src/state/state.ts'

/** The claims of a token (contract/README.md#sessions). Times are seconds since 1970. */
export interface Claims {
  iat: number
  exp: number
  /** The id of the session. The token is valid only while the session exists. */
  sid: string
  user: TokenUser
}

/** A download before its first byte. */
export interface BegunDownload {
  /** Identifies the bytes in the share. */
  what: string
  /** Their number. Undefined: not known. */
  size?: number | undefined
  /** The file, or the folder of an archive. */
  path: UserPath
}

/** How a download has ended. */
export interface DownloadEnd {
  /** Whether everything that was asked for was sent. */
  isWhole: boolean
  /** Bytes that were sent. */
  sent: number
}

/** Who continues an upload in pieces. */
export interface UploadSender {
  /** The session of a user, or the visit of a visitor. */
  session: string
  /** The share that a visitor visits. Undefined: the sender is a user. */
  share?: string | undefined
}

/** The user in whose name files are read and changed: the signed-in user, or the user who created a share. */
export interface Principal {
  /**
   * The current record, not the record at the start of the request: a request body may take hours to arrive, and
   * meanwhile permissions are revoked and sessions end.
   *
   * @throws Problem `auth.required` when the session has ended or the account was deleted.
   */
  readonly user: UserRecord
  /** Global rules, then the user's rules: the last match wins. For a signed-in user the current rules, like `user`. */
  readonly rules: readonly ScopedRule[]
  /** Opens the user's scope with the current rules. @throws Problem `path.unknown` when the folder is missing. */
  jail(): Promise<Jail>
  /** The operation of the request. Everything that the request changes on the disk is recorded there. */
  readonly change: Change
  /** The owner of the quota that this user's work counts against. */
  readonly quotaOwner: QuotaOwner
  /**
   * Checks that the access from the start of the request still holds: session and account (or share), scope, and rules.
   * With `paths`, only the rules for these paths matter. Without `paths`, any change of the rules counts as a loss of
   * access. For requests that wait or run for a long time.
   *
   * @param folds whether the disk ignores case or Unicode form in these paths
   * @throws Problem as the request would if it began now: `auth.required`, `auth.forbidden`, `path.forbidden`,
   * `share.unknown`
   */
  check(paths?: readonly UserPath[], folds?: boolean): void
  /** Whether `check` passes without an error. */
  hasAccess(paths?: readonly UserPath[], folds?: boolean): boolean
  /**
   * What a visitor of a share sees: nothing, only previews, or no texts because downloads are counted. Undefined: what the
   * permissions of `user` allow.
   */
  sees?: 'nothing' | 'previews' | 'no-text' | undefined
  /**
   * Counts a download of a visitor. Called before the first byte. Undefined: nothing is counted.
   *
   * @returns a function that is called once, at the end
   * @throws Problem `share.limit`; `server.busy` while others use up the limit
   */
  beginDownload?: ((download: BegunDownload) => (end: DownloadEnd) => void) | undefined
  /**
   * Waits until this number of bytes may be sent or received. Undefined: the rate is not limited.
   *
   * @throws the reason of the signal
   */
  pace?: Pace | undefined
  /** Tells unfinished uploads of one sender from those of others. Undefined: the person cannot upload in pieces. */
  readonly sender?: UploadSender | undefined
  /** Address of the page that shows these files; undefined: `/files`. */
  pageUrl?: string | undefined
  /** Name of the root folder on that page; undefined: no name, because the name of a scope is private. */
  rootName?: string | undefined
}

/** Someone who can upload in pieces: a user in a session, or a visitor in a visit. */
export interface Uploader extends Principal {
  readonly sender: UploadSender
}

/** A signed-in user, for the duration of one request. */
export interface Actor extends Uploader {
  session: SessionRecord
  /** Undefined when the request was authenticated by a ticket. */
  claims: Claims | undefined
}
