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
import { unmake } from './make.ts'
import { type Claim, openTarget, type Target, takeName } from './target.ts'
import { createTempFile } from './temp-file.ts'
import type { TempFileJournal } from './temp-file-journal.ts'

/** How a file is to be written. */
export interface Writing extends Claim {
  /** Permission bits of a new file and of folders made on the way. What replaces a file is like that file. */
  fileMode: number
  dirMode: number
  /** Writes the content into the open temporary file and flushes it. */
  fill(file: FileHandle): Promise<unknown>
}

/** What writing needs. */
interface Desk {
  jail: Jail
  parts: TempFileJournal
  locks: KeyedLock
}

/** A file that is being written under its temporary name. */
interface Begun {
  target: Target
  part: Awaited<ReturnType<TempFileJournal['begin']>>
  file: FileHandle
}

/**
 * Writes a whole file: into a hidden temporary name in the target folder, then renamed over the target, so that a reader
 * sees the old or the new file and a failure leaves the old one (contract/README.md#resources). Missing folders above it are made, and
 * removed again when nothing comes of it. `expects` is asked before the first byte travels, and again right before the new
 * file takes the name, where the answer counts.
 *
 * @returns the etag of the new file
 * @throws Problem `path.exists`, `path.folder`, `path.special`, `disk.full`, or what `expects` and `fill` throw.
 */
export async function writeFile(desk: Desk, path: UserPath, writing: Writing): Promise<string> {
  const made: UserPath[] = []
  try {
    const begun = await begin(desk, path, { ...writing, made })
    await using _target = begun.target
    return await finish(desk, begun, { path, writing })
  } catch (error) {
    await unmake(desk.jail, made)
    throw error
  }
}

// Somebody else's upload may take back the folder that it made, in the moment before we write into it.
const mostTries = 5

async function begin(desk: Desk, path: UserPath, writing: Writing & { made: UserPath[] }): Promise<Begun> {
  for (let tries = 1; ; tries++) {
    try {
      return await beginOnce(desk, path, writing)
    } catch (error) {
      const isGone = error instanceof Problem && error.code === 'path.unknown'
      if (!isGone || tries === mostTries) throw error
    }
  }
}

async function beginOnce(
  { jail, parts }: Desk,
  path: UserPath,
  { dirMode, made, ...writing }: Writing & { made: UserPath[] },
): Promise<Begun> {
  const target = await openTarget(jail, path, { ...writing, making: { mode: dirMode, made } })
  try {
    const part = await parts.begin(target.folder.real, temporaryName())
    try {
      const file = await createTempFile(target, { name: part.name, mode: writing.fileMode, path })
      return { target, part, file }
    } catch (error) {
      await part.end().catch(() => {}) // a note too many costs the next start one look
      throw error
    }
  } catch (error) {
    await target.folder.close()
    throw error
  }
}

async function finish(
  { locks }: Desk,
  { target, part, file }: Begun,
  { path, writing }: { path: UserPath; writing: Writing },
): Promise<string> {
  const { overwrite, expects, recheck, fill } = writing
  try {
    await fillPart(file, path, async (file) => {
      await keepOwner(file, target)
      await fill(file)
    })
    const etag = await takeName(locks, target, {
      temporary: part.name,
      path,
      overwrite,
      expects,
      recheck,
    })
    await part.end().catch(() => {}) // the file is whole
    return etag
  } catch (error) {
    // What cannot be removed now keeps its note, and the next start tries again. The first failure is the one to tell.
    await unlink(join(target.folder.address, part.name))
      .catch(ignoreMissing)
      .then(part.end)
      .catch(() => {})
    throw error
  }
}

async function fillPart(file: FileHandle, path: UserPath, fill: Writing['fill']): Promise<void> {
  try {
    await fill(file)
  } catch (error) {
    onPath(path)(error)
  } finally {
    await file.close()
  }
}
