import type { Logger } from '#src/core/log/log.ts'
import type { ShareBinding } from '#src/shares/following/rebind-shares.ts'
import type { StateDocument } from '#src/state/document.ts'
import type { State } from '#src/state/state.ts'
import type { BackupFile, Manifest } from '../archive/manifest.ts'
import type { Content } from '../archive/write-backup.ts'

/** What a backup contains besides what it always contains. */
export interface BackupOptions {
  sessions: boolean
  /** The history of changes with the audit log. */
  history: boolean
}

/** How a backup is restored. */
export interface RestoreOptions {
  /** Whether the sessions of the backup continue. Otherwise all sessions end. */
  sessions: boolean
  /** Whether the branding files stay as they are. */
  withoutBranding: boolean
  /** Whether each share gets the file that is at its path now. Undefined: if the files are on another disk. */
  rebindShares: boolean | undefined
}

/** A file of a backup that was verified. */
export interface ReceivedFile extends BackupFile {
  /** The name of its copy on the disk. */
  copy: string
  read(): Promise<Buffer>
}

/** What a part needs to know to check what it will restore. */
export interface RestoreContext {
  manifest: Manifest
  options: RestoreOptions
  /** The state before and after the restore. */
  before: Readonly<State>
  after: Readonly<State>
  /** The files of this part. */
  files: readonly ReceivedFile[]
}

/** What restoring a part will do. */
export interface CheckedPart {
  /** What `finish` needs, as JSON. Undefined: there is nothing to do. */
  note: unknown
  /** For `--json`. */
  summary: Readonly<Record<string, unknown>>
  /** Sentences for the operator. */
  lines: readonly string[]
}

/** A part of a backup besides the state. */
export interface Part {
  /** The largest number of files, and of bytes of one and of all. */
  limit: { files: number; each: number; all: number }
  /** Whether a file of the archive may have this name. */
  isName(name: string): boolean
  /**
   * Returns what belongs into a backup, and a sentence for each thing that is left out. `release` is called when the
   * contents have been read.
   */
  collect(options: BackupOptions): Promise<{ contents: Content[]; left?: string[]; release?: () => void }>
  /** Checks what will be restored. Changes nothing. @throws CommandProblem when it cannot be restored. */
  check(context: RestoreContext): Promise<CheckedPart>
  /**
   * Puts the part in its place. After a crash, the next start calls it again.
   *
   * @param note from `check`
   * @param read reads a copy, see `ReceivedFile`
   * @param place moves a copy to a name in the folder beside the state, and replaces what is there
   */
  finish(
    note: unknown,
    read: (copy: string) => Promise<Buffer>,
    place: (copy: string, name: string) => Promise<void>,
  ): Promise<void>
}

/** What backups need. */
export interface BackupSources {
  document: StateDocument
  binding: ShareBinding
  /** The parts besides the state, by name. A restore finishes them in this order. */
  parts: Readonly<Record<string, Part>>
  /** The folder beside the state file. */
  stateFolder: string
  log: Logger
}
