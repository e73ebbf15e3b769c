import { constants, type Stats } from 'node:fs'
import { join } from 'node:path'
import type { KeyedLock } from '#src/core/concurrency/keyed-lock.ts'
import { ignoreMissing, onPath } from '#src/core/errno.ts'
import { flushFolder } from '#src/core/flush-folder.ts'
import { Problem } from '#src/core/problem.ts'
import type { Recheck } from '#src/core/recheck.ts'
import { freshIn } from '#src/files/jail/fresh.ts'
import { openParent, openPath } from '#src/files/jail/jail.ts'
import { named } from '#src/files/jail/naming.ts'
import { etagOf } from '#src/files/listing/entry.ts'
import { lstat, open, rename } from '#src/files/paths/disk.ts'
import type { Jail, OpenPath } from '#src/files/paths/scope.ts'
import { nameOf, refuseSpelledName, type UserPath } from '#src/files/paths/user-path.ts'
import { makeParent } from './make.ts'
import { renameToFreeName } from './rename-to-free-name.ts'

/** Where a file is to be: a name in a folder that is held open. */
export interface Target extends AsyncDisposable {
  folder: OpenPath
  name: string
  /** The name for system calls. */
  address: string
  /** The same text for all spellings of the name. */
  key: string
  /** The file that is there, which the new one is to be like; undefined when there is none. */
  replaces: Stats | undefined
}

/** On what condition a name may be taken. */
export interface Claim {
  /** Whether an existing file may be replaced; otherwise `path.exists`. */
  overwrite: boolean
  /** Refuses by throwing. Gets undefined when there is no file yet. */
  expects?: ((current: Stats | undefined) => void) | undefined
  /** Called before the name is taken: that the writer may still reach it. */
  recheck: Recheck
}

/** How folders are made that are missing above a file. */
interface Making {
  /** Permission bits. */
  mode: number
  /** Filled with those that were made, for taking them back. */
  made?: UserPath[]
}

/**
 * Holds the place where the file `path` is to be; a link is followed, so that the new content goes where the old was. The
 * caller closes it.
 *
 * @param claim.making undefined: missing folders above are not made
 * @throws Problem `path.exists`, `path.folder`, `path.special`, `path.invalid`, what `expects` throws, and as `openPath` does for the folder.
 */
export async function openTarget(
  jail: Jail,
  path: UserPath,
  claim: Omit<Claim, 'recheck'> & { making: Making | undefined },
): Promise<Target> {
  const target = await findTarget(jail, path, claim)
  try {
    if (target.replaces && !claim.overwrite) throw new Problem('path.exists', { path })
    claim.expects?.(await statsAt(target.address))
    return target
  } catch (error) {
    await target.folder.close()
    throw error
  }
}

/**
 * Gives the finished file `temporary` of the target's folder the target's name, and waits until the disk has that.
 *
 * @returns the etag of the file
 * @throws Problem `path.exists`, what `recheck` and `expects` throw now, or what the disk refuses.
 */
export async function takeName(
  locks: KeyedLock,
  { folder, address, key }: Target,
  { temporary, path, overwrite, expects, recheck }: Claim & { temporary: string; path: UserPath },
): Promise<string> {
  return locks.run(key, recheck, async () => {
    expects?.(await statsAt(address))
    const hidden = join(folder.address, temporary)
    await (overwrite ? rename(hidden, address) : renameToFreeName(hidden, address)).catch(onPath(path))
    await flushFolder(() => open(folder.address, constants.O_RDONLY))
    return etagOf(await lstat(address))
  })
}

async function findTarget(
  jail: Jail,
  path: UserPath,
  { making, expects }: Pick<Claim, 'expects'> & { making: Making | undefined },
): Promise<Target> {
  const there = await existing(jail, path)
  if (!there) {
    // Both before any folder is made: who is refused has changed nothing.
    expects?.(undefined)
    refuseSpelledName(path)
    const folder = making ? await makeParent(jail, path, making) : await openParent(jail, path)
    return targetIn(jail, folder, { name: nameOf(path), replaces: undefined })
  }
  await using file = there
  if (file.stats.isDirectory()) throw new Problem('path.folder', { path })
  if (!file.stats.isFile()) throw new Problem('path.special', { path })
  const folder = await openParent(jail, file.path).catch(named(path))
  const target = targetIn(jail, folder, { name: nameOf(file.path), replaces: file.stats })
  return target.catch(named(path))
}

async function existing(jail: Jail, path: UserPath): Promise<OpenPath | undefined> {
  return openPath(jail, path).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'path.unknown') return undefined
    throw error
  })
}

async function targetIn(
  jail: Jail,
  folder: OpenPath,
  rest: Pick<Target, 'name' | 'replaces'>,
): Promise<Target> {
  try {
    const fresh = await freshIn(jail, folder, rest.name)
    return { ...rest, ...fresh, folder, [Symbol.asyncDispose]: () => folder.close() }
  } catch (error) {
    await folder.close()
    throw error
  }
}

async function statsAt(address: string): Promise<Stats | undefined> {
  return lstat(address).catch(ignoreMissing)
}
