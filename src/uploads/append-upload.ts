import type { FileModes } from '#src/access/modes.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
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
}) {
  const { unfinished } = options
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
    upload: UploadRecord,
    { receive, signal }: { receive: Receive; signal: AbortSignal },
  ): Promise<number> {
    const { offset: from, length } = upload
    let position = from
    const flushed = (now: number) => void unfinished.saveOffset(upload, now).catch(() => {})
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
        .then(() => unfinished.saveOffset(upload, position))
        .catch(() => {}) // the first error is reported; the offset recorded before stays valid
      throw error
    } finally {
      unfinished.endPiece(upload)
    }
    await unfinished.saveOffset(upload, position)
    return position
  }

  return {
    open,
    finish,

    /** Receives a piece. The last piece finishes the file. */
    async appendPiece(
      own: OwnUpload,
      piece: { receive: Receive; signal: AbortSignal },
    ): Promise<UploadProgress> {
      const { id, length } = own.upload
      const claim = claimOf(own)
      await using target = await openUploadTarget(own, claim)
      await using file = await open(target, own.upload)
      const offset = await fill(file, own.upload, piece)
      if (offset < length) return { id, offset, length }
      // The file to replace may have been deleted since the upload started.
      await keepOwner(file, target, options.modes().fileMode)
      await setModified(file, own.upload.mtime)
      return { id, offset, length, ...(await finish(own, target, claim)) }
    },
  }
}

export type UploadAppender = ReturnType<typeof createUploadAppender>
