import { join } from 'node:path'
import { authorize, recheckOf } from '#src/access/authorize.ts'
import type { FileModes } from '#src/access/modes.ts'
import type { Uploader } from '#src/access/principal.ts'
import type { Clock } from '#src/core/clock.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import type { PartitionedSemaphore } from '#src/core/concurrency/semaphore.ts'
import { Problem } from '#src/core/problem.ts'
import { randomId } from '#src/core/secret.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { acquireDescriptors } from '#src/entries/open.ts'
import { temporaryName, type UserPath } from '#src/files/paths/user-path.ts'
import { removeNewFolders } from '#src/files/writing/make.ts'
import type { Target } from '#src/files/writing/target.ts'
import { createTempFile, keepOwner, setModified } from '#src/files/writing/temp-file.ts'
import type { UploadAppender, UploadProgress } from './append-upload.ts'
import { claimOf, type OwnUpload, openTargetOf } from './finish-upload.ts'
import type { PendingUploads, UploadOwner, UploadRecord } from './pending-uploads.ts'

/** The number of unfinished uploads that one user may have, and that all visitors of one share may have. */
const [maxUnfinished, maxOfShare] = [1000, 200]

/** Starts uploads in pieces. */
export function createUploadCreator(options: {
  /** The modes of new files and folders. */
  modes: () => FileModes
  locks: KeyedLock
  hooks: Hooks
  clock: Clock
  unfinished: PendingUploads
  appender: UploadAppender
  /** Locks by the id of the upload. */
  running: KeyedLock
  files: PartitionedSemaphore
}) {
  const { modes, locks, hooks, unfinished, appender: taking, running } = options

  /** Records the new upload instead of an earlier one to the same path, and creates its temporary file. */
  async function replaceEarlier({ person, path, upload }: OwnUpload, target: Target): Promise<void> {
    const { userId, part: name } = upload
    const recheck = recheckOf(person, 'create', [path])
    await locks.run(`upload ${userId} ${path}`, recheck, async () => {
      refuseRunning(unfinished, upload)
      const earlier = unfinished.at(upload, path)
      const replaced = earlier && unfinished.sendersOf(earlier)
      if (earlier) {
        const why = new Problem('upload.unknown', { path })
        await running.takeOver(earlier.id, { why, recheck }, async () => {
          const current = unfinished.at(upload, path)
          if (current) await unfinished.discard(current)
        })
      }
      await makeRoom({ unfinished, running }, upload)
      // The lock prevents discarding the upload before its temporary file exists. Otherwise that file would stay
      // forever.
      await running.run(upload.id, recheck, async () => {
        await unfinished.add({ ...upload, replaced })
        try {
          await using file = await createTempFile(target, { name, mode: modes().fileMode, path })
          if (upload.length > 0) return
          await keepOwner(file, target)
          await setModified(file, upload.mtime)
        } catch (error) {
          await unfinished.discard(upload)
          throw error
        }
      })
    })
  }

  async function begin(
    { person, path, upload: { onNamed, ...wanted } }: NewUpload,
    making: { mode: number; made: UserPath[] },
  ): Promise<UploadProgress> {
    const { id: userId } = person.user
    const jail = await person.jail()
    const claim = claimOf({ person, path, upload: wanted })
    await using target = await openTargetOf(person, path, { ...claim, making })
    const folder = target.folder.real
    const recheck = recheckOf(person, 'create', [path])
    // Before any command runs. It is checked again before the earlier upload is discarded.
    refuseRunning(unfinished, { ...wanted, ...person.sender, userId, path })
    await hooks.before('upload', { person, jail, file: join(folder, target.name), recheck })
    const names = { path, folder, part: temporaryName(), made: making.made.length }
    const created = { id: randomId(), ...person.sender, ...names }
    const upload: UploadRecord = { ...created, ...wanted, userId, offset: 0, used: options.clock() }
    const own = { person, path, upload, onNamed }
    await replaceEarlier(own, target)
    const progress = { id: upload.id, offset: 0, length: upload.length }
    if (upload.length > 0) return progress
    const why = new Problem('path.busy', { path })
    const etag = await running.takeOver(upload.id, { why, recheck }, () => taking.finish(own, target, claim))
    return { ...progress, ...etag }
  }

  /**
   * Starts an upload and replaces an earlier one of this user to the same path, unless that one still receives bytes. An
   * upload of zero bytes is finished at once. If the upload is refused, folders created for it are removed.
   *
   * @throws Problem `path.exists`, `upload.running`, `user.busy`, `hook.before`, and as `openTarget` does.
   */
  return async (person: Uploader, path: UserPath, upload: NewUpload['upload']): Promise<UploadProgress> => {
    authorize(person, 'create')
    using _files = await acquireDescriptors(options.files, person, {
      kind: 'write',
      verb: 'create',
      paths: [path],
    })
    const made: UserPath[] = []
    try {
      return await begin({ person, path, upload }, { mode: modes().dirMode, made })
    } catch (error) {
      await removeNewFolders(await person.jail(), made)
      throw error
    }
  }
}

/**
 * Checks the number of unfinished uploads. An announcement without bytes must not keep other visitors from sending, so the
 * oldest one ends.
 *
 * @throws Problem `user.busy`.
 */
async function makeRoom(
  { unfinished, running }: { unfinished: PendingUploads; running: KeyedLock },
  upload: UploadRecord,
): Promise<void> {
  const { share } = upload
  const most = share === undefined ? maxUnfinished : maxOfShare
  if (unfinished.of(upload).length < most) return
  const empty = unfinished
    .of(upload)
    .filter((one) => one.share !== undefined && one.offset === 0 && !unfinished.isAlive(one))
    .toSorted((a, b) => a.used - b.used)[0]
  if (!empty || running.isHeld(empty.id)) throw new Problem('user.busy', { what: 'uploads', most })
  await unfinished.discard(empty)
}

/**
 * An upload that still receives bytes is replaced only by a client that asks for it.
 *
 * @throws Problem `upload.running`.
 */
function refuseRunning(
  unfinished: PendingUploads,
  { path, override, ...owner }: Pick<UploadRecord, 'path' | 'override'> & UploadOwner,
): void {
  const earlier = override ? undefined : unfinished.at(owner, path)
  if (earlier && unfinished.isAlive(earlier)) throw new Problem('upload.running', { path })
}

interface NewUpload {
  person: Uploader
  path: UserPath
  upload: Pick<UploadRecord, 'length' | 'override' | 'conditions' | 'mtime'> & Pick<OwnUpload, 'onNamed'>
}
