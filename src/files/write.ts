import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { cannotLink, ignoreMissing, onPath } from '#src/core/errno.ts'
import type { Locks } from '#src/core/lock.ts'
import { Problem } from '#src/core/problem.ts'
import { etagOf } from './entry.ts'
import { freshIn, type Held, hold, holdParent, type Jail } from './jail.ts'
import { makeParent, unmake } from './make.ts'
import type { Parts } from './parts.ts'
import { temporaryName } from './temporary.ts'
import { nameOf, type UserPath } from './user-path.ts'

/** How a file is to be written. */
export interface Writing {
  /** Whether an existing file may be replaced; otherwise `path.exists`. */
  overwrite: boolean
  /** Permission bits of a new file and of folders made on the way, less the umask. A replaced file keeps its own. */
  fileMode: number
  dirMode: number
  /** Asked right before the new file takes the name: refuses by throwing. Gets undefined when there is no file yet. */
  expects?: ((current: Stats | undefined) => void) | undefined
  /** Writes the content into the open temporary file and flushes it. */
  fill(file: FileHandle): Promise<unknown>
}

/** Where a file is to be: a name in a folder that is held open. */
interface Place {
  folder: Held
  name: string
  address: string
  /** Permission bits of the file that is there; undefined when there is none. */
  mode: number | undefined
}

/** What writing needs. */
interface Desk {
  jail: Jail
  parts: Parts
  locks: Locks
}

/** A file that is being written under its temporary name. */
interface Begun extends Place {
  part: Awaited<ReturnType<Parts['begin']>>
  temporary: string
  file: FileHandle
}

/**
 * Writes a whole file: into a hidden temporary name in the target folder, then renamed over the target, so that a reader
 * sees the old or the new file and a failure leaves the old one (contract W5). Missing folders above it are made, and
 * removed again when nothing comes of it.
 *
 * @returns the etag of the new file
 * @throws Problem `path.exists`, `path.folder`, `path.special`, `disk.full`, or what `expects` and `fill` throw.
 */
export async function writeFile(desk: Desk, path: UserPath, writing: Writing): Promise<string> {
  const made: UserPath[] = []
  try {
    const begun = await begin(desk, path, { ...writing, made })
    await using _folder = begun.folder
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
  writing: Writing & { made: UserPath[] },
): Promise<Begun> {
  const place = await findPlace(jail, path, writing)
  const { folder, mode } = place
  return closing(folder, async () => {
    if (mode !== undefined && !writing.overwrite) throw new Problem('path.exists', { path })
    // Told before the first byte travels; asked again under the lock, where the answer counts.
    writing.expects?.(await statsAt(place.address))
    const part = await parts.begin(folder.real, temporaryName())
    const temporary = join(folder.address, part.name)
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants
    try {
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      const file = await open(temporary, flags, mode ?? writing.fileMode).catch(onPath(path))
      return { ...place, part, temporary, file }
    } catch (error) {
      await part.end().catch(() => {}) // a note too many costs the next start one look
      throw error
    }
  })
}

async function finish(
  { locks }: Desk,
  begun: Begun,
  { path, writing }: { path: UserPath; writing: Writing },
): Promise<string> {
  const { folder, name, address, part, temporary } = begun
  try {
    await fillPart(begun, path, writing)
    const etag = await locks.run(join(folder.real, name), async () => {
      writing.expects?.(await statsAt(address))
      await settle(temporary, address, writing.overwrite).catch(onPath(path))
      await flushFolder(folder)
      return etagOf(await lstat(address))
    })
    await part.end().catch(() => {}) // the file is whole
    return etag
  } catch (error) {
    // What cannot be removed now keeps its note, and the next start tries again. The first failure is the one to tell.
    await unlink(temporary)
      .catch(ignoreMissing)
      .then(part.end)
      .catch(() => {})
    throw error
  }
}

async function findPlace(
  jail: Jail,
  path: UserPath,
  { dirMode, expects, made }: Writing & { made: UserPath[] },
): Promise<Place> {
  const there = await existing(jail, path)
  if (!there) {
    expects?.(undefined) // before any folder is made: who is refused has changed nothing
    const folder = await makeParent(jail, path, { mode: dirMode, made })
    return closing(folder, () => {
      return { folder, name: nameOf(path), address: freshIn(jail, folder, nameOf(path)), mode: undefined }
    })
  }
  await using file = there
  if (file.stats.isDirectory()) throw new Problem('path.folder', { path })
  if (!file.stats.isFile()) throw new Problem('path.special', { path })
  // A link was followed: the new content goes where the old was, and the link stays.
  const folder = await holdParent(jail, file.path)
  return closing(folder, () => {
    const name = nameOf(file.path)
    return { folder, name, address: freshIn(jail, folder, name), mode: file.stats.mode & 0o777 }
  })
}

async function existing(jail: Jail, path: UserPath): Promise<Held | undefined> {
  return hold(jail, path).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'path.unknown') return undefined
    throw error
  })
}

/** Does what may fail, and closes the folder if it does. */
async function closing<T>(folder: Held, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await folder.close()
    throw error
  }
}

async function fillPart({ file, mode }: Begun, path: UserPath, writing: Writing): Promise<void> {
  try {
    if (mode !== undefined) await file.chmod(mode)
    await writing.fill(file)
  } catch (error) {
    onPath(path)(error)
  } finally {
    await file.close()
  }
}

/** Gives the finished file its name. Without `overwrite` the system itself refuses a name that was taken meanwhile. */
async function settle(temporary: string, target: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(temporary, target)
  try {
    await link(temporary, target)
  } catch (error) {
    if (!cannotLink(error)) throw error
    // Disks without hard links (FAT, some network ones): look, then rename. Two programs at once could still collide.
    if (await lstat(target).catch(ignoreMissing)) throw Object.assign(new Error('taken'), { code: 'EEXIST' })
    return rename(temporary, target)
  }
  await unlink(temporary)
}

async function statsAt(address: string): Promise<Stats | undefined> {
  return lstat(address).catch(ignoreMissing)
}

async function flushFolder(folder: Held): Promise<void> {
  if (process.platform === 'win32') return // folders cannot be opened there
  const handle = await open(folder.address, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
