import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { open, rm } from '#src/files/paths/disk.ts'
import { isTemporary } from '#src/files/paths/temporary.ts'
import { setMode } from './keep-owner.ts'
import type { Target } from './target.ts'

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants

/**
 * Makes the empty hidden file `name` beside a target, for bytes that come. The caller closes it.
 *
 * @param mode permission bits of a new file. What is to replace a file is its writer's alone until `keepOwner` gives it what
 *   that file has.
 */
export async function createTempFile(
  { folder, replaces }: Target,
  { name, mode, path }: { name: string; mode: number; path: string },
): Promise<FileHandle> {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
  const first = replaces ? 0o600 : mode
  const file = await open(join(folder.address, name), flags, first).catch(onPath(path))
  try {
    await setMode(file, first)
    return file
  } catch (error) {
    await file.close()
    await rm(join(folder.address, name), { force: true }).catch(() => {}) // the first failure is the one to tell
    return onPath(path)(error)
  }
}

/**
 * Opens a part again to go on at `offset`; what was written beyond, and never acknowledged, is cut off. The caller closes
 * it. Undefined: it has gone, or is shorter than that.
 */
export async function openTempFile(
  { folder }: Target,
  { name, offset, path }: { name: string; offset: number; path: string },
): Promise<FileHandle | undefined> {
  const file = await open(join(folder.address, name), O_WRONLY | O_NOFOLLOW)
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

/** Removes a part by the real path of its folder, if it is there. Nothing but ours has such a name. */
export async function removeTempFile(folder: string, name: string): Promise<void> {
  if (isTemporary(name)) await rm(join(folder, name), { force: true })
}
