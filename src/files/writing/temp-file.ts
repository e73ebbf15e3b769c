import { constants } from 'node:fs'
import { join } from 'node:path'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { rm } from '#src/files/paths/disk.ts'
import { isLocalDevice } from '#src/files/paths/remote-mounts.ts'
import { isTemporary } from '#src/files/paths/temporary.ts'
import { isOpenAndBeingWritten } from '#src/files/paths/warm-files.ts'
import { isSmall } from '#src/files/receiving/small-body.ts'
import { openWritable, type WritableFile } from '#src/files/receiving/writable-file.ts'
import { modeOf, setMode } from './keep-owner.ts'
import type { Target } from './target.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants

/**
 * Creates the empty temporary file `name` in the folder of the target. The caller closes it.
 *
 * @param mode permission bits of a new file. A file that will replace another has 0600 until `keepOwner` copies the
 *   owner and mode of that file.
 * @param size the number of bytes that will be written, if it is known
 */
export async function createTempFile(
  { folder, replaces }: Target,
  { name, mode, path, size }: { name: string; mode: number; path: string; size?: number | undefined },
): Promise<WritableFile> {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  const first = replaces ? 0o600 : mode
  const how = {
    mode: first,
    isOnLocalDisk: isLocalDevice(folder.stats.dev),
    isQuick: isOpenAndBeingWritten(folder),
    isWrittenAtOnce: isSmall(size),
  }
  const file = await openWritable(join(folder.address, name), flags, how).catch(onPath(path))
  try {
    await setMode(modeOf(file), first)
    return file
  } catch (error) {
    await file.close()
    await rm(join(folder.address, name), { force: true }).catch(() => {}) // report the first failure
    return onPath(path)(error)
  }
}

/**
 * Opens a temporary file again, to continue at `offset`. Truncates bytes beyond it, which were never acknowledged. The
 * caller closes it. Returns undefined when the file does not exist or is shorter than `offset`.
 */
export async function openTempFile(
  { folder }: Target,
  { name, offset, path }: { name: string; offset: number; path: string },
): Promise<WritableFile | undefined> {
  const how = { isOnLocalDisk: isLocalDevice(folder.stats.dev) }
  const file = await openWritable(join(folder.address, name), O_WRONLY | O_NOFOLLOW, how)
    .catch(ignoreMissing)
    .catch(onPath(path))
  if (!file) return undefined
  try {
    const stats = await file.stat()
    if (stats.isFile() && stats.size >= offset) {
      if (stats.size > offset) await file.truncate(offset)
      return file
    }
  } catch (error) {
    await file.close()
    return onPath(path)(error)
  }
  await file.close()
  return undefined
}

/** Removes a temporary file, if it exists. `folder` is a real path. Does nothing if `name` is not a temporary name. */
export async function removeTempFile(folder: string, name: string): Promise<void> {
  if (isTemporary(name)) await rm(join(folder, name), { force: true })
}
