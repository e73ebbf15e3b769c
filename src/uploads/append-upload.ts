import { join } from 'node:path'
import type { FileModes } from '#src/access/modes.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
import type { Examiner } from '#src/entries/examine.ts'
import type { FreeNames } from '#src/entries/free-names.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { ReceiveOptions } from '#src/files/receiving/receive.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import type { Target } from '#src/files/writing/target.ts'
import { keepOwner, openTempFile, setModified } from '#src/files/writing/temp-file.ts'
import { claimOf, createUploadFinisher, type OwnUpload, openUploadTarget } from './finish-upload.ts'
import type { PendingUploads, UploadRecord } from './pending-uploads.ts'

/** Writes more bytes into the open file and flushes them. */
export type Receive = (
  file: WritableFile,
  how: Required<Pick<ReceiveOptions, 'from' | 'limit' | 'arrived' | 'flushed' | 'ended' | 'signal'>>,
) => Promise<unknown>

/** A piece that is being received. */
interface ReceivedPiece {
  receive: Receive
  /** Aborts when another request takes over the upload. */
  signal: AbortSignal
  /** Aborts when the sender has left. */
  disconnected: AbortSignal
}

/** The progress of an upload, in bytes. */
export interface UploadProgress {
  id: string
  offset: number
  length: number
  /** The etag of the file, if it is complete. */
  etag?: string
  /** The path of the file, if it is complete. */
  path?: UserPath
}

/** Writes the bytes of uploads into temporary files, and renames complete ones. */
export function createUploadAppender(options: {
  unfinished: PendingUploads
  locks: KeyedLock
  hooks: Hooks
  modes: () => FileModes
  freeNames: FreeNames
  /** Undefined: nothing is examined. */
  examiner?: Examiner | undefined
}) {
  const { unfinished, examiner } = options
  const finish = createUploadFinisher(options)

  /**
   * Opens the temporary file and truncates it to the recorded offset. @throws Problem `upload.unknown` if the file is
   * missing.
   */
  async function open(target: Target, upload: UploadRecord): Promise<WritableFile> {
    const { part: name, offset, path } = upload
    const file = await openTempFile(target, { name, offset, path })
    if (file) return file
    await unfinished.discard(upload)
    throw new Problem('upload.unknown', { path })
  }

  /** Writes bytes into the temporary file. Received bytes stay even if the rest fails. Returns the new offset. */
  async function fill(
    file: WritableFile,
    { person, upload }: OwnUpload,
    { receive, signal }: ReceivedPiece,
  ): Promise<number> {
    const { offset: from, length } = upload
    // Clients take an upload for complete when all of its bytes have arrived. So the last byte of one that is still to be
    // examined does not count: a client that loses the connection meanwhile sends it again.
    const most = examiner?.covers(person) ? length - 1 : length
    const saveOffset = (now: number) => unfinished.saveOffset(upload, Math.min(now, most))
    let position = from
    const flushed = (now: number) => void saveOffset(now).catch(() => {})
    const ended = (now: number) => {
      position = now
    }
    const arrived = () => unfinished.noteBytes(upload)
    try {
      await receive(file, { from, limit: length - from, arrived, flushed, ended, signal })
    } catch (error) {
      // A body larger than announced is not the announced file, so none of its bytes count
      // (contract/compatibility.md#uploads-in-pieces).
      if (error instanceof Problem && error.code === 'request.large') position = from
      await file
        .truncate(position)
        .then(() => file.datasync())
        .then(() => saveOffset(position))
        .catch(() => {}) // the first error is reported; the offset recorded before stays valid
      throw error
    } finally {
      unfinished.endPiece(upload)
    }
    await saveOffset(position)
    return position
  }

  return {
    open,
    finish,

    /** Receives a piece. The last piece finishes the file. */
    async appendPiece(own: OwnUpload, piece: ReceivedPiece): Promise<UploadProgress> {
      const { id, length } = own.upload
      const claim = claimOf(own)
      await using target = await openUploadTarget(own, claim)
      await using file = await open(target, own.upload)
      const offset = await fill(file, own, piece)
      if (offset < length) return { id, offset, length }
      // The file to replace may have been deleted since the upload started.
      await keepOwner(file, target, options.modes().fileMode)
      await setModified(file, own.upload.mtime)
      if (examiner) await examineUpload({ examiner, unfinished }, own, { target, ...piece })
      return { id, offset, length, ...(await finish(own, target, claim)) }
    },
  }
}

/** Lets the complete file be examined. One that may not become visible leaves no upload that could be continued. */
async function examineUpload(
  { examiner, unfinished }: { examiner: Examiner; unfinished: PendingUploads },
  { person, path, upload }: OwnUpload,
  { target, ...signals }: { target: Target } & Pick<ReceivedPiece, 'signal' | 'disconnected'>,
): Promise<void> {
  if (!examiner.covers(person)) return
  const { folder, name, replaces } = target
  const places = { real: join(folder.real, name), temporary: join(folder.address, upload.part) }
  const signal = AbortSignal.any([signals.signal, signals.disconnected])
  try {
    await examiner.examine({ actor: person, event: 'upload', path, ...places, replaces, signal })
  } catch (error) {
    const code = error instanceof Problem ? error.code : undefined
    if (code === 'scan.held') await unfinished.finish(upload).catch(() => {}) // the file is held; nothing is left to continue
    if (code === 'scan.infected') await unfinished.discard(upload)
    throw error
  }
}

export type UploadAppender = ReturnType<typeof createUploadAppender>
