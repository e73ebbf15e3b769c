import { closeSync, fstat, fstatSync, open as openFile, readlinkSync, type Stats } from 'node:fs'
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf, onPath } from '#src/core/errno.ts'
import { Problem } from '#src/core/problem.ts'
import { farMountOf, refuseSilent, silentWithin } from './mounts.ts'
import { isTemporary } from './temporary.ts'
import { childOf, isWithin, parentOf, rootPath, type UserPath } from './user-path.ts'

declare const checked: unique symbol

/** An absolute path on the disk that was proven to lie in a jail. Only this file makes one. */
export type SafePath = string & { readonly [checked]: true }

/** What one person may reach: a folder, less what rules deny and what belongs to Coffer itself. */
export interface Jail {
  /** Absolute path of the scope, links resolved. */
  readonly root: SafePath
  /** Whether rules let this person reach `path`. */
  allows(path: UserPath): boolean
  /** Real paths that are never reachable, with all below them: the state, its folder, keys, logs, disks that are silent. */
  readonly secret: readonly string[]
}

/** Something on the disk that is held open, so that nobody can put another thing in its place. */
export interface Held extends AsyncDisposable {
  /** Where it really is. */
  readonly real: SafePath
  /** The same place as the jail's owner would write it, links resolved. */
  readonly path: UserPath
  readonly stats: Stats
  /**
   * The name to hand to system calls. On Linux it leads through the held descriptor, so a folder that is swapped for a
   * link meanwhile swaps nothing for us. Other systems have no such name: there it is the real path, and between the
   * check and the call a race remains for those who can write to the served folder by other means.
   */
  readonly address: string
  close(): Promise<void>
}

const onLinux = process.platform === 'linux'
// open(2): a descriptor that only marks a place. It opens no device, waits for no pipe and needs no right to read.
const O_PATH = 0o10000000

/**
 * Makes a jail of `scope`, a path inside the served folder `served`.
 *
 * @throws Problem `path.unknown` when the scope is missing, `path.outside` when a link takes it out, `disk.silent`.
 */
export async function openJail(
  served: string,
  scope: UserPath,
  rest: Pick<Jail, 'allows' | 'secret'>,
): Promise<Jail> {
  if (scope === rootPath) return jailAt(served, rest)
  await refuseSilent(served + scope, 'your folder')
  const root = await realpath(served + scope).catch(onPath('your folder'))
  if (!isInside(root, served)) throw new Problem('path.outside', { path: 'your folder' })
  return jailAt(root, rest)
}

/** What lies on a disk that does not answer is left out: whoever walks or lists would wait for it for ever. */
async function jailAt(root: string, { allows, secret }: Pick<Jail, 'allows' | 'secret'>): Promise<Jail> {
  const silent = await silentWithin(root)
  return { allows, secret: silent.length === 0 ? secret : [...secret, ...silent], root: root as SafePath }
}

/**
 * Makes a jail of a folder of the host that an administrator named, wherever it lies; a relative one counts from where
 * the program was started.
 *
 * @throws Problem `path.unknown`, or what the system says.
 */
export async function openHostFolder(folder: string, rest: Pick<Jail, 'allows' | 'secret'>): Promise<Jail> {
  await refuseSilent(resolve(folder), folder)
  return jailAt(await realpath(folder).catch(onPath(folder)), rest)
}

/**
 * Holds what is at `path`, links followed inside the jail. Rules are asked about the path as written and about where it
 * leads (contract W5). The caller closes it.
 *
 * @throws Problem `path.unknown`, `path.forbidden`, `path.outside`, `disk.silent`, or what the system says.
 */
export async function hold(jail: Jail, path: UserPath): Promise<Held> {
  if (!jail.allows(path)) throw new Problem('path.forbidden', { path })
  if (hasTemporary(path)) throw new Problem('path.unknown', { path })
  return follow(jail, path).catch(async (error: unknown) => {
    if (!(error instanceof Problem)) await refuseAsAbove(jail, path)
    return onPath(path)(error)
  })
}

/**
 * Holds the folder above `path`, for what is to be made or changed there. Rules are asked about `path`, and about
 * nothing else: a rule may allow one name in a folder that another denies.
 *
 * @throws Problem as `hold` does for the folder.
 */
export async function holdParent(jail: Jail, path: UserPath): Promise<Held> {
  if (!jail.allows(path)) throw new Problem('path.forbidden', { path })
  return hold({ ...jail, allows: () => true }, parentOf(path))
}

/** Whether `path` leads to or through something that is still being written. */
export function hasTemporary(path: UserPath): boolean {
  return path.split('/').some(isTemporary)
}

// Between opening a file and asking where it is, another may have taken its name; the one that is there now will do.
const mostTries = 100

/** Holds what is at `path`; a failed call comes as the system's own error. */
function follow(jail: Jail, path: UserPath): Promise<Held> {
  return onLinux ? holdByDescriptor(jail, path) : holdByName(jail, path)
}

// Plain descriptors: every call passes here, and a FileHandle costs twice as much to open and to close.
const openDescriptor = promisify(openFile)
const statDescriptor = promisify(fstat)

