import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { ignoreMissing, onPath, Problem } from '#src/core/problem.ts'
import type { Change, Step } from '#src/files/changes/change.ts'
import { unlink } from '#src/files/paths/disk.ts'
import { identifyOpen, identityOf } from '#src/files/paths/local-calls.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { temporaryName, type UserPath } from '#src/files/paths/user-path.ts'
import type { WritableFile } from '#src/files/receiving/writable-file.ts'
import { removeNewFolders } from './make.ts'
import { openTarget, type Renamed, renameToTarget, type Target, type WriteConditions } from './target.ts'
import { createTempFile, keepOwner } from './temp-file.ts'
import type { TempFileJournal } from './temp-file-journal.ts'

/** How a file is written. */
export interface WriteOptions extends WriteConditions {
  /** Permission bits of a new file, and of new parent folders. A replaced file keeps its own. */
  fileMode: number
  dirMode: number
  /** The number of bytes of the content. Undefined: not known yet. */
  size?: number | undefined
  /** New folders above the file that the caller has made for it. They belong to the step, and go with it. */
  made?: UserPath[] | undefined
}

/** What a write needs. */
export interface WriteContext {
  jail: Jail
  parts: TempFileJournal
  locks: KeyedLock
  /** The operation that writes. */
  change: Change
}

/** A file that is being written under a temporary name. Disposing it removes it, unless it was committed. */
export interface Draft extends AsyncDisposable {
  /** The real path that the file will have. */
  real: string
  /** The path under the temporary name, for system calls. A file that was moved away from it gets no name. */
  temporary: string
  /** The file that it will replace. Undefined: there is none. */
  replaces: Stats | undefined
  /**
   * Writes the content.
   *
   * @param write writes the content into the open temporary file and flushes it
   * @throws Problem `disk.full`, another problem of the disk, or what `write` throws.
   */
  fill(write: (file: WritableFile) => Promise<unknown>): Promise<void>
  /** Gives the file its name, see `renameToTarget`. */
  commit(): Promise<Renamed>
}

/** A temporary file and the place where it will go. */
interface OpenTemporary {
  target: Target
  part: Awaited<ReturnType<TempFileJournal['begin']>>
  file: WritableFile
}

/**
 * Starts to write a whole file. The content goes to a hidden temporary file in the target folder, which is then renamed
 * over the target. So a reader sees the old or the new file, and a failure leaves the old one
 * (contract/README.md#resources). Makes missing parent folders, and removes them again after a failure.
 *
 * @throws Problem as `openTarget` does.
 */
export async function openDraft(context: WriteContext, path: UserPath, how: WriteOptions): Promise<Draft> {
  const { made = [] } = how
  const removeMade = () => removeNewFolders(context.jail, made)
  const { target, part, file } = await openTemporary(context, path, { ...how, made }).catch(async (error) => {
    await removeMade()
    throw error
  })
  let isCommitted = false
  const real = join(target.folder.real, target.name)
  const planned = planPut(context, file, {
    path: real,
    made: made.map((each) => join(context.jail.root, each)),
    replaces: target.replaces && identityOf(target.replaces),
  })
  return {
    real,
    temporary: join(target.folder.address, part.name),
    replaces: target.replaces,

    async fill(write) {
      await keepOwner(file, target)
        .then(() => write(file))
        .catch(onPath(path))
    },

    async commit() {
      await file.close().catch(onPath(path))
      const [step] = await planned
      const naming = { ...how, temporary: part.name, path, step }
      const renamed = await renameToTarget(context.locks, target, naming)
      isCommitted = true
      part.endLater()
      return renamed
    },

    async [Symbol.asyncDispose]() {
      await file.close().catch(() => {}) // a file that is removed loses nothing
      if (!isCommitted) await planned.then(([step]) => step.cancel()).catch(() => {})
      // If the removal fails, the note stays and the next start tries again.
      if (!isCommitted) await removeTemporary(target, part).catch(() => {})
      await target.folder.close()
      if (!isCommitted) await removeMade()
    },
  }
}

/** Records the step while the content is being received, so that the file does not wait for the record at the end. */
function planPut(
  { change }: WriteContext,
  file: WritableFile,
  rest: Pick<Step, 'path' | 'made' | 'replaces'>,
) {
  const planned = identifyOpen(file).then((identity) =>
    change.plan({ do: 'put', ...rest, entry: identityOf(identity), isFolder: false }),
  )
  planned.catch(() => {}) // reported when the file is committed
  return planned
}

// Another upload that fails may remove the folder that it made, just before we write into it. Then try again.
const maxTries = 5

async function openTemporary(
  context: WriteContext,
  path: UserPath,
  how: WriteOptions & { made: UserPath[] },
): Promise<OpenTemporary> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryOpen(context, path, how)
    } catch (error) {
      const isGone = error instanceof Problem && error.code === 'path.unknown'
      if (!isGone || tries === maxTries) throw error
    }
  }
}

async function tryOpen(
  { jail, parts }: WriteContext,
  path: UserPath,
  { dirMode, made, fileMode, size, ...conditions }: WriteOptions & { made: UserPath[] },
): Promise<OpenTemporary> {
  const target = await openTarget(jail, path, { ...conditions, making: { mode: dirMode, made } })
  try {
    const part = await parts.beginNow(target.folder.real, temporaryName())
    try {
      const file = await createTempFile(target, { name: part.name, mode: fileMode, path, size })
      return { target, part, file }
    } catch (error) {
      await part.end().catch(() => {}) // a note that stays costs the next start only one check
      throw error
    }
  } catch (error) {
    await target.folder.close()
    throw error
  }
}

async function removeTemporary(target: Target, { name, end }: OpenTemporary['part']): Promise<void> {
  await unlink(join(target.folder.address, name)).catch(ignoreMissing)
  await end()
}
