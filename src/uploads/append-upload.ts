import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Person } from '#src/auth/actor.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { keepOwner } from '#src/files/writing/keep-owner.ts'
import type { Receiving } from '#src/files/writing/receive.ts'
import { type Claim, openTarget, type Target, takeName } from '#src/files/writing/target.ts'
import { openTempFile } from '#src/files/writing/temp-file.ts'
import type { Hooks } from '#src/hooks/hooks.ts'
import { writeCondition } from '#src/http/conditions.ts'
import { authorize } from '#src/resources/resources.policy.ts'
import type { Modes } from '#src/settings/modes.ts'
import type { PendingUploads, UploadRecord } from './pending-uploads.ts'

/** Writes some more bytes into the open file and flushes them. */
export type Receive = (
  file: FileHandle,
  how: Required<Pick<Receiving, 'from' | 'limit' | 'flushed' | 'ended' | 'signal'>>,
) => Promise<unknown>

/** How far an upload is, in bytes. */
export interface Progress {
  id: string
  offset: number
  length: number
  /** The etag of the file, when it is whole. */
  etag?: string
}

/** An upload, and in whose name something is done to it. */
export interface OwnUpload {
  person: Person
  path: UserPath
  upload: UploadRecord
}

/** Takes the bytes of uploads into their parts, and gives a whole part its name. */
export function createUploadAppender(options: {
  unfinished: PendingUploads
  locks: KeyedLock
  hooks: Hooks
  modes: () => Modes
}) {
  const { unfinished, hooks } = options

  /** On what conditions an upload of this person takes its name. */
  function claimOf({ person, path, upload }: Omit<OwnUpload, 'upload'> & { upload: Wanted }): Claim {
    const { override, conditions } = upload
    const expects = writeCondition(conditions, path)
    return {
      overwrite: override,
      recheck: () => person.check([path]),
      expects: (current) => {
        // Asked again when the last byte is here, which may be a day later: rights may have been taken away meanwhile.
        authorize(person.user.perm, current && override ? 'replace' : 'create')
        expects?.(current)
      },
    }
  }

  /** Opens the part, cut to what is known to have come. @throws Problem `upload.unknown` when it has gone. */
  async function open(target: Target, upload: UploadRecord): Promise<FileHandle> {
    const { part: name, offset, path } = upload
    const file = await openTempFile(target, { name, offset, path })
    if (file) return file
    await unfinished.discard(upload)
    throw new Problem('upload.unknown', { path })
  }

  /** Takes bytes into the part; whatever came of them stays, also when the rest does not come. Answers the new offset. */
  async function fill(
    file: FileHandle,
    upload: UploadRecord,
    { receive, signal }: { receive: Receive; signal: AbortSignal },
  ): Promise<number> {
    const { offset: from, length } = upload
    let position = from
    const flushed = (now: number) => void unfinished.note(upload, now).catch(() => {})
    const ended = (now: number) => {
      position = now
    }
    try {
      await receive(file, { from, limit: length - from, flushed, ended, signal })
    } catch (error) {
      // More than was announced is not the file that was: nothing of it counts (contract/compatibility.md#uploads-in-pieces).
      if (error instanceof Problem && error.code === 'request.large') position = from
      await file
        .truncate(position)
        .then(() => file.datasync())
        .then(() => unfinished.note(upload, position))
        .catch(() => {}) // the first failure is the one to tell; what was noted before it is true as well
      throw error
    }
    await unfinished.note(upload, position)
    return position
  }

  /**
   * Gives the part its name, and forgets the upload. Answers the etag of the file.
   *
   * @throws Problem `hook.after` as for a file that comes in one request: the file is there; `hook.name`: it is not.
   */
  async function finish({ person, path, upload }: OwnUpload, target: Target, claim: Claim): Promise<string> {
    const about = { person, jail: await person.jail(), file: join(target.folder.real, target.name) }
    // The folder may have been moved since the upload began.
    hooks.refuseNonUtf8('upload', about)
    const etag = await takeName(options.locks, target, { ...claim, temporary: upload.part, path })
    await unfinished.finish(upload).catch(() => {}) // the file is whole; there is no part any more to go on with
    await hooks.after('upload', about).catch((error: unknown) => {
      unfinished.unheard(upload)
      throw error
    })
    return etag
  }

  return {
    claimOf,
    open,
    finish,

    /** Takes a piece, and finishes the file with the last one. */
    async take(mine: OwnUpload, piece: { receive: Receive; signal: AbortSignal }): Promise<Progress> {
      const { id, length } = mine.upload
      const claim = claimOf(mine)
      await using target = await openUploadTarget(mine, claim)
      await using file = await open(target, mine.upload)
      const offset = await fill(file, mine.upload, piece)
      if (offset < length) return { id, offset, length }
      // What it was to replace may have gone since it began.
      await keepOwner(file, target, options.modes().fileMode)
      return { id, offset, length, etag: await finish(mine, target, claim) }
    },
  }
}

export type UploadAppender = ReturnType<typeof createUploadAppender>

type Wanted = Pick<UploadRecord, 'override' | 'conditions'>

/** Holds the place of an upload, if it is still where it was begun. @throws Problem `upload.unknown`. */
export async function openUploadTarget(
  { person, path, upload }: OwnUpload,
  claim: Omit<Claim, 'recheck'>,
): Promise<Target> {
  const target = await openTarget(await person.jail(), path, { ...claim, making: undefined })
  if (target.folder.real === upload.folder) return target
  await target.folder.close()
  throw new Problem('upload.unknown', { path })
}