async function holdByDescriptor(jail: Jail, path: UserPath): Promise<Held> {
  await refuseSilent(jail.root + path, path)
  for (let tries = 0; tries < mostTries; tries++) {
    const fd = await openDescriptor(jail.root + path, O_PATH).catch(refuseDangling(jail, path))
    try {
      const address = `/proc/self/fd/${fd}`
      // The kernel's own memory answers both, not a disk, now that the place is open: handing them to a thread would
      // cost more than they take. Only what comes from far may be asked for anew.
      const real = readlinkSync(address)
      const stats = farMountOf(real) === undefined ? fstatSync(fd) : await statFar(fd, { real, path })
      if (await isStillAt(real, stats)) {
        return held(confirm(jail, path, real), { jail, address, stats, fd })
      }
    } catch (error) {
      closeSync(fd)
      throw error
    }
    closeSync(fd)
  }
  throw new Problem('path.unknown', { path })
}

/** A link may have led to where nobody has asked yet whether there are answers. */
async function statFar(fd: number, { real, path }: { real: string; path: UserPath }): Promise<Stats> {
  await refuseSilent(real, path)
  return statDescriptor(fd)
}

/** Linux writes ` (deleted)` after the name of what was unlinked or replaced; a living file may end so as well. */
async function isStillAt(real: string, stats: Stats): Promise<boolean> {
  if (stats.nlink === 0) return false
  if (!real.endsWith(' (deleted)')) return true
  const there = await lstat(real).catch(() => undefined)
  return there?.ino === stats.ino && there.dev === stats.dev
}

async function holdByName(jail: Jail, path: UserPath): Promise<Held> {
  const real = await realpath(jail.root + path).catch(refuseDangling(jail, path))
  const safe = confirm(jail, path, real)
  const stats = await stat(safe)
  return held(safe, { jail, address: safe, stats })
}

function held(real: SafePath, rest: { jail: Jail; address: string; stats: Stats; fd?: number }): Held {
  const { address, stats } = rest
  let { fd } = rest
  const close = async () => {
    // At most once: by the next time, the number may be another file's. A descriptor that only marks a place has nothing
    // to flush (open(2), O_PATH), so closing it waits for no disk.
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }
  return { real, path: virtual(rest.jail, real), stats, address, close, [Symbol.asyncDispose]: close }
}

/** Proves that `real`, where `path` led to, may be reached. */
function confirm(jail: Jail, path: UserPath, real: string): SafePath {
  if (!isInside(real, jail.root)) throw new Problem('path.outside', { path })
  const inside = virtual(jail, real)
  if (isSecret(jail, real) || hasTemporary(inside)) throw new Problem('path.unknown', { path })
  if (!jail.allows(inside)) throw new Problem('path.forbidden', { path })
  return real as SafePath
}

/** A link to nowhere is no free name: writing "through" it would create its target, wherever that is. */
function refuseDangling(jail: Jail, path: UserPath) {
  return async (error: unknown): Promise<never> => {
    const isLink = errnoOf(error) === 'ENOENT' && (await readlink(jail.root + path).catch(() => undefined))
    throw isLink ? new Problem('path.outside', { path }, { cause: error }) : error
  }
}

/**
 * What is missing behind a link that leaves the jail, or behind one to what a rule denies, is refused as what is there
 * would be: otherwise the answer would tell which of the two it is.
 */
async function refuseAsAbove(jail: Jail, path: UserPath): Promise<void> {
  for (let above = path; above !== rootPath; ) {
    above = parentOf(above)
    const folder = await follow({ ...jail, allows: () => true }, above).catch((error: unknown) => {
      if (error instanceof Problem) throw new Problem(error.code, { path }, { cause: error })
    })
    if (!folder) continue
    await folder.close()
    const rest = path.slice(above === rootPath ? 0 : above.length)
    const inside = folder.path === rootPath ? rest : folder.path + rest
    if (!jail.allows(inside as UserPath)) throw new Problem('path.forbidden', { path })
    return
  }
}

/** Whether the real path `real` is one that nobody reaches through Coffer. */
export function isSecret(jail: Pick<Jail, 'secret'>, real: string): boolean {
  return jail.secret.some((secret) => isInside(real, secret))
}

/** Where a real path is in the jail, as its owner would write it. */
export function virtual(jail: Pick<Jail, 'root'>, real: string): UserPath {
  if (sep === '/' && isWithin(real, jail.root)) {
    const root: string = jail.root
    return (root === '/' ? real : real.slice(root.length) || rootPath) as UserPath
  }
  const inside = relative(jail.root, real)
  return `/${sep === '/' ? inside : inside.split(sep).join('/')}` as UserPath
}

function isInside(real: string, folder: string): boolean {
  return sep === '/'
    ? isWithin(real, folder)
    : real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/**
 * The address of a name inside a held folder that is to be made or replaced, once it is proven that it may be.
 *
 * @throws Problem `path.forbidden` for a rule or a name that Coffer keeps for itself.
 */
export function freshIn(jail: Jail, folder: Held, name: string): string {
  const path = childOf(folder.path, name)
  if (isTemporary(name) || isSecret(jail, join(folder.real, name)) || !jail.allows(path)) {
    throw new Problem('path.forbidden', { path })
  }
  return join(folder.address, name)
}
