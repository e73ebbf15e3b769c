import fs, { type PathLike } from 'node:fs'
import promised from 'node:fs/promises'
import { onDisk, textOf } from './byte-names.ts'

// The system's calls for places of people. Paths go to the system as the disk has them and come from it as text: only here
// does the text of a name that is not UTF-8 become bytes again (`byte-names.ts`). What Coffer keeps for itself is read and
// written by Node's own calls.

type Call = (...given: never[]) => unknown

/** The same call, with as many paths in front as it takes. */
function at<F extends Call>(call: F, paths = 1): F {
  const bytes = (given: unknown, place: number) =>
    place < paths && typeof given === 'string' ? onDisk(given) : given
  const wrapped = (...given: unknown[]) =>
    (call as unknown as (...given: unknown[]) => unknown)(...given.map(bytes))
  return wrapped as unknown as F
}

export const chmodSync = at(fs.chmodSync)
export const copyFileSync = at(fs.copyFileSync, 2)
export const mkdirSync = at(fs.mkdirSync)
export const openSync = at(fs.openSync)
export const rmdirSync = at(fs.rmdirSync)
export const statSync = at(fs.statSync)
export const statfsSync = at(fs.statfsSync)
export const symlinkSync = at(fs.symlinkSync, 2)
export const unlinkSync = at(fs.unlinkSync)
export const utimesSync = at(fs.utimesSync)
export const opendirSync = at(fs.opendirSync)
export const readdirSync = at(fs.readdirSync)
/** With a callback. */
export const openCallback = at(fs.open)

export const chmod = at(promised.chmod)
export const link = at(promised.link, 2)
export const lstat = at(promised.lstat)
export const mkdir = at(promised.mkdir)
export const open = at(promised.open)
export const opendir = at(promised.opendir)
export const readdir = at(promised.readdir)
export const rename = at(promised.rename, 2)
export const rm = at(promised.rm)
export const rmdir = at(promised.rmdir)
export const stat = at(promised.stat)
export const statfs = at(promised.statfs)
export const unlink = at(promised.unlink)

// Listings ask for thousands: no array is made for each.
export const lstatSync = ((given: PathLike, options?: fs.StatSyncOptions) =>
  fs.lstatSync(typeof given === 'string' ? onDisk(given) : given, options)) as typeof fs.lstatSync

const raw = { encoding: 'buffer' } as const
const path = (given: PathLike) => (typeof given === 'string' ? onDisk(given) : given)

/** Where a link leads, as text. */
export async function readlink(given: PathLike): Promise<string> {
  return textOf(await promised.readlink(path(given), raw))
}

/** As `readlink`, at once. */
export function readlinkSync(given: PathLike): string {
  return textOf(fs.readlinkSync(path(given), raw))
}

/** The real path of what is there, as text. */
export async function realpath(given: PathLike): Promise<string> {
  return textOf(await promised.realpath(path(given), raw))
}

/** As `realpath`, at once. */
export function realpathSync(given: PathLike): string {
  return textOf(fs.realpathSync.native(path(given), raw))
}
