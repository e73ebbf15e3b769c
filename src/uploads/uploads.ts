import type { Person } from '#src/auth/actor.ts'
import type { Clock } from '#src/core/clock.ts'
import { createKeyedLock, type KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/partitioned-semaphore.ts'
import type { Logger } from '#src/core/log.ts'
import { entryOf } from '#src/core/lookup.ts'
import { Problem } from '#src/core/problem.ts'
import { unconditional } from '#src/core/recheck.ts'
import type { Records } from '#src/core/state/records.ts'
import type { Store } from '#src/core/state/store.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import type { Hooks } from '#src/hooks/hooks.ts'
import { enterFiles } from '#src/resources/open-files.ts'
import { authorize, recheckOf, type Verb } from '#src/resources/resources.policy.ts'
import type { Modes } from '#src/settings/modes.ts'
import {
  createUploadAppender,
  type OwnUpload,
  openUploadTarget,
  type Progress,
  type Receive,
} from './append-upload.ts'
import { createUploadCreator } from './create-upload.ts'
import { createPendingUploads, type PendingUploads, type UploadRecord } from './pending-uploads.ts'

/** Some more bytes of an upload. */
export interface Piece {
  /** Where they begin, in bytes. */
  offset: number
  /** The upload that the sender means; undefined: whichever there is. */
  id: string | undefined
  receive: Receive
}

const sweepEveryMs = 60 * 60_000

/**
 * Uploads in pieces (contract/compatibility.md#uploads-in-pieces): the bytes go into a hidden part beside the target, which gets the name when the last
 * byte is there. One upload for a person and a path; rights, rules and conditions are asked at each call, and at the end.
 */
export function createUploads(options: {
  store: Store
  modes: () => Modes
  records: Records<UploadRecord>
  locks: KeyedLock
  hooks: Hooks
  clock: Clock
  log: Logger
  files: PartitionedSemaphore
}) {
  const unfinished = createPendingUploads(options.records, options.clock)
  // By the id of the upload.
  const running = createKeyedLock()
  const taking = createUploadAppender({ ...options, unfinished })
  const { known, instead } = createLookup(unfinished, running)

  const sweeping = sweepHourly(unfinished, { ...options, isBusy: running.isHeld })

  return {
    begin: createUploadCreator({ ...options, unfinished, taking, running }),

    /**
     * How far an upload is. Who asks does not know what became of the last piece: should it still be under way, on a
     * connection that nobody has noticed to be gone, it ends.
     *
     * An upload that was finished is whole for whoever asks by its id. Clients of File Browser know no id: told that a
     * command after the upload failed, they ask again and hear that all has come, instead of sending it once more.
     *
     * @param id undefined: whichever there is
     * @throws Problem `upload.unknown`
     */
    async find(person: Person, path: UserPath, id: string | undefined): Promise<Progress> {
      authorize(person.user.perm, 'create')
      const heard = await instead({ person, path, verb: 'create' }, async (mine) => {
        await using target = await openUploadTarget(mine, { overwrite: true })
        await using _file = await taking.open(target, mine.upload)
        return mine.upload
      }).catch((error: unknown) => {
        const over = unfinished.finished({ userId: person.user.id, path, id })
        if (over) return over
        throw error
      })
      return { id: heard.id, offset: heard.offset, length: heard.length }
    },

    /**
     * Takes a piece. One at a time: a second one is refused while the first comes.
     *
     * @throws Problem `upload.unknown`, `upload.offset`, `path.busy`, `request.large`, as `openTarget` does, and what
     * `receive` throws.
     */
    async append(person: Person, path: UserPath, { offset, id, receive }: Piece): Promise<Progress> {
      authorize(person.user.perm, 'create')
      const mine = known({ person, path }, id)
      const { upload } = mine
      if (running.isHeld(upload.id)) throw new Problem('path.busy', { path })
      if (offset > upload.length) {
        throw new Problem('request.invalid', { field: 'upload-offset', reason: 'is beyond the length' })
      }
      if (offset !== upload.offset) throw new Problem('upload.offset', { path, offset: upload.offset })
      return running.run(upload.id, unconditional, async (signal) => {
        using _files = await enterFiles(options.files, person, {
          kind: 'write',
          verb: 'create',
          paths: [path],
        })
        return await taking.take(mine, { receive, signal })
      })
    },

    /** Gives an upload up. It is the person's own, so that needs no right. @throws Problem `upload.unknown`. */
    async cancel(person: Person, path: UserPath): Promise<void> {
      await using _there = await openUploadTarget(known({ person, path }), { overwrite: true }).catch(
        ignoreGone,
      )
      await instead({ person, path, verb: 'look' }, ({ upload }) => unfinished.discard(upload))
    },

    ...sweeping,
    moved: unfinished.moved,
    removed: unfinished.removed,
  }
}

/** Removes what is over, now and every hour. */
function sweepHourly(
  unfinished: PendingUploads,
  { store, log, isBusy }: { store: Store; log: Logger; isBusy: (id: string) => boolean },
) {
  const isSomebody = (userId: number) => entryOf(store.data.users, userId) !== undefined
  const sweep = () =>
    unfinished.sweep(isSomebody, isBusy).catch((err: unknown) => {
      log.error({ err }, 'unfinished uploads could not be removed')
    })
  void sweep()
  const timer = setInterval(sweep, sweepEveryMs).unref()
  return { sweep, close: () => clearInterval(timer) }
}

function createLookup(unfinished: PendingUploads, running: KeyedLock) {
  /** The person's upload to `path`. @throws Problem `upload.unknown`. */
  function known({ person, path }: Omit<OwnUpload, 'upload'>, id?: string): OwnUpload {
    const upload = unfinished.find(person.user.id, path)
    if (!upload || (id !== undefined && id !== upload.id)) throw new Problem('upload.unknown', { path })
    return { person, path, upload }
  }

  /** Ends what is under way for the upload, then does `work` with it alone. */
  async function instead<T>(
    { verb, ...who }: Omit<OwnUpload, 'upload'> & { verb: Verb },
    work: (mine: OwnUpload) => Promise<T>,
  ): Promise<T> {
    const { id } = known(who).upload
    const why = new Problem('path.busy', { path: who.path })
    const recheck = recheckOf(who.person, verb, [who.path])
    return running.takeOver(id, { why, recheck }, async () => work(known(who, id)))
  }

  return { known, instead }
}

/** What has gone can be given up all the same. */
function ignoreGone(error: unknown): undefined {
  if (!(error instanceof Problem) || error.status !== 404) throw error
}
