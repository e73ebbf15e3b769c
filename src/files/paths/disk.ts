import fs, { type PathLike } from 'node:fs'
import promised from 'node:fs/promises'
import { promisify } from 'node:util'
import { lazyLibc } from '#src/core/libc.ts'
import { bytesOnDisk, decodeName, nulTerminated } from './byte-names.ts'

// The system calls for users' files. They take paths as text and return paths as text. Only this file converts the
// text of a name that is not UTF-8 to its bytes (`byte-names.ts`). Coffer's own files are read and written with
// Node's functions.

type Call = (...given: never[]) => unknown

/** Wraps a call whose first `paths` arguments are paths. */
function at<F extends Call>(call: F, paths = 1): F {
  const bytes = (given: unknown, place: number) =>
    place < paths && typeof given === 'string' ? bytesOnDisk(given) : given
  const wrapped = (...given: unknown[]) =>
    (call as unknown as (...given: unknown[]) => unknown)(...given.map(bytes))
  return wrapped as unknown as F
}

export const accessSync = at(fs.accessSync)
export const chmodSync = at(fs.chmodSync)
export const copyFileSync = at(fs.copyFileSync, 2)
export const mkdirSync = at(fs.mkdirSync)
export const openSync = at(fs.openSync)
export const renameSync = at(fs.renameSync, 2)
export const rmdirSync = at(fs.rmdirSync)
export const statSync = at(fs.statSync)
export const statfsSync = at(fs.statfsSync)
export const symlinkSync = at(fs.symlinkSync, 2)
export const unlinkSync = at(fs.unlinkSync)
export const utimesSync = at(fs.utimesSync)
export const opendirSync = at(fs.opendirSync)
export const readdirSync = at(fs.readdirSync)
/** Opens a plain descriptor. A FileHandle costs twice as much to open and to close. */
export const openDescriptor = at(promisify(fs.open))

/** Closes a descriptor that was only read from, some time later. An error of the disk loses nothing, so it is ignored. */
export function closeLater(fd: number): void {
  fs.close(fd, () => {})
}

export const access = at(promised.access)
export const chmod = at(promised.chmod)
export const copyFile = at(promised.copyFile, 2)
export const link = at(promised.link, 2)
export const lstat = at(promised.lstat)
export const mkdir = at(promised.mkdir)
export const open = at(promised.open)
export const opendir = at(promised.opendir)
export const readdir = at(promised.readdir)
export const rename = at(promised.rename, 2)
export const rm = at(promised.rm)
export const rmdir = at(promised.rmdir)
export const symlink = at(promised.symlink, 2)
export const stat = at(promised.stat)
export const statfs = at(promised.statfs)
export const unlink = at(promised.unlink)

// Listings call this thousands of times: it allocates no array of arguments.
export const lstatSync = ((given: PathLike, options?: fs.StatSyncOptions) =>
  fs.lstatSync(typeof given === 'string' ? bytesOnDisk(given) : given, options)) as typeof fs.lstatSync

const raw = { encoding: 'buffer' } as const
const path = (given: PathLike) => (typeof given === 'string' ? bytesOnDisk(given) : given)

/** Returns the target of a symbolic link as text. */
export async function readlink(given: PathLike): Promise<string> {
  return decodeName(await promised.readlink(path(given), raw))
}

/** Like `readlink`, synchronous. */
export function readlinkSync(given: PathLike): string {
  return decodeName(fs.readlinkSync(path(given), raw))
}

/** Returns the real path as text. */
export async function realpath(given: PathLike): Promise<string> {
  return decodeName(await promised.realpath(path(given), raw))
}

/** Like `realpath`, synchronous. */
export function realpathSync(given: PathLike): string {
  return decodeName(fs.realpathSync.native(path(given), raw))
}

// rename(2) replaces an existing file, and an empty folder. Only renameat2(2) can refuse that, and Node does not offer
// it.
const loadRename = lazyLibc({
  renameat2: { arguments: ['int32', 'pointer', 'int32', 'pointer', 'uint32'], return: 'int32' },
})
const currentFolder = -100
const noReplace = 1

/**
 * Renames an entry, synchronous. Returns false when it did not: the name is taken, the system or the disk cannot refuse
 * one, or it failed.
 */
export function renameUnlessTakenSync(from: string, to: string): boolean {
  const libc = loadRename()
  if (!libc) return false
  const [before, after] = [nulTerminated(from), nulTerminated(to)]
  return libc.renameat2(currentFolder, before, currentFolder, after, noReplace) === 0
}
