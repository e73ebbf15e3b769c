import { join } from 'node:path'
import { authorize } from '#src/access/authorize.ts'
import type { Uploader } from '#src/access/principal.ts'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { Problem } from '#src/core/problem.ts'
import type { FreeNames } from '#src/entries/free-names.ts'
import type { Hooks } from '#src/entries/hooks.ts'
import { lstat } from '#src/files/paths/disk.ts'
import { identityOf } from '#src/files/paths/local-calls.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import {
  type Naming,
  openFolderTarget,
  openTarget,
  type Renamed,
  renameToTarget,
  type Target,
  type WriteConditions,
} from '#src/files/writing/target.ts'
import { createWritePrecondition } from '#src/http/request-headers.ts'
import type { PendingUploads, UploadRecord } from './pending-uploads.ts'

/** An upload and the person who works with it. */
export interface OwnUpload {
  person: Uploader
  path: UserPath
  upload: UploadRecord
  /** Called when the file has its name, before commands run. */
  onNamed?: ((path: UserPath, size: number) => void) | undefined
}

/** A file that has its name. */
export interface FinishedUpload {
  etag: string
  path: UserPath
}

/** Creates the function that gives complete uploads their names. */
export function createUploadFinisher(options: {
  unfinished: PendingUploads
  locks: KeyedLock
  hooks: Hooks
  freeNames: FreeNames
}) {
  const { unfinished, hooks } = options

  /** Nothing that a visitor sends replaces anything: a taken name gets a number. */
  async function finishNumbered(own: OwnUpload, claim: WriteConditions): Promise<FinishedUpload> {
    const { person } = own
    using free = await options.freeNames.reserve(person, own.path, [])
    const { path } = free
    const how = { ...claim, recheck: () => person.check([path]), overwrite: false }
    await using target = await openUploadTarget({ ...own, path }, how)
    return await finishAt({ ...own, path }, target, how)
  }

  async function finishAt(
    { person, path, upload, onNamed }: OwnUpload,
    target: Target,
    claim: WriteConditions,
  ): Promise<FinishedUpload> {
    const about = { person, jail: await person.jail(), file: join(target.folder.real, target.name) }
    // The folder may have been renamed since the upload started.
    hooks.refuseNonUtf8('upload', about)
    const { etag } = await nameFile({ person, locks: options.locks }, target, {
      ...claim,
      temporary: upload.part,
      path,
    })
    onNamed?.(path, upload.length)
    await unfinished.finish(upload, path).catch(() => {}) // the file is complete; nothing is left to continue
    await hooks.after('upload', about).catch((error: unknown) => {
      unfinished.markUnconfirmed(upload)
      throw error
    })
    return { etag, path }
  }

  /**
   * Gives the temporary file its name and removes the record of the upload. Returns the etag and the path of the file.
   *
   * @throws Problem `hook.after` as for an upload in one request: the file exists; `hook.name`: it does not.
   */
  return async function finish(
    own: OwnUpload,
    target: Target,
    claim: WriteConditions,
  ): Promise<FinishedUpload> {
    return own.upload.share === undefined ? finishAt(own, target, claim) : finishNumbered(own, claim)
  }
}

/** Gives the complete file its name, as a step of the operation. */
async function nameFile(
  { person, locks }: { person: Uploader; locks: KeyedLock },
  target: Target,
  how: Omit<Naming, 'step'>,
): Promise<Renamed> {
  const real = join(target.folder.real, target.name)
  const entry = identityOf(await lstat(join(target.folder.address, how.temporary)))
  const replaces = target.replaces && identityOf(target.replaces)
  const [step] = await person.change.plan({ do: 'put', path: real, entry, isFolder: false, replaces })
  try {
    return await renameToTarget(locks, target, { ...how, step })
  } catch (error) {
    await step.cancel()
    throw error
  }
}

type UploadOptions = Pick<UploadRecord, 'override' | 'conditions'>

/** The conditions under which an upload of this user may replace its target. */
export function claimOf({
  person,
  path,
  upload,
}: Omit<OwnUpload, 'upload'> & { upload: UploadOptions }): WriteConditions {
  const { override, conditions } = upload
  const precondition = createWritePrecondition(conditions, path)
  return {
    overwrite: override,
    recheck: () => person.check([path]),
    check: (current) => {
      // Checked again after the last byte, which may arrive a day later: permissions may have been revoked
      // meanwhile.
      authorize(person, current && override ? 'replace' : 'create')
      precondition?.(current)
    },
  }
}

/** Opens the folder of a new upload. @param making undefined: missing parent folders are not made */
export async function openTargetOf(
  person: Uploader,
  path: UserPath,
  claim: Parameters<typeof openTarget>[2],
): Promise<Target> {
  const jail = await person.jail()
  // What a visitor sends replaces nothing, also if the name is taken by a link that leads elsewhere.
  return person.sender.share === undefined
    ? openTarget(jail, path, claim)
    : openFolderTarget(jail, path, claim)
}

/** Opens the folder of an upload if it is still the same folder. @throws Problem `upload.unknown`. */
export async function openUploadTarget(
  { person, path, upload }: OwnUpload,
  claim: Omit<WriteConditions, 'recheck'>,
): Promise<Target> {
  const target = await openTargetOf(person, path, { ...claim, making: undefined })
  if (target.folder.real === upload.folder) return target
  await target.folder.close()
  throw new Problem('upload.unknown', { path })
}
