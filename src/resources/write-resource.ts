import type { Stats } from 'node:fs'
import { authorize, type Verb } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { acquireDescriptors } from '#src/entries/open.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import type { Renamed } from '#src/files/writing/target.ts'
import { setModified } from '#src/files/writing/temp-file.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { openDraft } from '#src/files/writing/write.ts'
import type { Hooks } from '#src/hooks/hooks.ts'

/** The content of a file to write, and the condition for writing it. */
export interface Upload {
  /** Writes the content into the open temporary file and flushes it. */
  fill(file: WritableFile): Promise<unknown>
  /** The number of bytes that `fill` writes. Undefined: not known yet. */
  size?: number | undefined
  /** The modification time that the file gets, in milliseconds since 1970. Undefined: the time of the upload. */
  mtime?: number | undefined
  /** Checks the conditions of the request against the current file, or its absence. Throws to refuse. */
  precondition?: ((current: Stats | undefined) => void) | undefined
}

/** A file to write, and the permission that it needs. */
interface Writing extends Upload {
  event: 'upload' | 'save'
  overwrite: boolean
  verbFor(current: Stats | undefined): Verb
}

/** What writing files needs. */
export interface ResourceWriterOptions {
  modes: () => FileModes
  parts: TempFileJournal
  locks: KeyedLock
  files: PartitionedSemaphore
  hooks: Hooks
}

/** Returns a function that writes a file with the permissions of its user and the commands bound to the event. */
export function createResourceWriter(options: ResourceWriterOptions) {
  const { modes, parts, locks, files, hooks } = options

  async function writeContent(actor: Principal, path: UserPath, writing: Writing) {
    const { event, overwrite, size, verbFor, precondition } = writing
    const recheck = () => actor.check([path])
    // Checked again after the body has arrived, which may take hours: permissions may have been revoked meanwhile.
    const check = (current: Stats | undefined) => {
      authorize(actor, verbFor(current))
      precondition?.(current)
    }
    using _files = await acquireDescriptors(files, actor, { kind: 'write', verb: 'look', paths: [path] })
    const jail = await actor.jail()
    const how = { ...modes(), size, overwrite, check, recheck }
    await using draft = await openDraft({ jail, parts, locks, change: actor.change }, path, how)
    const about = { person: actor, jail, file: draft.real }
    await hooks.before(event, { ...about, recheck })
    await draft.fill(async (file) => {
      await writing.fill(file)
      await setModified(file, writing.mtime)
    })
    const renamed = await draft.commit()
    return { about, renamed }
  }

  /** @throws Problem `hook.before`, `hook.after`, and as `openDraft` and `Draft` do. */
  return async (actor: Principal, path: UserPath, writing: Writing): Promise<Renamed> => {
    const { about, renamed } = await writeContent(actor, path, writing)
    await hooks.after(writing.event, about)
    return renamed
  }
}
