import type { Stats } from 'node:fs'
import type { EntryIdentity } from '#src/files/paths/local-calls.ts'

/**
 * What an operation does to one entry. `path` and `to` are real paths.
 *
 * - `put`: a new content or entry appears at `path`. `mode` are the permission bits of a new folder.
 * - `move`: the entry gets the path `to`.
 * - `remove`: the entry disappears. `isPermanent`: it does not go to the trash.
 * - `restore`: the kept item `source`, which is in the store with the key `sourcePlace`, appears at `path`. `was`: where it
 *   was, relative to the served folder, if it is in the trash.
 *
 * `made` are the real paths of parent folders that are made for it, from top to bottom. `replaces` is the file that it
 * will replace.
 */
export type Step = { made?: readonly string[] | undefined; replaces?: EntryIdentity | undefined } & StepOfKind

type StepOfKind =
  | { do: 'put'; path: string; entry: EntryIdentity | undefined; isFolder: boolean; mode?: number }
  | { do: 'move'; path: string; to: string; entry: EntryIdentity }
  | { do: 'remove'; path: string; isPermanent?: boolean | undefined }
  | { do: 'restore'; path: string; source: string; sourcePlace: string; was?: string | undefined }

/** A step that is recorded on the disk, and that may be done now. Exactly one of `done` and `cancel` must be called. */
export interface PlannedStep {
  /**
   * Keeps the file at `address`, which will be replaced, as a version. Does nothing where no versions are kept.
   *
   * @param old the stats of the file
   */
  keepOld(address: string, old: Stats): Promise<void>
  /**
   * Moves the folder at `address` away, which will be replaced, and keeps it as an old content. The name is then free.
   * Returns false where no versions are kept. Then nothing has changed.
   *
   * @param old the stats of the folder
   */
  keepOldFolder(address: string, old: Stats): Promise<boolean>
  /**
   * Moves the entry at `address` to the trash. Returns its path there, for system calls. Undefined: it must be deleted
   * permanently, because the user or the settings want this, or because there is no trash on its disk. Then nothing
   * has changed.
   */
  discard(address: string, stats: Stats): Promise<string | undefined>
  /** Moves a discarded entry, or an old folder, back to the free name `address`. */
  takeBack(address: string): Promise<void>
  /**
   * Reports that the step was done. The followers have been called when it resolves.
   *
   * @param result.stats the entry after the step; missing: it has gone
   * @param result.made replaces `made` of the step, where that was not certain before
   */
  done(result?: { stats?: Stats | undefined; made?: readonly string[] }): Promise<void>
  /** Reports that the step was not done. Never throws. */
  cancel(): Promise<void>
}

/** The changes of one operation. Every function that changes users' files records its steps here first. */
export interface Change {
  /** Records steps. They are durable when it resolves. @throws Problem `server.busy`, `disk.full`. */
  plan<S extends readonly Step[]>(...steps: S): Promise<{ [K in keyof S]: PlannedStep }>
  /**
   * Notes an entry for the audit log that is not changed, such as a shared one.
   *
   * @param real the real path of the entry
   */
  concerns(real: string): void
  /** The client that asks for the changes. Undefined: there is none, or it is not known. */
  readonly origin?: { readonly address: string } | undefined
}

const nothing: PlannedStep = {
  keepOld: async () => {},
  keepOldFolder: async () => false,
  discard: async () => undefined,
  takeBack: async () => {},
  done: async () => {},
  cancel: async () => {},
}

/** Records nothing and keeps nothing: for files of Coffer itself, and for parts of a step that is recorded already. */
export const unrecorded: Change = {
  async plan(...steps) {
    return steps.map(() => nothing) as never
  },
  concerns() {},
}

/** Refuses every change: for access that only reads. */
export const noChanges: Change = {
  async plan() {
    throw new Error('files can only be changed in an operation')
  },
  concerns() {},
}
