import type { Stats } from 'node:fs'
import { join } from 'node:path'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import {
  errnoOf,
  ignoreMissing,
  isDiskFull,
  lacksHardLinks,
  onPath,
  Problem,
  type Recheck,
} from '#src/core/problem.ts'
import type { PlannedStep } from '#src/files/changes/change.ts'
import type { Deepest } from '#src/files/jail/deepest-existing.ts'
import { openParent, openPath } from '#src/files/jail/jail.ts'
import { type Located, newNameIn } from '#src/files/jail/locate.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { link, lstat, rename, renameSync, renameUnlessTakenSync, unlink } from '#src/files/paths/disk.ts'
import {
  callNow,
  flushOpenFolder,
  isOpenAndBeingWritten,
  lstatKnown,
  mayCallNow,
  noteWritten,
} from '#src/files/paths/local-calls.ts'
import { namingPath } from '#src/files/paths/path-access.ts'
import { isLocalDevice } from '#src/files/paths/remote-mounts.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { checkNewName, nameOf, type UserPath } from '#src/files/paths/user-path.ts'
import { makeParent } from './make.ts'

/** Where a file will be written: a name in an open folder. */
export interface Target extends AsyncDisposable {
  folder: OpenPath
  name: string
  /** The path for system calls. */
  address: string
  /** The key of the lock. It is the same for all spellings of the name. */
  key: string
  /** The existing file, whose owner and mode the new file gets. Undefined when there is none. */
  replaces: Stats | undefined
}

/** The conditions for writing to a name. */
export interface WriteConditions {
  /** Whether an existing file may be replaced; otherwise `path.exists`. */
  overwrite: boolean
  /**
   * Checks the existing file and throws to refuse. Receives undefined when there is no file. Called before anything is
   * made, so that a request is refused early, and again right before the rename, where its result is final.
   */
  check?: ((current: Stats | undefined) => void) | undefined
  /** Called before the rename. Checks that the user still has access. */
  recheck: Recheck
}

/** The result of renaming a finished file. */
export interface Renamed {
  etag: string
  /** The file that was replaced; undefined when there was none. */
  replaced: Stats | undefined
}

/** How a finished file gets its name. */
export interface Naming extends WriteConditions {
  /** The name of the finished file, in the folder of the target. */
  temporary: string
  path: UserPath
  /** The recorded step. The caller cancels it if this fails. */
  step: PlannedStep
}

/** How missing parent folders of a file are made. */
interface Making {
  /** Permission bits. */
  mode: number
  /** Receives the path of each new folder, so that a failure can remove them. */
  made?: UserPath[]
}

/**
 * Opens the folder where the file `path` will be written. Follows a symbolic link, so that the new content replaces
 * that of the link's target. The caller closes the result.
 *
 * @param claim.making undefined: missing parent folders are not made
 * @throws Problem `path.exists`, `path.folder`, `path.special`, `path.invalid`, what `check` throws, and as
 *   `openPath` does for the folder.
 */
export async function openTarget(
  jail: Jail,
  path: UserPath,
  { overwrite, check, making }: Omit<WriteConditions, 'recheck'> & { making: Making | undefined },
): Promise<Target> {
  let deepest: Deepest<OpenPath> | undefined
  try {
    await using file = await openPath(jail, path, async (found) => {
      deepest = found
    }).catch(ignoreUnknown)
    if (file?.stats.isDirectory()) throw new Problem('path.folder', { path })
    if (file && !file.stats.isFile()) throw new Problem('path.special', { path })
    if (file && !overwrite) throw new Problem('path.exists', { path })
    check?.(file?.stats)
    if (file) return await existingTarget(jail, file).catch(namingPath(path))
    checkNewName(path)
    if (!making) await deepest?.found.close()
    const folder = await (making ? makeParent(jail, path, { ...making, deepest }) : openParent(jail, path))
    return await targetIn(jail, folder, { name: nameOf(path), replaces: undefined })
  } catch (error) {
    await deepest?.found.close()
    throw error
  }
}

