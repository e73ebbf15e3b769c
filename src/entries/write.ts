import type { Stats } from 'node:fs'
import { Readable } from 'node:stream'
import { authorize, type Verb } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Principal } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { receive, receiveCollected, type SmallBody } from '#src/files/receiving/receive.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import type { Renamed } from '#src/files/writing/target.ts'
import { setModified } from '#src/files/writing/temp-file.ts'
import type { TempFileJournal } from '#src/files/writing/temp-file-journal.ts'
import { type Draft, openDraft } from '#src/files/writing/write.ts'
import type { Examiner } from './examine.ts'
import { acquireDescriptors } from './open.ts'

/** The bytes of a file that will be written. Read once. */
export interface ByteSource {
  /** A stream, or the bytes that were collected from one before. */
  stream: Readable | SmallBody
  /** The number of bytes. Undefined: not known yet. */
  size?: number | undefined
  /** The modification time that the file gets, in milliseconds since 1970. Undefined: the time of the upload. */
  mtime?: number | undefined
}

/** Returns bytes in memory as a source. */
export function sourceOf(bytes: Buffer): ByteSource {
  return { stream: Readable.from([bytes]), size: bytes.length }
}

/** The content of a file to write, and the condition for writing it. */
export interface Upload {
  source: ByteSource
  /** The maximum number of bytes. Undefined: there is none. */
  limit?: number | undefined
  /** Aborts when the sender has left. */
  signal: AbortSignal
  /** Called with the path when the file has its name, also if a command that runs afterwards fails. */
  onWritten?: ((path: UserPath) => void) | undefined
  /** Checks the conditions of the request against the current file, or its absence. Throws to refuse. */
  precondition?: ((current: Stats | undefined) => void) | undefined
  /** The server has made the content itself, so that it is not examined. */
  isMadeHere?: true
}

/** A file to write, and the permission that it needs. */
interface Writing extends Upload {
  event: 'upload' | 'save'
  overwrite: boolean
  verbFor(current: Stats | undefined): Verb
  /** New folders above the file that were made for it. Undefined: none. */
  made?: UserPath[] | undefined
}

/** What writing files needs. */
export interface WriterOptions {
  modes: () => FileModes
  parts: TempFileJournal
  locks: KeyedLock
  files: PartitionedSemaphore
  hooks: Hooks
  /** Examines contents before they become visible. Undefined: nothing is examined. */
  examiner?: Examiner | undefined
}

/** Returns a function that writes a file with the permissions of its user and the commands bound to the event. */
export function createWriter(options: WriterOptions) {
  const { modes, parts, locks, files, hooks, examiner } = options

  async function writeContent(actor: Principal, path: UserPath, writing: Writing) {
    const { event, overwrite, source, verbFor, precondition, made } = writing
    const recheck = () => actor.check([path])
    // Checked again after the body has arrived, which may take hours: permissions may have been revoked meanwhile.
    const check = (current: Stats | undefined) => {
      authorize(actor, verbFor(current))
      precondition?.(current)
    }
    // Each event needs this permission, whether the file exists or not.
    const verb = event === 'upload' ? 'create' : 'save'
    using _files = await acquireDescriptors(files, actor, { kind: 'write', verb, paths: [path] })
    const jail = await actor.jail()
    const how = { ...modes(), size: source.size, overwrite, check, recheck, made }
    await using draft = await openDraft({ jail, parts, locks, change: actor.change }, path, how)
    const about = { person: actor, jail, file: draft.real }
    await hooks.before(event, { ...about, recheck })
    await draft.fill(async (file) => {
      await receiveSource(source, file, { ...writing, path })
      await setModified(file, source.mtime)
    })
    if (examiner && !writing.isMadeHere) await examineDraft(examiner, draft, { actor, path, ...writing })
    const renamed = await draft.commit()
    writing.onWritten?.(path)
    return { about, renamed }
  }

  /** @throws Problem `hook.before`, `hook.after`, and as `openDraft` and `Draft` do. */
  return async (actor: Principal, path: UserPath, writing: Writing): Promise<Renamed> => {
    const { about, renamed } = await writeContent(actor, path, writing)
    await hooks.after(writing.event, about)
    return renamed
  }
}

/** Lets the finished content be examined, if it is that of a sender whose files are examined. */
async function examineDraft(
  examiner: Examiner,
  { real, temporary, replaces }: Draft,
  { actor, path, event, signal }: Writing & { actor: Principal; path: UserPath },
): Promise<void> {
  if (examiner.covers(actor))
    await examiner.examine({ actor, event, path, real, temporary, replaces, signal })
}

function receiveSource(
  { stream, size: expected }: ByteSource,
  file: WritableFile,
  { path, limit, signal }: Pick<Upload, 'limit' | 'signal'> & { path: UserPath },
): Promise<number> {
  const how = { path, signal, ...(limit !== undefined && { limit }) }
  if (!(stream instanceof Readable)) return receiveCollected(stream, file, how)
  return receive(stream, file, { ...how, ...(expected !== undefined && { expected }) })
}
