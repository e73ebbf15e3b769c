import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { unlink } from '#src/files/paths/disk.ts'
import type { Jail } from '#src/files/paths/scope.ts'
import { temporaryName } from '#src/files/paths/temporary.ts'
import type { UserPath } from '#src/files/paths/user-path.ts'
import { keepOwner } from './keep-owner.ts'
import { removeNewFolders } from './make.ts'
import { openTarget, renameToTarget, type Target, type WriteConditions } from './target.ts'
import { createTempFile } from './temp-file.ts'
import type { TempFileJournal } from './temp-file-journal.ts'

/** The options of a write. */
export interface WriteOptions extends WriteConditions {
  /** Permission bits of a new file, and of new parent folders. A replaced file keeps its own. */
  fileMode: number
  dirMode: number
  /** Writes the content into the open temporary file and flushes it. */
  fill(file: FileHandle): Promise<unknown>
}

/** What a write needs. */
interface WriteContext {
  jail: Jail
  parts: TempFileJournal
  locks: KeyedLock
}

/** A file that is being written under a temporary name. */
interface StartedWrite {
  target: Target
  part: Awaited<ReturnType<TempFileJournal['begin']>>
  file: FileHandle
}

/**
 * Writes a whole file. It writes to a hidden temporary file in the target folder, then renames it over the target. So a
 * reader sees the old or the new file, and a failure leaves the old one (contract/README.md#resources). Makes missing
 * parent folders, and removes them again after a failure. Calls `expects` before the first byte, to refuse early, and
 * again right before the rename, where its result is final.
 *
 * @returns the etag of the new file
 * @throws Problem `path.exists`, `path.folder`, `path.special`, `disk.full`, or what `expects` and `fill` throw.
 */
export async function writeFile(
  context: WriteContext,
  path: UserPath,
  writing: WriteOptions,
): Promise<string> {
  const made: UserPath[] = []
  try {
    const started = await startWrite(context, path, { ...writing, made })
    await using _target = started.target
    return await finish(context, started, { path, writing })
  } catch (error) {
    await removeNewFolders(context.jail, made)
    throw error
  }
}

// Another upload that fails may remove the folder that it made, just before we write into it. Then try again.
const mostTries = 5

async function startWrite(
  context: WriteContext,
  path: UserPath,
  writing: WriteOptions & { made: UserPath[] },
): Promise<StartedWrite> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryStart(context, path, writing)
    } catch (error) {
      const isGone = error instanceof Problem && error.code === 'path.unknown'
      if (!isGone || tries === mostTries) throw error
    }
  }
}

async function tryStart(
  { jail, parts }: WriteContext,
  path: UserPath,
  { dirMode, made, ...writing }: WriteOptions & { made: UserPath[] },
): Promise<StartedWrite> {
  const target = await openTarget(jail, path, { ...writing, making: { mode: dirMode, made } })
  try {
    const part = await parts.begin(target.folder.real, temporaryName())
    try {
      const file = await createTempFile(target, { name: part.name, mode: writing.fileMode, path })
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

async function finish(
  { locks }: WriteContext,
  { target, part, file }: StartedWrite,
  { path, writing }: { path: UserPath; writing: WriteOptions },
): Promise<string> {
  const { overwrite, expects, recheck, fill } = writing
  try {
    await fillPart(file, path, async (file) => {
      await keepOwner(file, target)
      await fill(file)
    })
    const etag = await renameToTarget(locks, target, {
      temporary: part.name,
      path,
      overwrite,
      expects,
      recheck,
    })
    await part.end().catch(() => {}) // the file is whole
    return etag
  } catch (error) {
    // If the removal fails, the note stays and the next start tries again. Report the first failure.
    await unlink(join(target.folder.address, part.name))
      .catch(ignoreMissing)
      .then(part.end)
      .catch(() => {})
    throw error
  }
}

async function fillPart(file: FileHandle, path: UserPath, fill: WriteOptions['fill']): Promise<void> {
  try {
    await fill(file)
  } catch (error) {
    onPath(path)(error)
  } finally {
    await file.close()
  }
}
