import { copyFileSync, existsSync, lchownSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { entryOf } from '#src/core/lookup.ts'
import { errnoOf, StartupProblem } from '#src/core/problem.ts'

/** The user that Coffer runs as in its image, and the umask. Undefined: as the container has it. */
export interface Identity {
  readonly uid: number
  readonly gid: number
  readonly umask: number | undefined
}

/** The user of File Browser's image. */
const defaultId = 1000
// The kernel uses the value above for "no change".
const largestId = 2 ** 32 - 2

/**
 * Reads the user from `PUID` and `PGID`, or `UID` and `GID`, and the umask from `UMASK`.
 *
 * @throws StartupProblem for other values than numbers.
 */
export function identityOf(env: NodeJS.ProcessEnv): Identity {
  const umask = env.UMASK
  if (umask && !/^0?[0-7]{3}$/.test(umask))
    throw new StartupProblem(`UMASK must be three octal digits, such as 022; it is "${umask}".`)
  return {
    uid: idFrom(env, ['PUID', 'UID']),
    gid: idFrom(env, ['PGID', 'GID']),
    umask: umask ? Number.parseInt(umask, 8) : undefined,
  }
}

function idFrom(env: NodeJS.ProcessEnv, names: readonly string[]): number {
  const name = names.find((each) => entryOf(env, each))
  const text = name === undefined ? undefined : entryOf(env, name)
  if (!text) return defaultId
  const id = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  if (id <= largestId) return id
  throw new StartupProblem(`${name} must be the number of a user or group, such as 1000; it is "${text}".`)
}

/** The new owner of a folder. */
interface Owner {
  readonly uid: number
  readonly gid: number
  /** The folder that Coffer serves, which keeps its owner wherever it is mounted. */
  readonly served: string
  readonly warn: (sentence: string) => void
}

/**
 * Changes the owner of a folder and of everything in it, as root. Leaves out what may belong to others: the served
 * folder, other disks that are mounted there, targets of symbolic links, and files with several names.
 */
export function takeOwnership(folder: string, { uid, gid, served, warn }: Owner): void {
  const top = lstatSync(folder, { throwIfNoEntry: false })
  if (!top?.isDirectory()) return
  const root = statSync(served, { throwIfNoEntry: false })
  const isForeign = (stats: Stats) =>
    stats.dev !== top.dev ||
    (stats.dev === root?.dev && stats.ino === root.ino) ||
    (stats.isFile() && stats.nlink > 1)
  const change = (place: string, stats: Stats): void => {
    if (isForeign(stats)) return
    if (stats.isDirectory()) for (const name of readdirSync(place)) visit(path.join(place, name))
    if (stats.uid !== uid || stats.gid !== gid) lchownSync(place, uid, gid)
  }
  const visit = (place: string): void => {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats) change(place, stats)
  }
  try {
    change(folder, top)
  } catch (error) {
    warn(
      `Coffer cannot change the owner of ${folder} (${errnoOf(error)}): run chown -R ${uid}:${gid} on the mounted folder, if Coffer cannot write there.`,
    )
  }
}

/**
 * Returns the path of a file that the user of Coffer will be able to read: the file itself if it is in a folder of
 * Coffer, otherwise a copy there. The images of File Browser before 2.33 ran as root, and so does the owner of the file.
 */
export function copyForOwner(file: string, warn: (sentence: string) => void): string {
  if (path.dirname(file) === '/database') return file
  const copy = '/database/filebrowser.db'
  if (existsSync(copy) || !existsSync('/database')) return file
  try {
    copyFileSync(file, copy)
    return copy
  } catch (error) {
    warn(`Coffer cannot copy ${file} to ${copy} (${errnoOf(error)}).`)
    return file
  }
}
