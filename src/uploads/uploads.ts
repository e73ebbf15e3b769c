import { authorize, recheckOf, type Verb } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Uploader } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import { createKeyedLock, type KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import type { Logger } from '#src/core/log/log.ts'
import { Problem, unconditional } from '#src/core/problem.ts'
import type { Records } from '#src/core/storage/records.ts'
import type { Examiner } from '#src/entries/examine.ts'
import type { FreeNames } from '#src/entries/free-names.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { acquireDescriptors } from '#src/entries/open.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Store } from '#src/state/store.ts'
import { createUploadAppender, type Receive, type UploadProgress } from './append-upload.ts'
import { createUploadCreator } from './create-upload.ts'
import { type OwnUpload, openUploadTarget } from './finish-upload.ts'
import {
  createPendingUploads,
  isAmbiguous,
  type PendingUploads,
  type UploadOwner,
  type UploadRecord,
} from './pending-uploads.ts'

/** More bytes of an upload. */
export interface Piece {
  /** Where they start, in bytes. */
  offset: number
  /** The id of the upload; undefined: the upload of this session to the path. */
  id: string | undefined
  receive: Receive
  /** Called when the file has its name, before commands run. */
  onNamed?: ((path: UserPath, size: number) => void) | undefined
  /** Aborts when the sender has left. */
  disconnected: AbortSignal
}

const sweepEveryMs = 60 * 60_000

/**
 * Uploads in pieces (contract/compatibility.md#uploads-in-pieces): the bytes are written to a hidden temporary file
 * beside the target, which gets its name after the last byte. A user has at most one upload to a path. Without its id,
 * only the session that began it can use it, so that a file never has bytes of two senders. Permissions, rules and
 * conditions are checked at each request and at the end.
 */
export function createUploads(options: {
  store: Store
  modes: () => FileModes
  records: Records<UploadRecord>
  locks: KeyedLock
  hooks: Hooks
  clock: Clock
  log: Logger
  files: PartitionedSemaphore
  freeNames: FreeNames
  /** Examines complete files before they become visible. Undefined: nothing is examined. */
  examiner?: Examiner | undefined
}) {
  const unfinished = createPendingUploads(options.records, options.clock)
  // Locks by the id of the upload.
  const running = createKeyedLock()
  const taking = createUploadAppender({ ...options, unfinished })
  const { find, afterEnding } = createLookup(unfinished, running)

  const sweeping = sweepHourly(unfinished, { ...options, isBusy: running.isHeld })

  return {
    begin: createUploadCreator({ ...options, unfinished, appender: taking, running }),

    /**
     * Returns the progress of an upload. A client that requests it does not know the result of its last piece. If
     * that piece is still running, on a connection that was lost unnoticed, it is ended.
     *
     * A finished upload is reported as complete to requests with its id. Clients of File Browser know no id. After a
     * failed command they request the status, see that all bytes have arrived, and do not send them again.
     *
     * @param id undefined: the upload of this session to the path
     * @throws Problem `upload.unknown`
     */
    async find(person: Uploader, path: UserPath, id: string | undefined): Promise<UploadProgress> {
      authorize(person, 'create')
      const key = { session: person.sender.session, id }
      const why = new Problem('path.busy', { path })
      const look = async () => {
        const { upload } = find({ person, path, id })
        // Some clients ask before the first byte. Later, the sender of a replaced upload would continue with its own bytes.
        const hasBegun = upload.offset > 0 || running.isHeld(upload.id)
        if (hasBegun && isAmbiguous(upload, key)) throw new Problem('upload.unknown', { path })
        return afterEnding({ person, path, id, verb: 'create', why }, async (own) => {
          await using target = await openUploadTarget(own, { overwrite: true })
          await using _file = await taking.open(target, own.upload)
          return own.upload
        })
      }
      const progressOf = ({ id, offset, length }: UploadRecord) => ({ id, offset, length })
      return look().then(progressOf, (error: unknown) => {
        const finished = unfinished.finished({ userId: person.user.id, ...person.sender, path, ...key })
        if (!finished) throw error
        const { named } = finished
        return { ...progressOf(finished), ...(named !== undefined && { path: named }) }
      })
    },

    /**
     * Receives a piece. While one piece is being received, a second one is refused.
     *
     * @throws Problem `upload.unknown`, `upload.offset`, `path.busy`, `request.large`, as `openTarget` does, and the
     *   errors of `receive`.
     */
    async append(
      person: Uploader,
      path: UserPath,
      { offset, id, onNamed, ...piece }: Piece,
    ): Promise<UploadProgress> {
      authorize(person, 'create')
      const own = { ...find({ person, path, id }), onNamed }
      const { upload } = own
      const isOther = offset !== upload.offset && isAmbiguous(upload, { session: person.sender.session, id })
      if (isOther) throw new Problem('upload.unknown', { path })
      if (running.isHeld(upload.id)) throw new Problem('path.busy', { path })
      if (offset > upload.length) {
        throw new Problem('request.invalid', {
          field: 'upload-offset',
          reason: 'is greater than the length of the upload',
        })
      }
      if (offset !== upload.offset) throw new Problem('upload.offset', { path, offset: upload.offset })
      return running.run(upload.id, unconditional, async (signal) => {
        using _files = await acquireDescriptors(options.files, person, {
          kind: 'write',
          verb: 'create',
          paths: [path],
        })
        return await taking.appendPiece(own, { ...piece, signal })
      })
    },

    /**
     * Cancels an upload of the user, which needs no permission. A piece that is being received is refused.
     *
     * @param id undefined: the upload of this session to the path
     * @throws Problem `upload.unknown`
     */
    async cancel(person: Uploader, path: UserPath, id: string | undefined): Promise<void> {
      await using _target = await openUploadTarget(find({ person, path, id }), { overwrite: true }).catch(
        ignoreMissing,
      )
      const why = new Problem('upload.unknown', { path })
      const verb = person.sender.share === undefined ? 'look' : 'create' // some visitors see nothing
      const request = { person, path, id, verb, why } as const
      await afterEnding(request, ({ upload }) => unfinished.abandon(upload))
    },

    ...sweeping,
    /** How many bytes unfinished uploads of visitors of a share have received. */
    unfinishedBytes: (owner: UploadOwner) =>
      unfinished.of(owner).reduce((sum, { offset }) => sum + offset, 0),

    onMoved: unfinished.moved,
    onDeleted: unfinished.removed,
  }
}

/** Removes expired uploads, now and every hour. */
function sweepHourly(
  unfinished: PendingUploads,
  { store, log, isBusy }: { store: Store; log: Logger; isBusy: (id: string) => boolean },
) {
  const isWanted = async ({ userId, share }: UploadRecord) => {
    const isShared = share === undefined || (await store.links.byHash(share)) !== undefined
    return isShared && (await store.users.byId(userId)) !== undefined
  }
  const sweep = () =>
    unfinished.sweep(isWanted, isBusy).catch((err: unknown) => {
      log.error({ err }, 'the server cannot remove expired uploads')
    })
  void sweep()
  const timer = setInterval(sweep, sweepEveryMs).unref()
  return { sweep, close: () => clearInterval(timer) }
}

/** The upload that a request means. */
interface Wanted extends Omit<OwnUpload, 'upload'> {
  /** Undefined: the upload of this session to the path. */
  id: string | undefined
}

function createLookup(unfinished: PendingUploads, running: KeyedLock) {
  /** The user's upload to `path`. @throws Problem `upload.unknown`. */
  function find({ person, path, id }: Wanted): OwnUpload {
    const upload = unfinished.find({ userId: person.user.id, ...person.sender, path, id })
    if (!upload) throw new Problem('upload.unknown', { path })
    return { person, path, upload }
  }

  /** Ends a running piece of the upload, which is refused with `why`, then calls `work` under the upload's lock. */
  async function afterEnding<T>(
    { verb, why, ...wanted }: Wanted & { verb: Verb; why: Problem },
    work: (own: OwnUpload) => Promise<T>,
  ): Promise<T> {
    const { id } = find(wanted).upload
    const recheck = recheckOf(wanted.person, verb, [wanted.path])
    return running.takeOver(id, { why, recheck }, async () => work(find({ ...wanted, id })))
  }

  return { find, afterEnding }
}

/** An upload whose file or folder is missing can still be cancelled. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Problem) || error.status !== 404) throw error
}