/**
 * Opens the folder of a new file. The name `path` may be taken: the caller chooses a free name when the file is complete.
 * The caller closes the result.
 *
 * @param claim.making undefined: missing parent folders are not made
 * @throws Problem `path.invalid`, what `check` throws, and as `openPath` does for the folder.
 */
export async function openFolderTarget(
  jail: Jail,
  path: UserPath,
  { check, making }: Pick<WriteConditions, 'check'> & { making: Making | undefined },
): Promise<Target> {
  check?.(undefined)
  checkNewName(path)
  const folder = await (making ? makeParent(jail, path, making) : openParent(jail, path))
  return targetIn(jail, folder, { name: nameOf(path), replaces: undefined })
}

async function existingTarget(jail: Jail, file: OpenPath): Promise<Target> {
  const folder = await openParent(jail, file.path)
  return targetIn(jail, folder, { name: nameOf(file.path), replaces: file.stats })
}

/**
 * Renames the finished file `temporary` to the name of the target, in the same folder, and flushes the folder. Keeps
 * the replaced file as a version.
 *
 * @throws Problem `path.exists`, what `recheck` and `check` throw, or that of the system error.
 */
export async function renameToTarget(
  locks: KeyedLock,
  { folder, address, key }: Target,
  { temporary, path, overwrite, check, recheck, step }: Naming,
): Promise<Renamed> {
  return locks.run(key, recheck, async () => {
    const replaced = await lstatKnown(folder, address)
    check?.(replaced)
    if (replaced && overwrite) await step.keepOld(address, replaced)
    const hidden = join(folder.address, temporary)
    await (overwrite
      ? renameOver(folder, hidden, address)
      : renameToFreeName(hidden, { folder, address })
    ).catch(onPath(path))
    noteWritten(folder.real)
    await flushOpenFolder(folder)
    const stats = await lstatKnown(folder, address)
    if (!stats) throw new Problem('path.unknown', { path })
    await step.done({ stats })
    return { etag: etagOf(stats), replaced }
  })
}

/** Renames an entry of `folder`, and replaces what has the name. */
async function renameOver(folder: OpenPath, from: string, to: string): Promise<void> {
  if (isOpenAndBeingWritten(folder)) callNow(() => renameSync(from, to))
  else await rename(from, to)
}

function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'path.unknown')) throw error
}

async function targetIn(
  jail: Jail,
  folder: OpenPath,
  rest: Pick<Target, 'name' | 'replaces'>,
): Promise<Target> {
  try {
    const fresh = await newNameIn(jail, folder, rest.name)
    return { ...rest, ...fresh, folder, [Symbol.asyncDispose]: () => folder.close() }
  } catch (error) {
    await folder.close()
    throw error
  }
}

/**
 * Gives the file `hidden` a name unless that name exists. Linux has one call for this. Elsewhere, a hard link makes the
 * system itself refuse an existing name. Disks without hard links (FAT, some network disks) check and then rename, and so
 * does a full disk, where a second name may need an inode: there, two programs that create the same name at the same moment
 * can still collide.
 *
 * @param to the path of the name for system calls, and its open folder
 * @throws the system's `EEXIST` when the name exists
 */
export async function renameToFreeName(
  hidden: string,
  to: Pick<Located, 'folder' | 'address'>,
): Promise<void> {
  if (isRenamedNow(hidden, to)) return
  const { address } = to
  try {
    await link(hidden, address)
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV' && !lacksHardLinks(error) && !isDiskFull(error)) throw error
    if (await lstat(address).catch(ignoreMissing)) throw Object.assign(new Error('taken'), { code: 'EEXIST' })
    return rename(hidden, address)
  }
  await unlink(hidden)
}

/**
 * Renames with one call of the system, without the thread pool: a link and its removal would use it twice. Returns
 * false if nothing was renamed. On a network disk, which may hang, nothing is tried.
 */
function isRenamedNow(hidden: string, { folder, address }: Pick<Located, 'folder' | 'address'>): boolean {
  if (!isLocalDevice(folder.stats.dev) || !mayCallNow()) return false
  return callNow(() => renameUnlessTakenSync(hidden, address))
}
